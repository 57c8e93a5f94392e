/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form of the kernel IR: what `--explain=ir` prints and tests compare.
 *
 * One line a statement, two spaces deeper per block; values are written as
 * nested expressions, and a value used more than once (or nested too deep) gets
 * a name when first needed (`%7 = ...`), in front of the statement that needs it.
 * Lines stand in the order in which a work-item meets them: a loop's
 * condition follows its variables, or its body where it tests last; what the next
 * iteration sees stands at the end of the body.
 *
 *   kernel      = "kernel" NAME "(" [ argument { "," argument } ] ")" NEWLINE
 *                 { array } [ "unsupported" { NAME } NEWLINE ] [ "unknown" { NAME } NEWLINE ]
 *                 { statement }
 *   argument    = ("buffer" | "scalar" | "local" | "struct" | "sampler") TYPE NAME
 *               | "image" KIND NAME               (KIND: 1d, 2d_array, ... of model/ir/image.h)
 *   array       = "array" SPACE TYPE NAME BYTES NEWLINE
 *   statement   = value | load | store | atomic | loop | branch | scope | exit | next
 *               | "barrier" NEWLINE | "effect" [ expression ] NEWLINE | "unknown" COUNT NEWLINE
 *   value       = "%" NUMBER "=" TYPE expression NEWLINE
 *   load        = "%" NUMBER "=" TYPE "load" [ "packed" ] place NEWLINE
 *   store       = "store" TYPE [ "packed" ] place "=" expression NEWLINE
 *   atomic      = "%" NUMBER "=" TYPE ( "atomic" | "exchange" ) place [ "," expression ]
 *                 NEWLINE
 *   place       = NAME "[" ( "0" | expression [ "*" BYTES ] ) [ ("+" | "-") BYTES ] "]"
 *   loop        = "loop" [ LABEL ] [ "unroll" [ COUNT ] ] ":" NEWLINE { variable }
 *                 ( while { statement } | { statement } while ) { value } { then }
 *   variable    = "%" NUMBER "=" TYPE "var" expression NEWLINE
 *   while       = { value } "while" expression NEWLINE
 *   then        = "then" "%" NUMBER "=" expression NEWLINE
 *   branch      = "if" expression ":" NEWLINE { statement } [ "else:" NEWLINE { statement } ]
 *   scope       = "scope" [ LABEL ] ":" NEWLINE { statement }
 *   exit        = "exit" [ LABEL ] NEWLINE          (without: the kernel ends)
 *   next        = "next" LABEL NEWLINE
 *   expression  = CONSTANT | "%" NUMBER | NAME [ "." BYTES ]
 *               | "image_" ("width" | "height" | "depth" | "type" | "order") "(" NAME ")"
 *               | OP "(" [ expression { "," expression } ] ")"
 *
 * NUMBERs and LABELs ("@1") are dense, in order of appearance, so that the text does not
 * depend on how the graph was built; what no exit or next names has no label. OP is the
 * word of model/ir/ops.h, or the built-in's name; `convert_TYPE` and `as_TYPE` say their
 * type; lanes of a swizzle or an insertion follow the operands, as constants. NAME "." BYTES
 * is a member of a struct argument. The place in an image is a `texel` of its coordinates
 * and, where it is read through one, its sampler.
 */
#ifndef PREDICTD_MODEL_IR_TEXT_H
#define PREDICTD_MODEL_IR_TEXT_H

#include "model/ir/ir.h"

/*
 * The text of a sealed kernel. *text is the caller's, to free(); at most
 * `bytes_max` bytes, then it ends in a line "...".
 */
enum status kernel_format(const struct ir_kernel *kernel, size_t bytes_max, char **text,
                          struct error *error);

#endif
