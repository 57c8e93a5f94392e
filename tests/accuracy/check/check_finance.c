/* SPDX-License-Identifier: Apache-2.0 */
/* Finance: options, paths and bonds against other formulas in double on the host. */
#include "tests/accuracy/check/run.h"

enum { N = 128 };

static double normal(double d)
{
	return erfc(-d / sqrt(2)) / 2;
}

static void black_scholes_is_the_closed_form(void **unused)
{
	const double rate = 0.02, volatility = 0.3;
	float price[N], strike[N], years[N], call[N], put[N], want_call[N], want_put[N];
	(void)unused;
	seed();
	fill_floats(price, N, 10, 100);
	fill_floats(strike, N, 10, 100);
	fill_floats(years, N, 0.2f, 5);
	for (int i = 0; i < N; i++) {
		double s = (double)price[i], k = (double)strike[i], t = (double)years[i];
		double spread = volatility * sqrt(t);
		double d1 = log(s / k) / spread + (rate / volatility + volatility / 2) * sqrt(t);
		want_call[i] = (float)(s * normal(d1) - k * exp(-rate * t) * normal(d1 - spread));
		/* by the parity of puts and calls */
		want_put[i] = (float)((double)want_call[i] - s + k * exp(-rate * t));
	}
	RUN("finance/black_scholes", "", WORK(N), WORK(64), ARRAY(price), ARRAY(strike),
	    ARRAY(years), ARRAY(call), ARRAY(put), FLOAT((float)rate), FLOAT((float)volatility));
	assert_floats(call, want_call, N, 1e-3f);
	assert_floats(put, want_put, N, 1e-3f);
}

static void binomial_walks_the_tree_back(void **unused)
{
	enum { OPTIONS = 4, LEAVES = 64 };
	const double up = 1.02, probability = 0.51, discount = 0.999;
	float price[OPTIONS], strike[OPTIONS], value[OPTIONS], want[OPTIONS];
	(void)unused;
	seed();
	fill_floats(price, OPTIONS, 50, 100);
	fill_floats(strike, OPTIONS, 50, 100);
	for (int o = 0; o < OPTIONS; o++) {
		double sum = 0, chance = pow(1 - probability, LEAVES - 1);
		/* European, so the expectation of the leaves; `downs` of LEAVES - 1 steps go down
		 */
		for (int downs = LEAVES - 1; downs >= 0; downs--) {
			double leaf = (double)price[o] * pow(up, LEAVES - 1 - 2 * downs);
			sum += chance * fmax((double)strike[o] - leaf, 0);
			chance *= probability / (1 - probability) * downs / (LEAVES - downs);
		}
		want[o] = (float)(sum * pow(discount, LEAVES - 1));
	}
	RUN("finance/binomial", "", WORK(OPTIONS * LEAVES), WORK(LEAVES), ARRAY(price),
	    ARRAY(strike), ARRAY(value), FLOAT((float)up), FLOAT((float)(1 / up)),
	    FLOAT((float)probability), FLOAT((float)discount), LOCAL(LEAVES * 4),
	    LOCAL(LEAVES * 4));
	assert_floats(value, want, OPTIONS, 1e-3f);
}

static void monte_carlo_averages_payoffs(void **unused)
{
	enum { PATHS = 20 };
	uint32_t start[N];
	float payoff[N], want[N];
	(void)unused;
	seed();
	fill_words(start, N);
	for (int i = 0; i < N; i++) {
		uint32_t state = start[i];
		double sum = 0;
		for (int p = 0; p < PATHS; p++) {
			state = state * 1664525 + 1013904223;
			double u = ((state >> 8) + 1.0) / 16777216;
			state = state * 1664525 + 1013904223;
			double v = (state >> 8) / 16777216.0;
			double z = sqrt(-2 * log(u)) * cos(2 * M_PI * v);
			sum += fmax(100 * exp(0.01 + 0.2 * z) - 95, 0);
		}
		want[i] = (float)(sum / (double)PATHS);
	}
	RUN("finance/monte_carlo", "", WORK(N), WORK(32), ARRAY(start), ARRAY(payoff), FLOAT(100),
	    FLOAT(95), FLOAT(0.01f), FLOAT(0.2f), INT(PATHS));
	assert_floats(payoff, want, N, 1e-3f);
}

static void asian_paths_average_the_way(void **unused)
{
	enum { STEPS = 12 };
	float returns[STEPS * N], mean[N], want[N];
	(void)unused;
	seed();
	fill_floats(returns, STEPS * N, -0.1f, 0.1f);
	for (int i = 0; i < N; i++) {
		double logarithm = 0, sum = 0;
		for (int t = 0; t < STEPS; t++) {
			logarithm += (double)returns[t * N + i];
			sum += 100 * exp(logarithm);
		}
		want[i] = (float)(sum / (double)STEPS);
	}
	RUN("finance/asian_paths", "", WORK(N), WORK(32), ARRAY(returns), ARRAY(mean), FLOAT(100),
	    INT(STEPS), INT(N));
	assert_floats(mean, want, N, 1e-3f);
}

static void bond_yields_give_the_price_back(void **unused)
{
	enum { YEARS = 10 };
	float price[N], coupon[N], yield[N], back[N];
	(void)unused;
	seed();
	fill_floats(price, N, 80, 120);
	fill_floats(coupon, N, 2, 8);
	RUN("finance/bond_yield", "", WORK(N), WORK(32), ARRAY(price), ARRAY(coupon), ARRAY(yield),
	    INT(YEARS));
	for (int i = 0; i < N; i++) {
		double y = (double)yield[i], paid = pow(1 + y, -YEARS);
		back[i] = (float)((double)coupon[i] * (1 - paid) / y + 100 * paid);
	}
	assert_floats(back, price, N, 1e-3f);
}

CHECK_FAMILY(finance, cmocka_unit_test(black_scholes_is_the_closed_form),
             cmocka_unit_test(binomial_walks_the_tree_back),
             cmocka_unit_test(monte_carlo_averages_payoffs),
             cmocka_unit_test(asian_paths_average_the_way),
             cmocka_unit_test(bond_yields_give_the_price_back))
