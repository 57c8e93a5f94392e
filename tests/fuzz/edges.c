/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of edges. Nothing here is instrumented: the compiler's own names of the bounds would
 * clash. */
#include "tests/fuzz/edges.h"

extern uint8_t __start___sancov_cntrs[] __attribute__((weak));
extern uint8_t __stop___sancov_cntrs[] __attribute__((weak));

#if defined(__clang__)
__attribute__((no_sanitize("coverage", "address", "undefined")))
#endif
size_t
edges_find(uint8_t **first)
{
	*first = __start___sancov_cntrs;
	return (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);
}
