/* SPDX-License-Identifier: Apache-2.0 */
/* State vectors, integrals and densities against the host. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { AMPLITUDES = 1024 };

/* A complex number by its parts. */
static double complex number(double re, double im)
{
	double complex z;
	memcpy(&z, (double[2]){re, im}, sizeof z);
	return z;
}

static double complex amplitude(const float *state, size_t i)
{
	return number((double)state[2 * i], (double)state[2 * i + 1]);
}

static void keep(float *state, size_t i, double complex value)
{
	state[2 * i] = (float)creal(value);
	state[2 * i + 1] = (float)cimag(value);
}

static void gate_one_mixes_pairs(void **unused)
{
	enum { QUBIT = 4 };
	float state[2 * AMPLITUDES], want[2 * AMPLITUDES], gate[8];
	(void)unused;
	seed();
	fill_floats(state, (size_t)2 * AMPLITUDES, -1, 1);
	fill_floats(gate, 8, -1, 1);
	for (size_t i = 0; i < AMPLITUDES; i++) {
		bool is_set = i >> QUBIT & 1;
		double complex zero = amplitude(state, i & ~((size_t)1 << QUBIT));
		double complex one = amplitude(state, i | (size_t)1 << QUBIT);
		size_t row = is_set ? 2 : 0;
		keep(want, i, amplitude(gate, row) * zero + amplitude(gate, row + 1) * one);
	}
	RUN("quantum/gate_one", "", WORK(AMPLITUDES / 2), WORK(64), ARRAY(state),
	    SCALAR(uint32_t, QUBIT), {ARGUMENT_SCALAR, gate, sizeof gate});
	assert_floats(state, want, (size_t)2 * AMPLITUDES, 1e-5f);
}

static void gate_two_obeys_its_controls(void **unused)
{
	enum { FIRST = 2, SECOND = 7, CONTROLS = 1 << 4 | 1 << 9 };
	float state[2 * AMPLITUDES], want[2 * AMPLITUDES], gate[32];
	(void)unused;
	seed();
	fill_floats(state, (size_t)2 * AMPLITUDES, -1, 1);
	fill_floats(gate, 32, -1, 1);
	for (size_t i = 0; i < AMPLITUDES; i++) {
		size_t rest = i & ~((size_t)1 << FIRST | (size_t)1 << SECOND);
		size_t row = (i >> FIRST & 1) + 2 * (i >> SECOND & 1);
		double complex sum = 0;
		for (size_t k = 0; k < 4; k++)
			sum += amplitude(gate, 4 * row + k) *
			       amplitude(state, rest | (k & 1) << FIRST | (k >> 1) << SECOND);
		keep(want, i, (i & CONTROLS) == CONTROLS ? sum : amplitude(state, i));
	}
	RUN("quantum/gate_two", "", WORK(AMPLITUDES / 4), WORK(64), ARRAY(state), ARRAY(gate),
	    SCALAR(uint32_t, FIRST), SCALAR(uint32_t, SECOND), SCALAR(uint32_t, CONTROLS));
	assert_floats(state, want, (size_t)2 * AMPLITUDES, 1e-5f);
}

/* Matrix by matrix, qubit by qubit. */
static void pauli_expectation_is_that_of_products(void **unused)
{
	enum { TERMS = 8, GROUPS = 2, GROUP = 64, QUBITS = 10 };
	float state[2 * AMPLITUDES], sums[TERMS * GROUPS], got[TERMS], want[TERMS];
	int flips[TERMS], signs[TERMS];
	(void)unused;
	seed();
	fill_floats(state, (size_t)2 * AMPLITUDES, -0.1f, 0.1f);
	fill_ints(flips, TERMS, AMPLITUDES);
	fill_ints(signs, TERMS, AMPLITUDES);
	flips[0] = 0;
	for (int term = 0; term < TERMS; term++) {
		double complex mean = 0;
		for (size_t i = 0; i < AMPLITUDES; i++) {
			double complex value = amplitude(state, i);
			size_t to = i;
			for (int q = 0; q < QUBITS; q++) {
				bool x = flips[term] >> q & 1, z = signs[term] >> q & 1;
				if (z && i >> q & 1)
					value = -value;
				if (x && z)
					value *= number(0, 1);
				to ^= (size_t)x << q;
			}
			mean += conj(amplitude(state, to)) * value;
		}
		want[term] = (float)creal(mean);
		assert_true(fabs(cimag(mean)) < 1e-9);
	}
	RUN("quantum/pauli_expectation", "", WORK((size_t)GROUPS * GROUP, TERMS), WORK(GROUP, 1),
	    ARRAY(state), ARRAY(flips), ARRAY(signs), SCALAR(uint32_t, AMPLITUDES), ARRAY(sums),
	    LOCAL(4 * GROUP));
	for (int term = 0; term < TERMS; term++)
		got[term] = sums[GROUPS * term] + sums[GROUPS * term + 1];
	assert_floats(got, want, TERMS, 1e-5f);
}

/* The integral over u in [0, 1] of exp(-t u^2), by Simpson's rule. */
static double boys(double t)
{
	enum { STEPS = 200 };
	double sum = 0;
	for (int i = 0; i <= STEPS; i++) {
		double x = (double)i / (int)STEPS;
		sum += exp(-t * x * x) * (i == 0 || i == STEPS ? 1 : i % 2 == 0 ? 2 : 4);
	}
	return sum / (3 * (int)STEPS);
}

static double repulsion(const double *centre, const double *exponent, const double *weight,
                        const int *shell, const int *primitive)
{
	double p[2], at[2][3], factor = 2 * pow(3.14159265358979, 2.5), apart = 0;
	for (int side = 0; side < 2; side++) {
		int a = shell[2 * side], b = shell[2 * side + 1];
		int first = 3 * a + primitive[2 * side], second = 3 * b + primitive[2 * side + 1];
		double alpha = exponent[first], beta = exponent[second], square = 0;
		p[side] = alpha + beta;
		for (int k = 0; k < 3; k++) {
			double x = centre[3 * a + k], y = centre[3 * b + k];
			at[side][k] = (alpha * x + beta * y) / p[side];
			square += (x - y) * (x - y);
		}
		factor *= weight[first] * weight[second] * exp(-alpha * beta / p[side] * square);
	}
	for (int k = 0; k < 3; k++)
		apart += (at[0][k] - at[1][k]) * (at[0][k] - at[1][k]);
	return factor / (p[0] * p[1] * sqrt(p[0] + p[1])) *
	       boys(p[0] * p[1] / (p[0] + p[1]) * apart);
}

static void coulomb_ssss_sums_primitives(void **unused)
{
	enum { SHELLS = 6, PAIRS = 12, SIDE = 16 };
	double centre[3 * SHELLS], exponent[3 * SHELLS], weight[3 * SHELLS], got[PAIRS * PAIRS];
	int shells[2 * PAIRS], small = 0;
	float bound[PAIRS];
	(void)unused;
	seed();
	for (int i = 0; i < 3 * SHELLS; i++) {
		centre[i] = random_word() * 0x1p-31;
		exponent[i] = 0.2 + random_word() * 0x1p-31;
		weight[i] = random_word() * 0x1p-32;
	}
	fill_ints(shells, (size_t)2 * PAIRS, SHELLS);
	fill_floats(bound, PAIRS, 0, 1);
	RUN("quantum/coulomb_ssss", "", WORK(SIDE, SIDE), WORK(8, 4), ARRAY(shells), ARRAY(centre),
	    ARRAY(exponent), ARRAY(weight), ARRAY(bound), FLOAT(0.1f), INT(PAIRS), ARRAY(got));
	for (int i = 0; i < PAIRS * PAIRS; i++) {
		int bra = i % PAIRS, ket = i / PAIRS;
		int shell[4] = {shells[2 * bra], shells[2 * bra + 1], shells[2 * ket],
		                shells[2 * ket + 1]};
		double sum = 0;
		for (int q = 0; q < 81; q++)
			sum += repulsion(centre, exponent, weight, shell,
			                 (int[]){q % 3, q / 3 % 3, q / 9 % 3, q / 27});
		bool is_small = bound[bra] * bound[ket] < 0.1f;
		small += is_small;
		assert_close(got[i], is_small ? 0 : sum, 1e-6);
	}
	assert_true(small > 10 && small < 100);
}

static void density_points_is_a_quadratic_form(void **unused)
{
	enum { COUNT = 70, SHELLS = 12, PRIMITIVES = 36, MOST = 36 };
	float points[4 * COUNT], centre[4 * SHELLS], primitives[2 * PRIMITIVES];
	float density[MOST * MOST], rho[COUNT], want[COUNT];
	int kind[SHELLS], start[SHELLS + 1], functions = 0;
	(void)unused;
	seed();
	fill_floats(points, (size_t)4 * COUNT, 0, 3);
	fill_floats(centre, (size_t)4 * SHELLS, 0, 3);
	fill_floats(primitives, (size_t)2 * PRIMITIVES, 0.1f, 1);
	fill_ints(kind, SHELLS, 2);
	fill_rows(start, SHELLS, 3);
	for (int s = 0; s < SHELLS; s++)
		functions += kind[s] == 0 ? 1 : 3;
	for (int i = 0; i < functions; i++)
		for (int k = 0; k <= i; k++) {
			fill_floats(&density[i * functions + k], 1, -1, 1);
			density[k * functions + i] = density[i * functions + k];
		}
	for (int i = 0; i < COUNT; i++) {
		double phi[MOST], sum = 0;
		int f = 0;
		for (int s = 0; s < SHELLS; s++) {
			double apart[3], square = 0, radial = 0;
			for (int k = 0; k < 3; k++) {
				apart[k] = (double)points[4 * i + k] - (double)centre[4 * s + k];
				square += apart[k] * apart[k];
			}
			double reach = (double)centre[4 * s + 3];
			for (int p = start[s]; p < start[s + 1] && square < reach * reach; p++)
				radial += (double)primitives[2 * p + 1] *
				          exp(-(double)primitives[2 * p] * square);
			for (int k = 0; k < (kind[s] == 0 ? 1 : 3); k++)
				phi[f++] = kind[s] == 0 ? radial : radial * apart[k];
		}
		for (int a = 0; a < functions * functions; a++)
			sum += phi[a / functions] * (double)density[a] * phi[a % functions];
		want[i] = (float)sum;
	}
	RUN("quantum/density_points", "", WORK(96), WORK(32), ARRAY(points), ARRAY(centre),
	    ARRAY(kind), ARRAY(start), INT(SHELLS), ARRAY(primitives), ARRAY(density),
	    INT(functions), ARRAY(rho), INT(COUNT));
	assert_floats(rho, want, COUNT, 1e-4f);
}

/* The potential is the derivative of the energy; published energies of correlation at two
 * densities. */
static void xc_vwn_has_its_own_derivative(void **unused)
{
	enum { COUNT = 64 };
	double rho[COUNT], potential[COUNT], energy[COUNT];
	float weight[COUNT];
	(void)unused;
	for (int i = 0; i < COUNT; i++) {
		double middle = 0.01 * (1 + i / 3 * 7);
		rho[i] = middle * (1 + 1e-4 * (i % 3 - 1));
		weight[i] = 1;
	}
	rho[60] = 1e-12;
	rho[61] = 3 / (4 * 3.14159265358979);       /* a radius of 1 */
	rho[62] = 3 / (4 * 3.14159265358979 * 125); /* a radius of 5 */
	RUN("quantum/xc_vwn", "", WORK(96), WORK(32), ARRAY(rho), ARRAY(weight), ARRAY(potential),
	    ARRAY(energy), SCALAR(uint32_t, COUNT));
	for (int i = 1; i < 60; i += 3)
		assert_close((energy[i + 1] - energy[i - 1]) / (rho[i + 1] - rho[i - 1]),
		             potential[i], 1e-6);
	assert_true(potential[60] == 0 && energy[60] == 0);
	assert_close(energy[61] / rho[61], -0.458165 - 0.0600, 1e-3);
	assert_close(energy[62] / rho[62], -0.0916331 - 0.0282, 1e-3);
}

CHECK_FAMILY(quantum, cmocka_unit_test(gate_one_mixes_pairs),
             cmocka_unit_test(gate_two_obeys_its_controls),
             cmocka_unit_test(pauli_expectation_is_that_of_products),
             cmocka_unit_test(coulomb_ssss_sums_primitives),
             cmocka_unit_test(density_points_is_a_quadratic_form),
             cmocka_unit_test(xc_vwn_has_its_own_derivative))
