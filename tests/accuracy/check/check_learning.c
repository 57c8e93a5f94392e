/* SPDX-License-Identifier: Apache-2.0 */
/* Learning: assignments, distances and layers against the host. */
#include "tests/accuracy/check/run.h"

enum { N = 64 };

static void kmeans_assigns_the_nearest_centre(void **unused)
{
	enum { CLUSTERS = 5, FEATURES = 7 };
	float feature[FEATURES * N], centre[CLUSTERS * FEATURES];
	int member[N], want[N];
	(void)unused;
	seed();
	fill_floats(feature, FEATURES * N, 0, 1);
	fill_floats(centre, CLUSTERS * FEATURES, 0, 1);
	for (int i = 0; i < N; i++) {
		double least = HUGE_VAL;
		for (int c = 0; c < CLUSTERS; c++) {
			double distance = 0;
			for (int f = 0; f < FEATURES; f++)
				distance += pow((double)feature[f * N + i] -
				                        (double)centre[c * FEATURES + f],
				                2);
			if (distance < least) {
				least = distance;
				want[i] = c;
			}
		}
	}
	RUN("learning/kmeans_assign", "", WORK(96), WORK(32), ARRAY(feature), ARRAY(centre),
	    ARRAY(member), INT(N), INT(CLUSTERS), INT(FEATURES));
	assert_ints(member, want, N);
}

static void nearest_distance_is_the_hypotenuse(void **unused)
{
	float place[2 * N], distance[N], want[N];
	(void)unused;
	seed();
	fill_floats(place, 2 * N, -90, 90);
	for (int i = 0; i < N; i++)
		want[i] =
		        (float)hypot(30.0 - (double)place[2 * i], 60.0 - (double)place[2 * i + 1]);
	RUN("learning/nearest_distance", "", WORK(96), WORK(32), ARRAY(place), ARRAY(distance),
	    FLOAT(30), FLOAT(60), INT(N));
	assert_floats(distance, want, N, 1e-5f);
}

static void dense_sigmoid_is_a_layer(void **unused)
{
	enum { INPUTS = 24, OUTPUTS = 16, SAMPLES = 8 };
	float input[SAMPLES * INPUTS], weight[INPUTS * OUTPUTS], bias[OUTPUTS];
	float output[SAMPLES * OUTPUTS], want[SAMPLES * OUTPUTS];
	(void)unused;
	seed();
	fill_floats(input, SAMPLES * INPUTS, -1, 1);
	fill_floats(weight, INPUTS * OUTPUTS, -1, 1);
	fill_floats(bias, OUTPUTS, -1, 1);
	for (int i = 0; i < SAMPLES * OUTPUTS; i++) {
		double sum = (double)bias[i % OUTPUTS];
		for (int k = 0; k < INPUTS; k++)
			sum += (double)input[i / OUTPUTS * INPUTS + k] *
			       (double)weight[k * OUTPUTS + i % OUTPUTS];
		want[i] = (float)(0.5 + 0.5 * tanh(sum / 2));
	}
	RUN("learning/dense_sigmoid", "", WORK(OUTPUTS, SAMPLES), WORK(16, 2), ARRAY(input),
	    ARRAY(weight), ARRAY(bias), ARRAY(output), INT(INPUTS), INT(OUTPUTS));
	assert_floats(output, want, SAMPLES * OUTPUTS, 1e-5f);
}

static void adjust_weights_moves_with_momentum(void **unused)
{
	enum { INPUTS = 24, OUTPUTS = 16, ALL = INPUTS * OUTPUTS };
	float weight[ALL], momentum[ALL], error[OUTPUTS], input[INPUTS];
	float want_weight[ALL], want_momentum[ALL];
	(void)unused;
	seed();
	fill_floats(weight, ALL, -1, 1);
	fill_floats(momentum, ALL, -1, 1);
	fill_floats(error, OUTPUTS, -1, 1);
	fill_floats(input, INPUTS, -1, 1);
	for (int i = 0; i < ALL; i++) {
		want_momentum[i] = 0.3f * (error[i % OUTPUTS] * input[i / OUTPUTS] + momentum[i]);
		want_weight[i] = weight[i] + want_momentum[i];
	}
	RUN("learning/adjust_weights", "", WORK(OUTPUTS, INPUTS), WORK(16, 4), ARRAY(weight),
	    ARRAY(momentum), ARRAY(error), ARRAY(input), INT(OUTPUTS), FLOAT(0.3f));
	assert_floats(weight, want_weight, ALL, 1e-5f);
	assert_floats(momentum, want_momentum, ALL, 1e-5f);
}

CHECK_FAMILY(learning, cmocka_unit_test(kmeans_assigns_the_nearest_centre),
             cmocka_unit_test(nearest_distance_is_the_hypotenuse),
             cmocka_unit_test(dense_sigmoid_is_a_layer),
             cmocka_unit_test(adjust_weights_moves_with_momentum))
