/* SPDX-License-Identifier: Apache-2.0 */
/* The calibrator's own main() on a simulated device: SIMULATED_ODD says which. */
#include <stdlib.h>

#include "tests/unit/calibrator/simulated.h"

__attribute__((constructor)) static void begin(void)
{
	const char *odd = getenv("SIMULATED_ODD");
	simulated_begin(&(struct simulated){
	        .is_gpu = getenv("SIMULATED_CPU") == NULL,
	        .odd = odd != NULL ? (enum simulated_odd)strtoul(odd, NULL, 10) : ODD_NOTHING});
}
