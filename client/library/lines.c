/* SPDX-License-Identifier: Apache-2.0 */
/* What lines of a source add: one question, whose reply is kept for its texts. */
#include "client/predictd_lines.h"

#include <stdlib.h>

#include "client/library/batch.h"

/* What stands before the public structure. */
struct lines_block {
	Predictd__Response *response;
	predictd_status status;
	predictd_lines lines;
};

/* From a reply to the block; the status is the answer's, and its sentence is kept. */
static predictd_status block_fill(struct lines_block *block, const Predictd__Prediction *from,
                                  const Predictd__Error *error)
{
	static const char *const limits[] = {"nothing", "work-groups of the launch", "group size",
	                                     "registers", "local memory"};
	if (from == NULL) {
		const char *text;
		predictd_status status = answer_failure(error, &text);
		return error_keep(status, "%s", text);
	}
	predictd_line *lines = calloc(from->n_lines + 1, sizeof *lines);
	if (lines == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu lines", from->n_lines);
	for (size_t i = 0; i < from->n_lines; i++)
		lines[i] = (predictd_line){
		        .file = from->lines[i]->file,
		        .line = from->lines[i]->line,
		        .time_s = from->lines[i]->time_s,
		        .bottleneck = bottleneck_from_wire(from->lines[i]->bottleneck),
		};
	const Predictd__Occupancy *occupancy = from->occupancy;
	block->lines = (predictd_lines){
	        .occupancy.limit = "nothing",
	        .count = from->n_lines,
	        .lines = lines,
	        .kernel_time_s = from->kernel_time_s,
	        .rest_s = from->lines_rest_s,
	        .elsewhere_s = from->lines_elsewhere_s,
	};
	if (occupancy != NULL)
		block->lines.occupancy = (predictd_occupancy){
		        .share = occupancy->share,
		        .groups = occupancy->groups,
		        .limit = occupancy->limit < sizeof limits / sizeof *limits
		                         ? limits[occupancy->limit]
		                         : "unknown",
		        .registers = occupancy->registers,
		        .local_bytes = occupancy->local_bytes,
		        .multiple = occupancy->multiple,
		};
	return PREDICTD_OK;
}

static void block_clear(struct lines_block *block)
{
	free((void *)block->lines.lines);
	block->lines = (predictd_lines){0};
	if (block->response != NULL)
		predictd__response__free_unpacked(block->response, NULL);
	block->response = NULL;
}

static predictd_status block_ask(void *context, struct ask *ask, const struct batch *batch,
                                 bool again)
{
	struct lines_block *block = context;
	const Predictd__Error *error;
	block_clear(block);
	predictd_status status = batch_ask(ask, batch, again, &block->response);
	if (status != PREDICTD_OK)
		return status;
	const Predictd__Prediction *prediction = batch_answer(batch, &block->response, 0, &error);
	block->status = block_fill(block, prediction, error);
	return PREDICTD_OK;
}

static predictd_status status_of(const void *answer)
{
	const struct lines_block *block = answer;
	return block->status;
}

predictd_status predictd_explain_lines(predictd_connection *connection,
                                       const predictd_question *question, predictd_lines **lines)
{
	error_clear();
	predictd_status status = question_check(question);
	if (status != PREDICTD_OK)
		return status;
	struct lines_block *block = calloc(1, sizeof *block);
	if (block == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for lines");
	const predictd_question *questions[1] = {question};
	void *answers[1] = {block};
	struct batch batch = {.questions = questions,
	                      .answers = answers,
	                      .count = 1,
	                      .chunk = 1,
	                      .with_lines = true};
	struct ask ask = ask_new(connection);
	status = batch_ask_known(&ask, &batch, block_ask, status_of, block);
	ask_end(&ask);
	if (status == PREDICTD_OK)
		status = block->status;
	if (status != PREDICTD_OK)
		predictd_lines_free(&block->lines);
	else
		*lines = &block->lines;
	return status;
}

void predictd_lines_free(predictd_lines *lines)
{
	if (lines == NULL)
		return;
	struct lines_block *block =
	        (struct lines_block *)((char *)lines - offsetof(struct lines_block, lines));
	block_clear(block);
	free(block);
}
