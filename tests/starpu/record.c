/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance models as StarPU itself writes them, one of each interface and kind:
 * tests/starpu/data was recorded with it.
 *
 *   STARPU_HOME=DIR STARPU_HOSTNAME=node STARPU_SCHED=dmda STARPU_CALIBRATE=1 record
 */
#include <starpu.h>

#include <stdlib.h>
#include <unistd.h>

enum { TASKS = 14, HANDLES = 5, MODELS = 9 };

static void work(void *buffers[], void *argument)
{
	(void)buffers;
	(void)argument;
	usleep(50);
}

/* Larger vectors take longer, for a regression. */
static void vector_work(void *buffers[], void *argument)
{
	(void)argument;
	usleep(100 + STARPU_VECTOR_GET_NX(buffers[0]) / 50);
}

static size_t size_base(struct starpu_task *task, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return 12345;
}

static struct model {
	const char *symbol;
	int handles[3], count; /* of the task */
	enum starpu_perfmodel_type type;
	struct starpu_perfmodel model;
	struct starpu_codelet codelet;
} models[MODELS] = {
        {.symbol = "vector", .handles = {0}, .count = 1, .type = STARPU_HISTORY_BASED},
        {.symbol = "matrix", .handles = {1}, .count = 1, .type = STARPU_HISTORY_BASED},
        {.symbol = "block", .handles = {2}, .count = 1, .type = STARPU_HISTORY_BASED},
        {.symbol = "csr", .handles = {3}, .count = 1, .type = STARPU_HISTORY_BASED},
        {.symbol = "variable", .handles = {4}, .count = 1, .type = STARPU_HISTORY_BASED},
        {.symbol = "mixed", .handles = {0, 1, 3}, .count = 3, .type = STARPU_HISTORY_BASED},
        {.symbol = "size_base", .handles = {0}, .count = 1, .type = STARPU_HISTORY_BASED},
        {.symbol = "none", .handles = {0}, .count = 0, .type = STARPU_HISTORY_BASED},
        {.symbol = "nl_regression", .handles = {0}, .count = 1, .type = STARPU_NL_REGRESSION_BASED},
};

static void model_init(struct model *one)
{
	one->model.symbol = one->symbol;
	one->model.type = one->type;
	starpu_codelet_init(&one->codelet);
	one->codelet.model = &one->model;
	one->codelet.nbuffers = one->count;
	for (int i = 0; i < one->count; i++)
		one->codelet.modes[i] = STARPU_R;
	one->codelet.cpu_funcs[0] = one->type == STARPU_HISTORY_BASED ? work : vector_work;
	if (one->count == 0) /* a file of two implementations */
		one->codelet.cpu_funcs[1] = work;
	if (one == &models[6])
		one->model.size_base = size_base;
}

static int submit(struct model *one, starpu_data_handle_t *handles)
{
	struct starpu_task *task = starpu_task_create();
	task->cl = &one->codelet;
	for (int i = 0; i < one->count; i++)
		task->handles[i] = handles[one->handles[i]];
	return starpu_task_submit(task);
}

int main(void)
{
	struct starpu_conf conf;
	static float values[1 << 16];
	static uint32_t columns[50], rows[11] = {[10] = 50};
	starpu_data_handle_t handles[HANDLES];
	int status = 0;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = conf.ncuda = 0;
	if (starpu_init(&conf) != 0)
		return 77;
	uintptr_t memory = (uintptr_t)values;
	starpu_vector_data_register(&handles[0], STARPU_MAIN_RAM, memory, 2048, 4);
	/* a leading dimension that is not NX */
	starpu_matrix_data_register(&handles[1], STARPU_MAIN_RAM, memory, 70, 64, 33, 4);
	starpu_block_data_register(&handles[2], STARPU_MAIN_RAM, memory, 10, 100, 10, 9, 8, 4);
	starpu_csr_data_register(&handles[3], STARPU_MAIN_RAM, 50, 10, memory, columns, rows, 0, 4);
	starpu_variable_data_register(&handles[4], STARPU_MAIN_RAM, memory, 12);
	for (int i = 0; i < MODELS; i++) {
		model_init(&models[i]);
		for (int j = 0; j < TASKS * (models[i].count == 0 ? 8 : 1); j++)
			status |= submit(&models[i], handles);
	}
	status |= starpu_task_wait_for_all();
	for (uint32_t size = 64; size <= 1 << 14 && status == 0; size *= 4) {
		starpu_data_handle_t vector;
		starpu_vector_data_register(&vector, STARPU_MAIN_RAM, memory, size, 4);
		for (int j = 0; j < 2 * TASKS; j++)
			status |= submit(&models[MODELS - 1], &vector);
		status |= starpu_task_wait_for_all();
		starpu_data_unregister(vector);
	}
	for (int i = 0; i < HANDLES; i++)
		starpu_data_unregister(handles[i]);
	starpu_shutdown();
	return status == 0 ? 0 : 1;
}
