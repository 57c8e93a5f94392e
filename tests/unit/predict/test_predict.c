/* SPDX-License-Identifier: Apache-2.0 */
/* The answer as a whole: terms, bounds, determinism, fallbacks. */
#include "tests/test.h"

#include "model/answer/interval.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct launch vector_launch(uint64_t items, uint64_t group)
{
	struct launch launch = launch_1d(items, group);

	for (unsigned i = 0; i < 3; i++)
		launch_buffer(&launch, items * 4);
	return launch;
}

static void a_large_stream_is_bound_by_memory(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 24, 1024);
	struct prediction p = answer(kernel, device, &launch);

	(void)state;
	/* 128 MB read at 20 GB/s and 64 MB written at half of that */
	assert_close(row_time(&p, "bytes from memory"), (double)(4 << 24) * (2 / 20e9 + 1 / 10e9),
	             0.01);
	assert_int_equal(p.bottleneck, BOTTLENECK_DRAM);
	assert_true(p.low_s < p.kernel_time_s && p.kernel_time_s < p.high_s);
	assert_int_equal(p.epoch, 7);
	kernel_free(kernel);
	free(device);
}

static void the_time_follows_resources_by_their_elasticity(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 20, 1024);
	struct prediction p = answer(kernel, device, &launch), slower;
	struct coefficient *base = &device->coefficient[COEFFICIENT_LAUNCH_BASE];
	double sum = 0;

	(void)state;
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		sum += (double)p.elasticity[i];
	assert_close(sum, 1, 1e-5);
	base->value *= 1.01;
	slower = answer(kernel, device, &launch);
	assert_close(log(slower.kernel_time_s / p.kernel_time_s) / log(1.01),
	             (double)p.elasticity[BOTTLENECK_LAUNCH], 0.02);
	kernel_free(kernel);
	free(device);
}

static void a_small_launch_is_bound_by_the_launch(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(64, 64);
	struct prediction p = answer(kernel, device, &launch);

	(void)state;
	assert_int_equal(p.bottleneck, BOTTLENECK_LAUNCH);
	assert_true(p.kernel_time_s >= 4e-6 && p.kernel_time_s < 6e-6);
	kernel_free(kernel);
	free(device);
}

static void a_launch_ends_when_its_last_stores_have_arrived(void **state)
{
	struct device *device = device_gpu(), *cpu = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add(), *stencil = kernel_stencil();
	struct launch launch = vector_launch(64, 64), large = vector_launch(1 << 24, 1024);
	struct launch grid = launch_2d(1024, 1024, 16, 16);
	struct prediction p = answer(kernel, device, &launch);

	(void)state;
	/* in the second level; the load's way from there is the chain's, since each load misses */
	assert_close(row_time(&p, "reaching memory"), 200e-9, 1e-3);
	p = answer(kernel, device, &large);
	assert_close(row_time(&p, "reaching memory"), 200e-9, 1e-3);
	/* neighbours bring most of what these read, but nobody did so for the first of them */
	launch_buffer(&grid, 4 << 20);
	launch_buffer(&grid, 4 << 20);
	launch_integer(&grid, SCALAR_INT, 1024);
	p = answer(stencil, device, &grid);
	assert_true(row_time(&p, "reaching memory") > 220e-9);
	assert_true(row_time(&p, "reaching memory") < 370e-9);
	p = answer(kernel, cpu, &launch);
	assert_null(row_find(&p, "reaching memory"));
	kernel_free(kernel);
	kernel_free(stencil);
	free(device);
	free(cpu);
}

static void buffers_that_together_exceed_the_memory_are_noted(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 20, 1024);
	struct prediction p;

	(void)state;
	device->global_bytes = 12 << 20;
	p = answer(kernel, device, &launch);
	assert_null(strstr(p.note, "memory"));
	device->global_bytes--;
	p = answer(kernel, device, &launch);
	assert_non_null(strstr(p.note, "buffers of 12582912 bytes in all are over the device's "
	                               "memory of 12582911 bytes"));
	device->global_bytes = 0;
	p = answer(kernel, device, &launch);
	assert_null(strstr(p.note, "memory"));
	kernel_free(kernel);
	free(device);
}

static void a_buffer_that_ends_before_its_accesses_is_warned_of(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add(), *rows = kernel_rows();
	struct launch launch = vector_launch(1 << 20, 256), summed = launch_1d(1 << 20, 256);
	struct prediction p;

	(void)state;
	p = answer(kernel, device, &launch);
	assert_string_equal(p.warning, "");
	launch.arguments[1].size_bytes = 100;
	p = answer(kernel, device, &launch);
	assert_non_null(strstr(p.warning, "argument 1 (b): want at least 4194304 bytes, as line "));
	assert_non_null(strstr(p.warning, " reaches, got 100"));
	assert_null(strchr(p.warning, '\n'));
	/* the last work-item alone */
	launch.arguments[1].size_bytes = (4 << 20) - 1;
	p = answer(kernel, device, &launch);
	assert_non_null(strstr(p.warning, "want at least 4194304 bytes, "));
	launch.arguments[0].size_bytes = 7;
	p = answer(kernel, device, &launch);
	assert_non_null(strstr(p.warning, "got 7\nargument 1 (b): want "));
	/* how many of the rows' columns there are, data decide */
	for (unsigned i = 0; i < 3; i++)
		launch_buffer(&summed, 100);
	p = answer(rows, device, &summed);
	assert_true(p.is_data_dependent);
	assert_string_equal(p.warning, "");
	assert_non_null(strstr(p.doubt, "): want at least 4194308 bytes, as line "));
	assert_non_null(strstr(p.doubt, " reaches where data lead there, got 100"));
	kernel_free(rows);
	kernel_free(kernel);
	free(device);
}

static double width_of(const struct prediction *p)
{
	return log(p->high_s / p->low_s);
}

static double down_of(const struct prediction *p)
{
	return log(p->kernel_time_s / p->low_s);
}

static double up_of(const struct prediction *p)
{
	return log(p->high_s / p->kernel_time_s);
}

static void an_interval_reaches_farther_up_than_down(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch few = vector_launch(64, 64), many = vector_launch(1 << 26, 256);
	struct prediction p = answer(kernel, device, &few), q = answer(kernel, device, &many);

	(void)state;
	assert_true(up_of(&q) > 1.15 * down_of(&q) && up_of(&q) < 1.3 * down_of(&q));
	/* a launch alone takes longer in another process, however well it was calibrated */
	device_set(device, COEFFICIENT_INTERVAL_LAUNCH, 0.01);
	device_set(device, COEFFICIENT_INTERVAL_UNIT, 0.01);
	device_set(device, COEFFICIENT_INTERVAL_SHARED, 0.01);
	p = answer(kernel, device, &few);
	q = answer(kernel, device, &many);
	assert_true(down_of(&p) < 0.05 && up_of(&p) > 0.1 && up_of(&p) < 0.2);
	assert_true(up_of(&q) < 0.05);
	kernel_free(kernel);
	free(device);
}

static void an_interval_widens_with_a_few_blocks_and_not_with_many(void **state)
{
	struct device *device = device_gpu();
	struct prediction one = {.kernel_time_s = 1, .pieces = 1, .elasticity = {0.1F}};
	struct prediction six = one, sixty = one;

	(void)state;
	six.pieces = 6;
	sixty.pieces = 60;
	interval_fill(device, &one);
	interval_fill(device, &six);
	interval_fill(device, &sixty);
	assert_true(width_of(&six) > 1.5 * width_of(&one));
	assert_close(width_of(&sixty), width_of(&six), 1e-6);
	free(device);
}

static void an_interval_is_as_wide_as_what_the_time_follows(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add(), *rows = kernel_rows();
	struct launch few = vector_launch(64, 64), many = vector_launch(1 << 26, 256);
	struct launch one = launch_1d(64, 64), summed = launch_1d(1 << 20, 256);
	struct prediction p = answer(kernel, device, &few), q;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		launch_buffer(&one, 4096);
		launch_buffer(&summed, i == 0 ? 5 << 20 : 64 << 20);
	}
	/* an older calibration knows one width: that of a loop, a straight line is surer */
	q = answer(kernel, device, &many);
	assert_close(down_of(&q), down_of(&p), 1e-3);
	assert_true(width_of(&q) > 1.645 * 0.2 && width_of(&q) < 2 * 1.645 * 0.2);
	/* what rests on data is less sure, by as much as the time hangs on it */
	p = answer(rows, device, &one);
	q = answer(rows, device, &summed);
	assert_true(q.is_data_dependent && width_of(&q) > 1.5 * width_of(&p));
	assert_true(p.is_data_dependent && width_of(&p) < 1.1 * 2 * 1.645 * 0.2);
	/* who is told nothing assumes nothing */
	summed.hints[summed.hint_count++] = (struct launch_hint){.line = 7, .value = 16};
	p = answer(rows, device, &summed);
	assert_true(width_of(&p) < width_of(&q) / 1.4);

	device_set(device, COEFFICIENT_INTERVAL_LAUNCH, 0.05);
	device_set(device, COEFFICIENT_INTERVAL_SHARED, 0.3);
	p = answer(kernel, device, &few);
	q = answer(kernel, device, &many);
	/* nearly all of it is the launch, most of it memory */
	assert_true(width_of(&p) > 1.645 * 0.05 && width_of(&p) < 2 * 1.645 * 0.1);
	assert_true(width_of(&q) > 1.645 * 0.2 && width_of(&q) < 2 * 1.645 * 0.31);
	kernel_free(kernel);
	kernel_free(rows);
	free(device);
}

static void a_branch_by_data_is_doubtful_as_its_sides_differ(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *known = kernel_divergent(), *marked = kernel_marked();
	struct launch two = launch_1d(1 << 22, 256), data = launch_1d(1 << 22, 256);
	struct prediction p, q;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		launch_buffer(&two, 16 << 20);
		launch_buffer(&data, 16 << 20);
	}
	p = answer(known, device, &two);
	q = answer(marked, device, &data);
	assert_true(!(p.assumed_variance > 0) && q.assumed_variance > 0);
	/* half of the accesses at most, and half of the work-items enter */
	assert_true((double)q.assumed_variance < 0.25 * 0.25);
	/* nor does it matter to a launch that does little else than begin */
	data.global[0] = data.local[0];
	p = answer(marked, device, &data);
	assert_true(p.is_data_dependent && p.assumed_variance < q.assumed_variance / 4);
	kernel_free(known);
	kernel_free(marked);
	free(device);
}

static void one_work_group_too_many_takes_another_round(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch even = vector_launch(10 * 1024, 1024), odd = vector_launch(11 * 1024, 1024);
	struct prediction p = answer(kernel, device, &even);
	struct prediction q = answer(kernel, device, &odd);

	(void)state;
	assert_close(row_time(&q, "float add") / row_time(&p, "float add"), 2, 1e-6);
	kernel_free(kernel);
	free(device);
}

static void strides_cost_transactions(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_strided();
	double first = 0, last = 0;

	(void)state;
	for (int64_t stride = 1; stride <= 32; stride *= 2) {
		struct launch launch = launch_1d(1 << 20, 256);
		struct prediction p;

		launch_buffer(&launch, (uint64_t)(4 * stride) << 20);
		launch_buffer(&launch, 4 << 20);
		launch_integer(&launch, SCALAR_INT, stride);
		launch_integer(&launch, SCALAR_INT, 0);
		p = answer(kernel, device, &launch);
		assert_true(p.kernel_time_s >= last * 0.99);
		last = p.kernel_time_s;
		if (stride == 1)
			first = last;
	}
	assert_true(last > 3 * first);
	kernel_free(kernel);
	free(device);
}

static void transfers_go_by_direction_and_on_request(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 20, 256);
	struct prediction_options options = {.with_transfers = true};
	struct prediction p;

	(void)state;
	launch.arguments[0].access = launch.arguments[1].access = BUFFER_READ;
	launch.arguments[2].access = BUFFER_WRITE;
	p = answer(kernel, device, &launch);
	assert_close(p.h2d_time_s, 0, 1e-12);
	p = answer_by(kernel, device, &launch, &options);
	assert_close(p.h2d_time_s, 2 * (10e-6 + (4 << 20) / 10e9), 1e-9);
	assert_close(p.d2h_time_s, 20e-6 + (4 << 20) / 5e9, 1e-9);
	assert_close(p.launch_time_s, 10e-6, 1e-9);
	kernel_free(kernel);
	free(device);
}

static void pinned_transfers_are_their_own_where_they_are_calibrated(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 20, 256);
	struct prediction_options options = {.with_transfers = true, .is_pinned = true};
	struct prediction p;

	(void)state;
	launch.arguments[0].access = launch.arguments[1].access = BUFFER_READ;
	launch.arguments[2].access = BUFFER_WRITE;
	p = answer_by(kernel, device, &launch, &options);
	assert_close(p.d2h_time_s, 20e-6 + (4 << 20) / 5e9, 1e-9);
	assert_non_null(strstr(p.note, "pinned transfers are not calibrated"));
	device->coefficient[COEFFICIENT_PINNED_H2D_LATENCY] =
	        (struct coefficient){5e-6, 0.01, true};
	device->coefficient[COEFFICIENT_PINNED_H2D_BANDWIDTH] = (struct coefficient){25e9, 0, true};
	device->coefficient[COEFFICIENT_PINNED_D2H_LATENCY] = (struct coefficient){6e-6, 0, true};
	device->coefficient[COEFFICIENT_PINNED_D2H_BANDWIDTH] = (struct coefficient){20e9, 0, true};
	p = answer_by(kernel, device, &launch, &options);
	assert_close(p.h2d_time_s, 2 * (5e-6 + (4 << 20) / 25e9), 1e-9);
	assert_close(p.d2h_time_s, 6e-6 + (4 << 20) / 20e9, 1e-9);
	assert_non_null(strstr(p.note, "transfers of pinned memory"));
	options.is_pinned = false;
	p = answer_by(kernel, device, &launch, &options);
	assert_close(p.d2h_time_s, 20e-6 + (4 << 20) / 5e9, 1e-9);
	assert_non_null(strstr(p.note, "transfers of pageable memory"));
	kernel_free(kernel);
	free(device);
}

/* Three buffers of 4 MiB, two of which are sent; a cache of the host may hold them. */
static void data_that_no_cache_holds_are_copied_at_their_own_rate(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 20, 256);
	struct prediction_options options = {.with_transfers = true};
	static const struct {
		double near_bytes, far;
	} cases[] = {{0, 0}, {12 << 20, 0}, {8 << 20, 0.5}, {6 << 20, 1}, {1 << 20, 1}};

	(void)state;
	launch.arguments[0].access = launch.arguments[1].access = BUFFER_READ;
	launch.arguments[2].access = BUFFER_WRITE;
	device->coefficient[COEFFICIENT_H2D_FAR] = (struct coefficient){4e9, 0, true};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		device->coefficient[COEFFICIENT_NEAR_BYTES] =
		        (struct coefficient){cases[i].near_bytes, 0, cases[i].near_bytes > 0};
		struct prediction p = answer_by(kernel, device, &launch, &options);
		double byte_s = (1 - cases[i].far) / 10e9 + cases[i].far / 4e9;
		assert_close(p.h2d_time_s, 2 * (10e-6 + (4 << 20) * byte_s), 1e-9);
		/* of which no other rate is known */
		assert_close(p.d2h_time_s, 20e-6 + (4 << 20) / 5e9, 1e-9);
	}
	kernel_free(kernel);
	free(device);
}

/* Every kernel that the tests have, with arguments that suit it. */
static unsigned corpus(struct ir_kernel *kernels[16], struct launch launches[16])
{
	struct ir_kernel *made[] = {kernel_vector_add(), kernel_strided(), kernel_gather(),
	                            kernel_transpose(),  kernel_stencil(), kernel_matmul(),
	                            kernel_banks(),      kernel_guarded(), kernel_counted(),
	                            kernel_halving(),    kernel_search(),  kernel_chase(),
	                            kernel_divergent(),  kernel_counter(), kernel_sq_mod()};
	unsigned count = sizeof(made) / sizeof(made[0]);

	for (unsigned i = 0; i < count; i++) {
		kernels[i] = made[i];
		launches[i] = launch_2d(256, 256, 32, 4);
		for (uint32_t a = 0; a < made[i]->argument_count; a++) {
			const struct ir_argument *argument = &made[i]->arguments[a];

			if (argument->kind == ARGUMENT_BUFFER)
				launch_buffer(&launches[i], 1 << 20);
			else
				launch_integer(&launches[i], (enum scalar)argument->type.scalar,
				               64);
		}
	}
	return count;
}

static void a_device_of_which_nothing_is_known_gives_finite_answers(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernels[16];
	struct launch launches[16];
	unsigned count = corpus(kernels, launches);

	(void)state;
	memset(device->coefficient, 0, sizeof(device->coefficient));
	for (unsigned i = 0; i < count; i++) {
		for (unsigned model = 0; model < MODEL_COUNT; model++) {
			struct prediction_options options = {.model = (enum kernel_model)model};
			struct prediction p = answer_by(kernels[i], device, &launches[i], &options);

			assert_true(isfinite(p.kernel_time_s) && p.kernel_time_s > 0);
			assert_true(isfinite(p.low_s) && isfinite(p.high_s));
			assert_true(p.low_s <= p.kernel_time_s && p.kernel_time_s <= p.high_s);
			for (uint32_t r = 0; r < p.row_count; r++)
				assert_true(isfinite(p.rows[r].time_s) && p.rows[r].time_s >= 0);
		}
		kernel_free(kernels[i]);
	}
	free(device);
}

static void the_same_question_gives_the_same_bytes(void **state)
{
	struct device *devices[2] = {device_gpu(), device_cpu()};
	struct ir_kernel *kernels[16];
	struct launch launches[16];
	unsigned count = corpus(kernels, launches);

	(void)state;
	for (unsigned i = 0; i < count; i++) {
		for (unsigned d = 0; d < 2; d++) {
			struct prediction p = answer(kernels[i], devices[d], &launches[i]);
			struct prediction q = answer(kernels[i], devices[d], &launches[i]);

			assert_memory_equal(&p, &q, sizeof(p));
		}
		kernel_free(kernels[i]);
	}
	free(devices[0]);
	free(devices[1]);
}

static void a_small_budget_marks_what_it_cuts(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_endless();
	struct launch launch = launch_1d(4096, 64);
	struct prediction_options options = {.budget = 1 << 16};
	struct prediction p;

	(void)state;
	launch_buffer(&launch, 4096);
	launch_integer(&launch, SCALAR_ULONG, 1);
	p = answer_by(kernel, device, &launch, &options);
	assert_true(p.is_capped);
	assert_non_null(strstr(p.note, "line 3"));
	kernel_free(kernel);
	free(device);
}

static void what_was_not_analysed_gets_a_fallback_with_its_reason(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 24, 256);
	struct prediction p, q;

	(void)state;
	q = answer(kernel, device, &launch);
	snprintf(kernel->unsupported, sizeof(kernel->unsupported), "unknown function frob");
	p = answer(kernel, device, &launch);
	assert_int_equal(p.basis, BASIS_FALLBACK);
	assert_int_equal(p.bottleneck, BOTTLENECK_UNKNOWN);
	assert_non_null(strstr(p.note, "unknown function frob"));
	assert_true(p.high_s / p.low_s > q.high_s / q.low_s);
	kernel_free(kernel);
	free(device);
}

static void an_assumed_local_size_stands_in_the_note(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 20, 256);
	struct prediction p;

	(void)state;
	launch.has_local = false;
	memset(launch.local, 0, sizeof(launch.local));
	p = answer(kernel, device, &launch);
	assert_int_equal(p.local[0], 256);
	assert_string_equal(p.note, "assumed local size 256");
	snprintf(kernel->unsupported, sizeof(kernel->unsupported), "goto");
	p = answer(kernel, device, &launch);
	assert_string_equal(p.note, "goto; assumed local size 256");
	kernel_free(kernel);
	free(device);
}

static void a_device_without_calibration_has_no_answer(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = vector_launch(1 << 20, 256);
	struct prediction p = {.kernel_time_s = 42};
	struct error error = {0};

	(void)state;
	device->is_calibrated = false;
	assert_int_equal(predict(kernel, device, &launch, NULL, &p, &error), STATUS_UNCALIBRATED);
	assert_close(p.kernel_time_s, 42, 0);
	kernel_free(kernel);
	free(device);
}

static void names_are_found_again(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MODEL_COUNT; i++)
		assert_int_equal(kernel_model_find(kernel_model_name((enum kernel_model)i)), i);
	assert_int_equal(kernel_model_find("oracle"), -1);
	assert_string_equal(basis_name(BASIS_FALLBACK), "fallback");
	assert_string_equal(bottleneck_name(BOTTLENECK_DRAM), "memory");
	assert_string_equal(pattern_name(PATTERN_COUNT), "unknown");
}

/* A calibration made of other nodes' is as sure as theirs agree; of an own one, its standard errors
 * change nothing. */
static void a_borrowed_calibration_is_as_doubtful_as_nodes_differ(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(4096, 64);
	struct prediction own, borrowed;

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 4 * 4096);
	own = answer(kernel, device, &launch);
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++)
		device->coefficient[i].standard_error = 0.5;
	assert_true(answer(kernel, device, &launch).high_s == own.high_s);
	device->borrowed_nodes = 7;
	borrowed = answer(kernel, device, &launch);
	assert_true(borrowed.kernel_time_s == own.kernel_time_s);
	assert_true(log(borrowed.high_s / borrowed.low_s) > 1.645 * 0.5 * 2);
	assert_true(borrowed.high_s > own.high_s && borrowed.low_s < own.low_s);
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++)
		device->coefficient[i].standard_error = 0;
	assert_true(answer(kernel, device, &launch).high_s == own.high_s);
	kernel_free(kernel);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_borrowed_calibration_is_as_doubtful_as_nodes_differ),
	        cmocka_unit_test(a_large_stream_is_bound_by_memory),
	        cmocka_unit_test(the_time_follows_resources_by_their_elasticity),
	        cmocka_unit_test(a_small_launch_is_bound_by_the_launch),
	        cmocka_unit_test(a_launch_ends_when_its_last_stores_have_arrived),
	        cmocka_unit_test(buffers_that_together_exceed_the_memory_are_noted),
	        cmocka_unit_test(a_buffer_that_ends_before_its_accesses_is_warned_of),
	        cmocka_unit_test(an_interval_reaches_farther_up_than_down),
	        cmocka_unit_test(an_interval_widens_with_a_few_blocks_and_not_with_many),
	        cmocka_unit_test(an_interval_is_as_wide_as_what_the_time_follows),
	        cmocka_unit_test(a_branch_by_data_is_doubtful_as_its_sides_differ),
	        cmocka_unit_test(one_work_group_too_many_takes_another_round),
	        cmocka_unit_test(strides_cost_transactions),
	        cmocka_unit_test(pinned_transfers_are_their_own_where_they_are_calibrated),
	        cmocka_unit_test(data_that_no_cache_holds_are_copied_at_their_own_rate),
	        cmocka_unit_test(transfers_go_by_direction_and_on_request),
	        cmocka_unit_test(a_device_of_which_nothing_is_known_gives_finite_answers),
	        cmocka_unit_test(the_same_question_gives_the_same_bytes),
	        cmocka_unit_test(a_small_budget_marks_what_it_cuts),
	        cmocka_unit_test(what_was_not_analysed_gets_a_fallback_with_its_reason),
	        cmocka_unit_test(an_assumed_local_size_stands_in_the_note),
	        cmocka_unit_test(a_device_without_calibration_has_no_answer),
	        cmocka_unit_test(names_are_found_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("predict", tests, NULL, NULL);
}
