/* SPDX-License-Identifier: Apache-2.0 */
/* One compiler for each kind of machine, chosen once. */
#include "model/codegen/codegen.h"
#include "model/mechanisms.h"

#include <stdlib.h>

static enum status gpu_generate(struct machine *m, struct error *error)
{
	enum status status = find_private(m, error);

	if (status != STATUS_OK || !mechanism(MECHANISM_KEPT_LOADS))
		return status;
	status = find_repeats(m, error);
	if (status == STATUS_OK)
		find_spills(m);
	return status;
}

enum status code_generate(struct machine *m, struct error *error)
{
	static enum status (*const compilers[])(struct machine *, struct error *) = {
	        [PROCESSOR_CPU] = cpu_shape,
	        [PROCESSOR_GPU] = gpu_generate,
	};

	return compilers[m->processor->kind](m, error);
}

void code_deinit(struct code *code)
{
	free(code->is_refused);
	free(code->is_gathered);
	free(code->is_single);
	free(code->is_shifted);
	free(code->is_common);
	free(code->is_same);
	free(code->is_masked);
	free(code->groups);
	free(code->is_unstreamed);
	free(code->predicated);
	free(code->lanes);
	free(code->is_once);
	free(code->shared);
	free(code->is_part);
	free(code->is_added);
	free(code->wrong_guesses);
	free(code->is_branch);
	free(code->is_kept);
	free(code->in_memory);
	free(code->repeats);
	free(code->is_promoted);
}
