/* SPDX-License-Identifier: Apache-2.0 */
/* What the front-end's tests share: analyse a string, count in its IR. */
#ifndef PREDICTD_TESTS_FRONTEND_ANALYSIS_H
#define PREDICTD_TESTS_FRONTEND_ANALYSIS_H

#include "model/frontend/frontend.h"

/* The first kernel of a source that must be understood; fails the test otherwise. */
struct ir_kernel *analyse(const char *source, const char *options);

/* The same for one that must not be: `unsupported` has to contain `reason`. */
void assert_unsupported(const char *source, const char *reason);

/* The status of an analysis, its kernels freed. */
enum status analyse_status(const char *source, const char *options, struct error *error);

unsigned count_accesses(const struct ir_kernel *kernel, enum access_kind kind, const char *object);
unsigned count_statements(const struct ir_kernel *kernel, enum statement_kind kind);
unsigned count_nodes(const struct ir_kernel *kernel, enum node_op op); /* alive ones */
unsigned count_written(const struct ir_kernel *kernel, enum op_class op_class,
                       enum type_class type_class);
unsigned count_written_accesses(const struct ir_kernel *kernel, bool repeated);
const struct ir_access *access_of(const struct ir_kernel *kernel, enum access_kind kind,
                                  const char *object);

/* The text form must contain `part`. */
void assert_text(const struct ir_kernel *kernel, const char *part);
void assert_no_text(const struct ir_kernel *kernel, const char *part);

#endif
