/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of one operation as OpenCL C. */
#include "daemon/calibrator/op_source.h"

#include <stdbool.h>
#include <string.h>

#define INT    (1u << TYPE_CLASS_INT)
#define LONG   (1u << TYPE_CLASS_LONG)
#define HALF   (1u << TYPE_CLASS_HALF)
#define FLOAT  (1u << TYPE_CLASS_FLOAT)
#define DOUBLE (1u << TYPE_CLASS_DOUBLE)
#define REAL   (HALF | FLOAT | DOUBLE)
#define WHOLE  (INT | LONG)
#define NONE   OP_CLASS_NONE

/*
 * Integers: x += y; y += x cannot be folded, since each value is used twice;
 * x * y * y could become x * (y * y). Divisors are odd by | 1, so never zero.
 * Reals: values stay normal, and small enough for short range reductions.
 */
const struct op_chain op_chains[] = {
        {OP_CLASS_ADD, NONE, REAL, 1, 0, 0, 0, 32, 0, "x = x + y;", 1.25, 0, 0},
        {OP_CLASS_ADD, NONE, WHOLE, 2, 0, 0, 0, 16, 0, "x += y; y += x;", 3, 0, 0},
        {OP_CLASS_MUL, NONE, REAL, 1, 0, 0, 0, 32, 0, "x = x * y;", 1.0009765625, 0, 0},
        {OP_CLASS_MUL, NONE, WHOLE, 2, 0, 0, 0, 16, 0, "x *= y; y *= x;", 3, 0, 0},
        {OP_CLASS_FMA, NONE, REAL, 1, 0, 0, 0, 32, 0, "x = fma(x, y, z);", 0.5, 1.5, 0},
        {OP_CLASS_FMA, NONE, INT, 2, 0, 0, 0, 16, 1, "x = mad24(x, y, z); y = mad24(y, x, z);", 77,
         3, 0},
        /* one of each, that wait for themselves alone: what goes beside what */
        {NONE, NONE, FLOAT, 2, 0, 0, 0, 16, 0, "x = x + y; y = y * z;", 1.25, 1.0009765625, 0},
        {OP_CLASS_DIV, NONE, REAL, 1, 0, 0, 0, 16, 0, "x = y / x;", 1.75, 0, 0},
        {OP_CLASS_DIV, NONE, WHOLE, 1, 0, 0, 1, 8, 0, "x = y / (x | 1);", 2000000011, 0, 0},
        {OP_CLASS_MOD, NONE, WHOLE, 1, 1, 0, 1, 8, 0, "x = y % (x | 1) + z;", 2000000011, 12345, 0},
        /* either operand has more than 32 bits, and compilers ask whether it does */
        {OP_CLASS_WIDE_DIV, NONE, LONG, 1, 0, 0, 1, 8, 1, "x = y / (x | 0x100000001);", 4e18, 0, 0},
        {OP_CLASS_WIDE_MOD, NONE, LONG, 1, 1, 0, 1, 8, 1, "x = y % (x | 0x100000001) + z;", 4e18,
         12345, 0},
        {OP_CLASS_BIT, NONE, WHOLE, 4, 0, 0, 0, 8, 0, "x = (x << 3) ^ y; y = (y >> 5) | x;", 77, 0,
         0},
        {OP_CLASS_SELECT, OP_CLASS_COMPARE, REAL | WHOLE, 4, 0, 0, 0, 8, 0,
         "y = x < y ? z : x; x = y < x ? w : y;", 5, 3, 9},
        /* between int and float, float and double, long and float: there and back */
        {OP_CLASS_CONVERT, NONE, HALF | FLOAT, 2, 1, 0, 0, 8, 1, "x = (T)(int)x + y;", 1.25, 0, 0},
        {OP_CLASS_CONVERT, NONE, DOUBLE, 2, 1, 0, 0, 8, 1, "x = (T)(float)x + y;", 1.25, 0, 0},
        {OP_CLASS_CONVERT, NONE, LONG, 2, 1, 0, 0, 8, 1, "x = (long)(float)x + y;", 123456789, 0,
         0},
        {OP_CLASS_MINMAX, NONE, REAL, 1, 1, 0, 0, 16, 1, "x = max(x, y) + z;", 5, -0.25, 0},
        {OP_CLASS_FMINMAX, NONE, REAL, 1, 1, 0, 0, 8, 1, "x = fmax(x, y) + z;", 5, -0.25, 0},
        {OP_CLASS_MINMAX, NONE, WHOLE, 1, 1, 0, 0, 16, 1, "x = max(x, y) - z;", 5, 3, 0},
        {OP_CLASS_SQRT, NONE, REAL, 1, 1, 0, 0, 16, 1, "x = sqrt(x) + y;", 1.5, 0, 0},
        {OP_CLASS_EXP, NONE, REAL, 1, 1, 0, 0, 4, 1, "x = exp(y - x);", 0.75, 0, 0},
        {OP_CLASS_SIN, NONE, REAL, 1, 1, 0, 0, 4, 1, "x = sin(x) + y;", 0.75, 0, 0},
        {OP_CLASS_LOG, NONE, REAL, 1, 1, 0, 0, 4, 1, "x = log(x) + y;", 3.5, 0, 0},
        {OP_CLASS_POW, NONE, REAL, 1, 1, 0, 0, 4, 1, "x = pow(x, y) + z;", 0.97, 0.25, 0},
        {OP_CLASS_ROUND, NONE, REAL, 1, 1, 0, 0, 8, 1, "x = floor(x) + y;", 1.25, 0, 0},
        {OP_CLASS_RSQRT, NONE, REAL, 1, 1, 0, 0, 8, 1, "x = rsqrt(x) + y;", 0.5, 0, 0},
        {OP_CLASS_NATIVE_EXP, NONE, FLOAT, 1, 1, 0, 0, 4, 2, "x = native_exp(y - x);", 0.75, 0, 0},
        {OP_CLASS_NATIVE_SIN, NONE, FLOAT, 1, 1, 0, 0, 4, 2, "x = native_sin(x) + y;", 0.75, 0, 0},
        {OP_CLASS_NATIVE_DIV, NONE, FLOAT, 1, 1, 0, 0, 8, 2, "x = native_divide(y, x) + z;", 1.75,
         0.5, 0},
        {OP_CLASS_NATIVE_SQRT, NONE, FLOAT, 1, 1, 0, 0, 8, 2, "x = native_sqrt(x) + y;", 1.5, 0, 0},
        {OP_CLASS_NATIVE_LOG, NONE, FLOAT, 1, 1, 0, 0, 4, 2, "x = native_log(x) + y;", 3.5, 0, 0},
        {OP_CLASS_MUL_HI, NONE, WHOLE, 1, 1, 0, 0, 8, 1, "x = mul_hi(x, y) + z;", 2000000011, 12345,
         0},
        {OP_CLASS_POPCOUNT, NONE, WHOLE, 1, 1, 0, 0, 8, 1, "x = popcount(x) + y;", 2000000011, 0,
         0},
        {OP_CLASS_CLZ, NONE, WHOLE, 1, 1, 0, 0, 8, 1, "x = clz(x) + y;", 2000000011, 0, 0},
        {OP_CLASS_ATAN, NONE, REAL, 1, 1, 0, 0, 4, 2, "x = atan(x) + y;", 0.75, 0, 0},
        {OP_CLASS_TAN, NONE, REAL, 1, 1, 1, 0, 4, 2, "x = tan(x) * y + z;", 0.25, 0.25, 0},
        {OP_CLASS_HYPER, NONE, REAL, 1, 1, 0, 0, 4, 2, "x = tanh(x) + y;", 0.75, 0, 0},
        {OP_CLASS_FMOD, NONE, REAL, 1, 1, 0, 0, 4, 2, "x = fmod(y, x) + z;", 97.5, 1.25, 0},
        {OP_CLASS_LDEXP, NONE, REAL, 1, 0, 1, 0, 8, 2, "x = ldexp(x, n) * y;", 0.5, 0, 0},
        {OP_CLASS_NATIVE_POW, NONE, FLOAT, 1, 1, 0, 0, 4, 2, "x = native_powr(x, y) + z;", 0.97,
         0.25, 0},
        {OP_CLASS_NATIVE_TAN, NONE, FLOAT, 1, 1, 1, 0, 4, 2, "x = native_tan(x) * y + z;", 0.25,
         0.25, 0},
        {OP_CLASS_HYPOT, NONE, REAL, 1, 1, 0, 0, 4, 1, "x = hypot(x, y) - z;", 1.75, 0.75, 0},
        {OP_CLASS_GAMMA, NONE, REAL, 1, 1, 0, 0, 2, 2, "x = erf(x) + y;", 0.75, 0, 0},
        {OP_CLASS_ATAN2, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = atan2(x, y) + z;", 0.75, 1.25, 0},
        {OP_CLASS_SINCOS, NONE, REAL, 2, 2, 0, 0, 4, 3, "T c; x = sincos(x, &c) + y; x += c;", 0.75,
         0, 0},
        {OP_CLASS_EXP2, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = exp2(y - x);", 0.75, 0, 0},
        {OP_CLASS_LOG2, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = log2(x) + y;", 3.5, 0, 0},
        /* of both sides of a half, and none beyond 1, in the loop's last chain either */
        {OP_CLASS_ASIN, NONE, REAL, 1, 0, 1, 0, 4, 3, "x = asin(x * y);", 0.125, 0.5, 0},
        {OP_CLASS_CBRT, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = cbrt(x) + y;", 0.75, 0, 0},
        {OP_CLASS_SINH, NONE, REAL, 1, 1, 1, 0, 4, 3, "x = sinh(x) * y + z;", 0.25, 0.25, 0},
        {OP_CLASS_ERFC, NONE, REAL, 1, 1, 0, 0, 2, 3, "x = erfc(x) + y;", 0.75, 0, 0},
        {OP_CLASS_EXP10, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = exp10(y - x);", 0.75, 0, 0},
        {OP_CLASS_EXPM1, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = expm1(y - x);", 0.75, 0, 0},
        {OP_CLASS_LOG1P, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = log1p(x) + y;", 3.5, 0, 0},
        {OP_CLASS_SINPI, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = sinpi(x) + y;", 0.75, 0, 0},
        {OP_CLASS_ASINH, NONE, REAL, 1, 1, 0, 0, 4, 3, "x = asinh(x) + y;", 0.75, 0, 0},
        {OP_CLASS_LGAMMA, NONE, REAL, 1, 1, 0, 0, 2, 3, "x = lgamma(x) + y;", 2.75, 0, 0},
        {OP_CLASS_TGAMMA, NONE, REAL, 1, 1, 1, 0, 2, 3, "x = tgamma(x) * y + z;", 0.1, 0.5, 0},
        {OP_CLASS_NATIVE_EXP2, NONE, FLOAT, 1, 1, 0, 0, 4, 3, "x = native_exp2(y - x);", 0.75, 0,
         0},
        {OP_CLASS_NATIVE_LOG2, NONE, FLOAT, 1, 1, 0, 0, 4, 3, "x = native_log2(x) + y;", 3.5, 0, 0},
        {OP_CLASS_HALF_SIN, NONE, FLOAT, 1, 1, 0, 0, 4, 3, "x = half_sin(x) + y;", 0.75, 0, 0},
};

const size_t op_chain_count = sizeof op_chains / sizeof *op_chains;

int op_chain_has(const struct op_chain *chain, enum type_class type)
{
	return (chain->types >> type & 1u) != 0;
}

bool op_chain_takes(const struct op_chain *chain, enum type_class type, unsigned low, unsigned high,
                    bool is_gpu)
{
	return op_chain_has(chain, type) && chain->rank >= low && chain->rank <= high &&
	       (chain->op != NONE || !is_gpu);
}

/* OpenCL's name of the class's type: uint for int, ... */
static const char *op_type_name(const struct op_chain *chain, enum type_class type)
{
	/* arithmetic that wraps is unsigned; a division or a comparison is mostly signed */
	int is_signed =
	        chain != NULL && (chain->op == OP_CLASS_DIV || chain->op == OP_CLASS_MOD ||
	                          chain->op == OP_CLASS_SELECT || chain->op == OP_CLASS_CONVERT ||
	                          chain->op == OP_CLASS_MINMAX);
	switch (type) {
	case TYPE_CLASS_INT:
		return is_signed ? "int" : "uint";
	case TYPE_CLASS_LONG:
		return is_signed ? "long" : "ulong";
	default:
		return type_class_name(type);
	}
}

static void write_extension(FILE *to, enum type_class type)
{
	if (type == TYPE_CLASS_DOUBLE)
		(void)fputs("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n", to);
	if (type == TYPE_CLASS_HALF)
		(void)fputs("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n", to);
}

/* As in kernels/launch.cl; ON_CPU and UNITS are build options. */
static const char place[] =
        "(ON_CPU ? (get_group_id(1) * get_num_groups(0) + get_group_id(0)) >>\n"
        "\t            (get_num_groups(0) * get_num_groups(1) < 256 * UNITS ? 1 : 6)\n"
        "\t          : get_group_id(0)) % 1021 * get_local_size(0) + get_local_id(0)";

void op_source_vector(FILE *to, size_t index, enum type_class type, unsigned steps)
{
	const struct op_chain *chain = &op_chains[index];
	write_extension(to, type);
	(void)fprintf(to,
	              "#define T %s\n"
	              "kernel void v%zu_%u_%s(global T *out, T y, T z, T w, int n)\n"
	              "{\n"
	              "\tT x = (T)(get_local_id(0) & 15) / (T)4 + (T)1 + z;\n",
	              op_type_name(chain, type), index, steps, type_class_name(type));
	for (unsigned i = 0; i < steps; i++)
		(void)fprintf(to, "\t%s\n", chain->step);
	(void)fprintf(to, "\tout[%s] = x;\n}\n#undef T\n", place);
}

enum { LOOP_STEPS = 12, CALL_STEPS = 4 /* no more, straight on: a call */ };

unsigned op_straight_steps(const struct op_chain *chain)
{
	return chain->steps > CALL_STEPS ? chain->steps / 2 : 1;
}

static bool is_packed(enum op_class op)
{
	switch (op) {
	case OP_CLASS_DIV:
	case OP_CLASS_CONVERT:
	case OP_CLASS_MINMAX:
	case OP_CLASS_FMINMAX:
	case OP_CLASS_ROUND:
	case OP_CLASS_SQRT:
	case OP_CLASS_RSQRT:
	case OP_CLASS_NATIVE_DIV:
	case OP_CLASS_NATIVE_SQRT:
		return true;
	default:
		return false;
	}
}

static bool moves_y(const struct op_chain *chain)
{
	return strstr(chain->step, "y =") != NULL || strstr(chain->step, "y +=") != NULL ||
	       strstr(chain->step, "y *=") != NULL;
}

/*
 * As many chains as registers hold, a divisor of LOOP_STEPS. What is slow as a scalar
 * a compiler packs all the same: three floats fill no vector, doubles go alone. On a CPU
 * such a chain is short, so that it overlaps with those of the work-items behind, as where a
 * kernel does it once: of a few instructions some, so that they are longer than the loop, and of
 * many no more than one. Nor are there several chains of calls: LLVM packs four of what PoCL has as
 * straight code, exp and tanh, whatever changes places.
 */
struct op_loop op_loop_of(const struct op_chain *chain, enum type_class type, bool is_gpu)
{
	struct op_loop loop = {.steps = LOOP_STEPS, .trips = 4, .fewer = 1};

	loop.chains = type >= TYPE_CLASS_HALF && !moves_y(chain) ? 6 : 4;
	if (is_packed(chain->op) && type >= TYPE_CLASS_HALF)
		loop.chains = is_gpu && type != TYPE_CLASS_DOUBLE ? 3 : 1;
	if (is_gpu || type < TYPE_CLASS_HALF)
		return loop;
	if (chain->steps <= CALL_STEPS || chain->op == OP_CLASS_ROUND)
		return (struct op_loop){.chains = 1, .steps = 1, .trips = 1, .fewer = 0};
	if (loop.chains == 1)
		return (struct op_loop){.chains = 1, .steps = 2, .trips = 2, .fewer = 1};
	return loop;
}

/*
 * The loop over several chains, so that throughput shows and not latency. After
 * each step the chains change places: lanes of one work-item that a compiler
 * would pack into a vector have to be independent and alike, and these are not.
 */
static void write_loop(FILE *to, const struct op_chain *chain, enum type_class type, bool is_gpu)
{
	bool has_y = moves_y(chain);
	struct op_loop loop = op_loop_of(chain, type, is_gpu);
	unsigned chains = loop.chains;

	(void)fprintf(to, "\t\t\tT x = X, y = Y, z = Z, w = W;\n");
	for (unsigned k = 0; k < chains; k++)
		(void)fprintf(to, "\t\t\tT x%u = X + (T)%u, y%u = Y;\n", k, k / 2, k);
	(void)fprintf(to, "\t\t\tfor (int i = 0; i < trips; i++) {\n");
	for (unsigned round = 0; round < loop.steps / chains; round++) {
		(void)fprintf(to, "\t\t\t\tT first%u = x0;\n", round);
		for (unsigned k = 0; k < chains; k++) {
			if (k + 1 < chains)
				(void)fprintf(to, "\t\t\t\t{ T x = x%u;", k + 1);
			else
				(void)fprintf(to, "\t\t\t\t{ T x = first%u;", round);
			if (has_y)
				(void)fprintf(to, " T y = y%u; %s y%u = y;", k, chain->step, k);
			else
				(void)fprintf(to, " %s", chain->step);
			(void)fprintf(to, " x%u = x; }\n", k);
		}
	}
	(void)fprintf(to, "\t\t\t}\n");
	for (unsigned k = 0; k < chains; k++)
		(void)fprintf(to, "\t\t\tx += x%u + y%u;\n", k, k);
	(void)fprintf(to, "\t\t\tX = x;\n");
}

void op_source_loop(FILE *to, enum type_class type, unsigned low, unsigned high, bool is_gpu)
{
	write_extension(to, type);
	(void)fprintf(
	        to,
	        "#define T %s\n"
	        "kernel void s_%s(global T *out, T y, T z, T w, int n, int which, int trips)\n"
	        "{\n"
	        "\tT x = (T)(get_local_id(0) & 15) / (T)4 + (T)1 + z;\n"
	        "\tswitch (which) {\n",
	        op_type_name(NULL, type), type_class_name(type));
	for (size_t i = 0; i < op_chain_count; i++) {
		const struct op_chain *chain = &op_chains[i];
		if (!op_chain_takes(chain, type, low, high, is_gpu))
			continue;
		/* a chain of another signedness runs on variables of its own */
		(void)fprintf(to,
		              "\tcase %zu: {\n"
		              "#undef T\n"
		              "#define T %s\n"
		              "\t\tT X = (T)x, Y = (T)y, Z = (T)z, W = (T)w;\n"
		              "\t\t{\n",
		              i, op_type_name(chain, type));
		write_loop(to, chain, type, is_gpu);
		(void)fprintf(to,
		              "\t\t}\n"
		              "#undef T\n"
		              "#define T %s\n"
		              "\t\tx = (T)X;\n"
		              "\t} break;\n",
		              op_type_name(NULL, type));
	}
	(void)fprintf(to, "\t}\n\tout[%s] = x;\n}\n#undef T\n", place);
}
