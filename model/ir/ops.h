/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vocabulary of the model: operation classes (what is calibrated), node
 * operators (what the IR holds) and built-in functions (what OpenCL C calls).
 *
 * To add a built-in: one line in BUILTIN_TABLE. To add a cost: one line in
 * OP_CLASS_TABLE and a micro-benchmark in daemon/calibrator.
 */
#ifndef PREDICTD_MODEL_IR_OPS_H
#define PREDICTD_MODEL_IR_OPS_H

#include <stdbool.h>

/* X(NAME, "word") - one calibrated throughput per class of operation and class of type. */
#define OP_CLASS_TABLE(X)                                                                          \
	X(ADD, "add") /* add, sub, neg */                                                          \
	X(MUL, "mul")                                                                              \
	X(FMA, "fma") /* one instruction, two operations */                                        \
	X(DIV, "div")                                                                              \
	X(MOD, "mod")                                                                              \
	X(WIDE_DIV, "wide_div") /* of 64 bits, an operand of more than 32 */                       \
	X(WIDE_MOD, "wide_mod")                                                                    \
	X(BIT, "bit") /* and, or, xor, not, shifts, rotate */                                      \
	X(COMPARE, "compare")                                                                      \
	X(SELECT, "select")                                                                        \
	X(CONVERT, "convert")                                                                      \
	X(MINMAX, "minmax") /* min, max, abs, clamp, sign, step */                                 \
	X(POPCOUNT, "popcount")                                                                    \
	X(CLZ, "clz") /* clz, ctz */                                                               \
	X(MUL_HI, "mul_hi")                                                                        \
	X(FMINMAX, "fminmax") /* fmin, fmax: a NaN loses */                                        \
	X(ROUND, "round")     /* floor, ceil, rint, trunc, round */                                \
	X(ODD, "odd")         /* mad_sat, exchanges: integer operations that no benchmark times */ \
	X(SQRT, "sqrt")                                                                            \
	X(RSQRT, "rsqrt")                                                                          \
	X(EXP, "exp")                                                                              \
	X(LOG, "log") /* log, log10 */                                                             \
	X(POW, "pow") /* pow, powr, pown, rootn */                                                 \
	X(SIN, "sin") /* sin, cos */                                                               \
	X(TAN, "tan")                                                                              \
	X(ATAN, "atan")                                                                            \
	X(HYPER, "hyper")             /* tanh */                                                   \
	X(GAMMA, "gamma")             /* erf */                                                    \
	X(FMOD, "fmod")               /* fmod, remainder, remquo */                                \
	X(LDEXP, "ldexp")             /* ldexp, frexp, ilogb, logb, nextafter, modf, fract */      \
	X(NATIVE_DIV, "native_div")   /* native_divide, native_recip, half_ the same */            \
	X(NATIVE_SQRT, "native_sqrt") /* native_sqrt, native_rsqrt */                              \
	X(NATIVE_EXP, "native_exp")                                                                \
	X(NATIVE_LOG, "native_log")                                                                \
	X(NATIVE_POW, "native_pow")                                                                \
	X(NATIVE_SIN, "native_sin")                                                                \
	X(NATIVE_TAN, "native_tan")                                                                \
	X(HYPOT, "hypot")                                                                          \
	/* each told by one of those above in calibrations made before it had a benchmark */       \
	X(EXP2, "exp2")                                                                            \
	X(EXP10, "exp10")                                                                          \
	X(EXPM1, "expm1")                                                                          \
	X(LOG2, "log2")                                                                            \
	X(LOG1P, "log1p")                                                                          \
	X(CBRT, "cbrt")                                                                            \
	X(SINCOS, "sincos") /* either of its two results */                                        \
	X(SINPI, "sinpi")   /* sinpi, cospi */                                                     \
	X(ASIN, "asin")     /* asin, acos */                                                       \
	X(ATAN2, "atan2")                                                                          \
	X(SINH, "sinh")   /* sinh, cosh */                                                         \
	X(ASINH, "asinh") /* asinh, acosh, atanh */                                                \
	X(ERFC, "erfc")                                                                            \
	X(LGAMMA, "lgamma")                                                                        \
	X(TGAMMA, "tgamma")                                                                        \
	X(NATIVE_EXP2, "native_exp2") /* native_exp2, native_exp10, half_ the same */              \
	X(NATIVE_LOG2, "native_log2")                                                              \
	X(HALF_SIN, "half_sin") /* half_sin, half_cos */

enum op_class {
#define X(name, word) OP_CLASS_##name,
	OP_CLASS_TABLE(X)
#undef X
	        OP_CLASS_COUNT,
	OP_CLASS_NONE = OP_CLASS_COUNT /* costs nothing: leaves, phis, moves */
};

/*
 * X(NAME, "word", operands, op class) - order is wire format: append only.
 * operands -1: one to sixteen. See model/ir/ir.h for what imm and aux mean.
 */
#define NODE_OP_TABLE(X)                                                                           \
	X(CONST_INT, "const", 0, NONE) /* imm: the value, two's complement */                      \
	X(CONST_REAL, "real", 0, NONE) /* imm: bits of a double */                                 \
	X(ARG, "arg", 0, NONE)         /* aux: argument; imm: byte offset in a struct */           \
	X(GLOBAL_ID, "gid", 0, NONE)   /* aux: dimension, 0 to 2; these return ulong */            \
	X(LOCAL_ID, "lid", 0, NONE)                                                                \
	X(GROUP_ID, "grp", 0, NONE)                                                                \
	X(GLOBAL_SIZE, "gsize", 0, NONE)                                                           \
	X(LOCAL_SIZE, "lsize", 0, NONE)                                                            \
	X(NUM_GROUPS, "ngroups", 0, NONE)                                                          \
	X(GLOBAL_OFFSET, "goffset", 0, NONE)                                                       \
	X(WORK_DIM, "workdim", 0, NONE)                                                            \
	X(LOOP_VAR, "var", 0, NONE)    /* aux: statement of the loop; imm: its slot */             \
	X(LOAD, "load", 0, NONE)       /* aux: access; the value it read */                        \
	X(ATOMIC, "atomic", 0, NONE)   /* aux: access; the old value */                            \
	X(UNKNOWN, "unknown", 0, NONE) /* imm: serial; a value nobody can know */                  \
	X(PHI, "phi", 3, NONE)         /* cond, then, else; free: control chose */                 \
	X(SELECT, "select", 3, SELECT) /* cond, then, else; computed */                            \
	/* aux 1 of a real ADD or SUB: what product it has is of another expression */             \
	X(ADD, "add", 2, ADD)                                                                      \
	X(SUB, "sub", 2, ADD)                                                                      \
	X(MUL, "mul", 2, MUL)                                                                      \
	X(DIV, "div", 2, DIV)                                                                      \
	X(REM, "rem", 2, MOD)                                                                      \
	X(NEG, "neg", 1, ADD)                                                                      \
	X(FMA, "fma", 3, FMA) /* a * b + c; also mad, mad24 */                                     \
	X(AND, "and", 2, BIT)                                                                      \
	X(OR, "or", 2, BIT)                                                                        \
	X(XOR, "xor", 2, BIT)                                                                      \
	X(NOT, "not", 1, BIT) /* bitwise */                                                        \
	X(SHL, "shl", 2, BIT)                                                                      \
	X(SHR, "shr", 2, BIT) /* arithmetic where the type is signed */                            \
	X(EQ, "eq", 2, COMPARE)                                                                    \
	X(NE, "ne", 2, COMPARE)                                                                    \
	X(LT, "lt", 2, COMPARE) /* signedness: of the operands' type */                            \
	X(LE, "le", 2, COMPARE)                                                                    \
	X(LNOT, "lnot", 1, COMPARE)       /* logical, on bool or integer */                        \
	X(CONVERT, "convert", 1, CONVERT) /* from the operand's type to the node's */              \
	X(BITCAST, "bitcast", 1, NONE)    /* as_type, pointer casts */                             \
	X(MIN, "min", 2, MINMAX)                                                                   \
	X(MAX, "max", 2, MINMAX)                                                                   \
	X(ABS, "abs", 1, MINMAX)                                                                   \
	X(MUL_HI, "mul_hi", 2, MUL_HI)                                                             \
	X(VECTOR, "vector", -1, NONE) /* scalars and vectors, concatenated */                      \
	X(SPLAT, "splat", 1, NONE)                                                                 \
	X(SWIZZLE, "swizzle", 1, NONE)       /* imm: 4 bits a lane of the result, low first */     \
	X(INSERT, "insert", 2, NONE)         /* vector, scalar or vector; imm: lanes as above */   \
	X(CALL, "call", -1, NONE)            /* aux: enum builtin; cost class from its table */    \
	X(SUB_GROUP_SIZE, "sgsize", 0, NONE) /* of the device: work-items in lock-step */          \
	/* a texel of object aux, row by row; imm: enum texel; coordinates, then a sampler */      \
	X(TEXEL, "texel", -1, NONE)                                                                \
	X(IMAGE_SIZE, "image_size", 0, NONE) /* aux: argument; imm: enum image_size */

/* Of NODE_FMA: the aux of one that adds up a product of vectors, which a CPU's compiler keeps
 * whole. */
enum { FMA_OF_VECTORS = 1 };

/* Of NODE_TEXEL: how many coordinates, and whether the source's are reals, which cost more. */
enum texel { TEXEL_COORDINATES = 0xff, TEXEL_REAL = 0x100 };

/* What NODE_IMAGE_SIZE asks. */
enum image_size {
	IMAGE_SIZE_WIDTH,
	IMAGE_SIZE_HEIGHT, /* or the layers of an array of rows */
	IMAGE_SIZE_DEPTH,  /* or the layers of an array of planes */
	IMAGE_SIZE_TYPE,   /* of channels: the number that stands for it */
	IMAGE_SIZE_ORDER,
	IMAGE_SIZE_COUNT
};

enum node_op {
#define X(name, word, operands, class) NODE_##name,
	NODE_OP_TABLE(X)
#undef X
	        NODE_OP_COUNT
};

/*
 * Built-ins that stay calls in the IR. X(NAME, "opencl name", class, operations):
 * `operations` is how many of its class one scalar call costs. Functions that
 * are plain operators (fma, mad, min, max, clamp, abs, select, ...) are lowered by the front-end.
 * native_ and half_ have rows of their own. Order is wire format: append only.
 */
#define BUILTIN_TABLE(X)                                                                           \
	X(SQRT, "sqrt", SQRT, 1)                                                                   \
	X(RSQRT, "rsqrt", RSQRT, 1)                                                                \
	X(CBRT, "cbrt", CBRT, 1)                                                                   \
	X(EXP, "exp", EXP, 1)                                                                      \
	X(EXP2, "exp2", EXP2, 1)                                                                   \
	X(EXP10, "exp10", EXP10, 1)                                                                \
	X(EXPM1, "expm1", EXPM1, 1)                                                                \
	X(LOG, "log", LOG, 1)                                                                      \
	X(LOG2, "log2", LOG2, 1)                                                                   \
	X(LOG10, "log10", LOG, 1)                                                                  \
	X(LOG1P, "log1p", LOG1P, 1)                                                                \
	X(POW, "pow", POW, 1)                                                                      \
	X(POWN, "pown", POW, 1)                                                                    \
	X(POWR, "powr", POW, 1)                                                                    \
	X(ROOTN, "rootn", POW, 1)                                                                  \
	X(SIN, "sin", SIN, 1)                                                                      \
	X(COS, "cos", SIN, 1)                                                                      \
	X(SINCOS, "sincos", SINCOS, 2)                                                             \
	X(SINPI, "sinpi", SINPI, 1)                                                                \
	X(COSPI, "cospi", SINPI, 1)                                                                \
	X(TAN, "tan", TAN, 1)                                                                      \
	X(TANPI, "tanpi", TAN, 1)                                                                  \
	X(ASIN, "asin", ASIN, 1)                                                                   \
	X(ACOS, "acos", ASIN, 1)                                                                   \
	X(ATAN, "atan", ATAN, 1)                                                                   \
	X(ATAN2, "atan2", ATAN2, 1)                                                                \
	X(ASINPI, "asinpi", ASIN, 1)                                                               \
	X(ACOSPI, "acospi", ASIN, 1)                                                               \
	X(ATANPI, "atanpi", ATAN, 1)                                                               \
	X(ATAN2PI, "atan2pi", ATAN2, 1)                                                            \
	X(SINH, "sinh", SINH, 1)                                                                   \
	X(COSH, "cosh", SINH, 1)                                                                   \
	X(TANH, "tanh", HYPER, 1)                                                                  \
	X(ASINH, "asinh", ASINH, 1)                                                                \
	X(ACOSH, "acosh", ASINH, 1)                                                                \
	X(ATANH, "atanh", ASINH, 1)                                                                \
	X(ERF, "erf", GAMMA, 1)                                                                    \
	X(ERFC, "erfc", ERFC, 1)                                                                   \
	X(TGAMMA, "tgamma", TGAMMA, 1)                                                             \
	X(LGAMMA, "lgamma", LGAMMA, 1)                                                             \
	X(FMOD, "fmod", FMOD, 1)                                                                   \
	X(REMAINDER, "remainder", FMOD, 1)                                                         \
	X(HYPOT, "hypot", HYPOT, 1)                                                                \
	X(FLOOR, "floor", ROUND, 1)                                                                \
	X(CEIL, "ceil", ROUND, 1)                                                                  \
	X(RINT, "rint", ROUND, 1)                                                                  \
	X(TRUNC, "trunc", ROUND, 1)                                                                \
	X(ROUND, "round", ROUND, 1)                                                                \
	X(FRACT, "fract", LDEXP, 1)                                                                \
	X(MODF, "modf", LDEXP, 1)                                                                  \
	X(LDEXP, "ldexp", LDEXP, 1)                                                                \
	X(FREXP, "frexp", LDEXP, 1)                                                                \
	X(ILOGB, "ilogb", LDEXP, 1)                                                                \
	X(LOGB, "logb", LDEXP, 1)                                                                  \
	X(NEXTAFTER, "nextafter", LDEXP, 1)                                                        \
	X(COPYSIGN, "copysign", BIT, 2)                                                            \
	X(SIGN, "sign", MINMAX, 2)                                                                 \
	X(STEP, "step", MINMAX, 1)                                                                 \
	X(SMOOTHSTEP, "smoothstep", FMA, 6)                                                        \
	X(ISNAN, "isnan", COMPARE, 1)                                                              \
	X(ISINF, "isinf", COMPARE, 2)                                                              \
	X(ISFINITE, "isfinite", COMPARE, 2)                                                        \
	X(ISNORMAL, "isnormal", COMPARE, 3)                                                        \
	X(SIGNBIT, "signbit", BIT, 1)                                                              \
	X(ANY, "any", BIT, 1)                                                                      \
	X(ALL, "all", BIT, 1)                                                                      \
	X(BITSELECT, "bitselect", BIT, 3)                                                          \
	X(ROTATE, "rotate", BIT, 1)                                                                \
	X(POPCOUNT, "popcount", POPCOUNT, 1)                                                       \
	X(CLZ, "clz", CLZ, 1)                                                                      \
	X(CTZ, "ctz", CLZ, 1)                                                                      \
	X(ADD_SAT, "add_sat", ADD, 3)                                                              \
	X(SUB_SAT, "sub_sat", ADD, 3)                                                              \
	X(HADD, "hadd", ADD, 3)                                                                    \
	X(RHADD, "rhadd", ADD, 4)                                                                  \
	X(MAD_SAT, "mad_sat", ODD, 2)                                                              \
	X(UPSAMPLE, "upsample", BIT, 2)                                                            \
	X(DOT, "dot", FMA, 4) /* operations: at width 4; scaled by the width */                    \
	X(CROSS, "cross", FMA, 6)                                                                  \
	X(LENGTH, "length", SQRT, 1)        /* of the sum of squares, which is no part of it */    \
	X(NORMALIZE, "normalize", RSQRT, 1) /* one over that */                                    \
	X(NATIVE_DIVIDE, "native_divide", NATIVE_DIV, 1)                                           \
	X(NATIVE_RECIP, "native_recip", NATIVE_DIV, 1)                                             \
	X(NATIVE_SQRT, "native_sqrt", NATIVE_SQRT, 1)                                              \
	X(NATIVE_RSQRT, "native_rsqrt", RSQRT, 1)                                                  \
	X(NATIVE_EXP, "native_exp", NATIVE_EXP, 1)                                                 \
	X(NATIVE_EXP2, "native_exp2", NATIVE_EXP2, 1)                                              \
	X(NATIVE_EXP10, "native_exp10", NATIVE_EXP2, 1)                                            \
	X(NATIVE_LOG, "native_log", NATIVE_LOG, 1)                                                 \
	X(NATIVE_LOG2, "native_log2", NATIVE_LOG2, 1)                                              \
	X(NATIVE_LOG10, "native_log10", NATIVE_LOG, 1)                                             \
	X(NATIVE_POWR, "native_powr", NATIVE_POW, 1)                                               \
	X(NATIVE_SIN, "native_sin", NATIVE_SIN, 1)                                                 \
	X(NATIVE_COS, "native_cos", NATIVE_SIN, 1)                                                 \
	X(NATIVE_TAN, "native_tan", NATIVE_TAN, 1)                                                 \
	X(HALF_DIVIDE, "half_divide", NATIVE_DIV, 1)                                               \
	X(HALF_RECIP, "half_recip", NATIVE_DIV, 1)                                                 \
	X(HALF_SQRT, "half_sqrt", NATIVE_SQRT, 1)                                                  \
	X(HALF_RSQRT, "half_rsqrt", RSQRT, 1)                                                      \
	X(HALF_EXP, "half_exp", NATIVE_EXP, 1)                                                     \
	X(HALF_EXP2, "half_exp2", NATIVE_EXP2, 1)                                                  \
	X(HALF_EXP10, "half_exp10", NATIVE_EXP2, 1)                                                \
	X(HALF_LOG, "half_log", NATIVE_LOG, 1)                                                     \
	X(HALF_LOG2, "half_log2", NATIVE_LOG2, 1)                                                  \
	X(HALF_LOG10, "half_log10", NATIVE_LOG, 1)                                                 \
	X(HALF_POWR, "half_powr", NATIVE_POW, 1)                                                   \
	X(HALF_SIN, "half_sin", HALF_SIN, 1)                                                       \
	X(HALF_COS, "half_cos", HALF_SIN, 1)                                                       \
	X(FMIN, "fmin", FMINMAX, 1)                                                                \
	X(FMAX, "fmax", FMINMAX, 1)                                                                \
	X(HALF_TAN, "half_tan", NATIVE_TAN, 1)                                                     \
	X(SHUFFLE, "shuffle", SELECT, 1)                                                           \
	X(SHUFFLE2, "shuffle2", SELECT, 2)                                                         \
	X(SUB_GROUP_SHUFFLE, "sub_group_shuffle", ODD, 1) /* any exchange within a sub-group */    \
	X(BYTE_SWAP, "byte_swap", BIT, 3)                                                          \
	X(SINCOS_SIN, "sincos.sin", SINCOS, 1) /* what sincos returns, and what it stores */       \
	X(SINCOS_COS, "sincos.cos", SINCOS, 1)

enum builtin {
#define X(name, word, class, operations) BUILTIN_##name,
	BUILTIN_TABLE(X)
#undef X
	        BUILTIN_COUNT
};

/* Rows of the tables. Arguments must be in range. Static storage. */
const char *op_class_name(enum op_class op_class);
const char *node_op_name(enum node_op op);
int node_op_operands(enum node_op op);
enum op_class node_op_class(enum node_op op); /* NODE_CALL: OP_CLASS_NONE, ask builtin_class */
const char *builtin_name(enum builtin builtin);
enum op_class builtin_class(enum builtin builtin);

/* The same of a GPU's compiler, whose lengths of vectors are scaled first, as hypot's are. */
enum op_class builtin_lockstep_class(enum builtin builtin);
unsigned builtin_operations(enum builtin builtin);

/* The built-in of that name, or -1. */
int builtin_find(const char *name);

/* + - * & | ^: of integers, low bits of the result need no more than as many of the operands. */
bool node_op_is_modular(enum node_op op);

/* Whether it is a call of a math function, a sequence of operations, that no core has as one. */
bool op_class_is_call(enum op_class op);

#endif
