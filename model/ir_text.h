/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form of the kernel IR: what `--explain=ir` prints and tests compare.
 *
 * One line a statement, two spaces deeper per block; values are written as
 * nested expressions, and a value used more than once gets a name when first
 * needed (`%7 = ...`) in front of the statement that needs it.
 *
 *   kernel     = "kernel" NAME "(" [ argument { "," argument } ] ")" NEWLINE { object } { statement
 * } argument   = ("buffer" | "scalar" | "local" | "struct" | "image" | "sampler") TYPE NAME object
 * = "array" SPACE TYPE NAME BYTES NEWLINE statement  = value-line | load | store | atomic | loop |
 * branch | scope | exit | next | barrier | effect value-line = "%" NUMBER "=" TYPE expression
 * NEWLINE load       = "%" NUMBER "=" TYPE "load" place NEWLINE store      = "store" TYPE place "="
 * expression NEWLINE atomic     = "%" NUMBER "=" TYPE "atomic" place "," expression NEWLINE place
 * = NAME "[" expression [ "*" BYTES ] [ "+" BYTES ] "]" loop       = "loop" [ "do" ] "while"
 * expression [ "unroll" COUNT ] ":" NEWLINE { variable } body variable   = "%" NUMBER "=" TYPE
 * "var" expression "then" expression NEWLINE branch     = "if" expression ":" NEWLINE body [
 * "else:" NEWLINE body ] scope      = "scope" "@" STATEMENT ":" NEWLINE body exit       = "exit" [
 * "@" STATEMENT ] NEWLINE          (without: the kernel ends) next       = "next" "@" STATEMENT
 * NEWLINE expression = CONSTANT | "%" NUMBER | NAME | OP "(" [ expression { "," expression } ] ")"
 *
 * NUMBERs are dense, in order of appearance, so that the text does not depend
 * on how the graph was built. OP is the word of model/ops.h, or the built-in's name.
 */
#ifndef PREDICTD_MODEL_IR_TEXT_H
#define PREDICTD_MODEL_IR_TEXT_H

#include "model/ir.h"

/*
 * The text of a sealed kernel. *text is the caller's, to free(); at most
 * `bytes_max` bytes, then it ends in a line "...".
 */
enum status kernel_format(const struct ir_kernel *kernel, size_t bytes_max, char **text,
                          struct error *error);

#endif
