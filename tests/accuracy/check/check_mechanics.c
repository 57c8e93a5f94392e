/* SPDX-License-Identifier: Apache-2.0 */
/* Elements, fluxes, sweeps and springs against the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

/* By strains: K = volume * B' D B, D of Lame's constants. */
static void tet_stiffness_is_of_strains(void **unused)
{
	enum { ELEMENTS = 20, NODES = 30 };
	static double nodes[3 * NODES], stiffness[144 * ELEMENTS];
	int elements[4 * ELEMENTS];
	const double lambda = 1.3, mu = 0.7;
	(void)unused;
	seed();
	for (int i = 0; i < 3 * NODES; i++)
		nodes[i] = random_word() / 4294967296.0;
	for (int i = 0; i < 4 * ELEMENTS; i++)
		elements[i] = (i / 4 + 7 * (i % 4)) % NODES;
	elements[4 * 3 + 1] = elements[4 * 3]; /* flat */
	RUN("mechanics/tet_stiffness", "", WORK(32), WORK(16), ARRAY(nodes), ARRAY(elements),
	    ARRAY(stiffness), INT(ELEMENTS), SCALAR(double, lambda), SCALAR(double, mu));
	for (int e = 0; e < ELEMENTS; e++) {
		double edge[3][3], grad[4][3] = {{0}}, b[6][12] = {{0}}, det = 0;
		for (int k = 0; k < 3; k++)
			for (int a = 0; a < 3; a++)
				edge[k][a] = nodes[3 * elements[4 * e + k + 1] + a] -
				             nodes[3 * elements[4 * e] + a];
		for (int a = 0; a < 3; a++)
			det += edge[0][a] * (edge[1][(a + 1) % 3] * edge[2][(a + 2) % 3] -
			                     edge[1][(a + 2) % 3] * edge[2][(a + 1) % 3]);
		for (int k = 0; k < 3 && e != 3; k++)
			for (int a = 0; a < 3; a++) {
				const double *p = edge[(k + 1) % 3], *q = edge[(k + 2) % 3];
				grad[k + 1][a] = (p[(a + 1) % 3] * q[(a + 2) % 3] -
				                  p[(a + 2) % 3] * q[(a + 1) % 3]) /
				                 det;
				grad[0][a] -= grad[k + 1][a];
			}
		for (int n = 0; n < 4; n++)
			for (int a = 0; a < 3; a++) {
				b[a][3 * n + a] = grad[n][a];
				b[3 + a][3 * n + (a + 1) % 3] = grad[n][(a + 2) % 3];
				b[3 + a][3 * n + (a + 2) % 3] = grad[n][(a + 1) % 3];
			}
		for (int r = 0; r < 12; r++)
			for (int c = 0; c < 12; c++) {
				double sum = 0;
				for (int i = 0; i < 3; i++) {
					for (int j = 0; j < 3; j++)
						sum += b[i][r] * b[j][c] *
						       (lambda + (i == j ? 2 * mu : 0));
					sum += b[3 + i][r] * b[3 + i][c] * mu;
				}
				double want = fabs(det) / 6 * sum;
				double got = stiffness[(r * 12 + c) * ELEMENTS + e];
				assert_true(fabs(got - want) <= 1e-9 * (1 + fabs(want)));
			}
	}
}

enum { DENSITY, MX, MY, ENERGY };

static double pressure(const double *q)
{
	double p = 0.4 * (q[ENERGY] - (q[MX] * q[MX] + q[MY] * q[MY]) / (2 * q[DENSITY]));
	return fmax(p, 1e-4);
}

static void euler_flux(const double *q, double *f, double *u, double *c)
{
	double p = pressure(q);
	*u = q[MX] / q[DENSITY];
	*c = sqrt(1.4 * p / q[DENSITY]);
	f[DENSITY] = q[MX];
	f[MX] = q[MX] * *u + p;
	f[MY] = q[MY] * *u;
	f[ENERGY] = (q[ENERGY] + p) * *u;
}

static double slope(double a, double b)
{
	return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

static void muscl_step_conserves(void **unused)
{
	enum { W = 13, H = 5, PITCH = W + 4, CELLS = PITCH * H };
	float q[4][CELLS], after[4 * W * H], want[4 * W * H];
	int supersonic = 0;
	(void)unused;
	seed();
	fill_floats(q[DENSITY], CELLS, 1, 2);
	fill_floats(q[MX], CELLS, -2.5f, 2.5f);
	fill_floats(q[MY], CELLS, -0.5f, 0.5f);
	fill_floats(q[ENERGY], CELLS, 2, 5);
	for (int i = 0; i < W * H; i++) {
		double through[2][4];
		for (int face = 0; face < 2; face++) {
			int at = i / W * PITCH + i % W + 1 + face; /* the cell before the face */
			double side[2][4], f[2][4], u[2], c[2];
			for (int s = 0; s < 2; s++) {
				for (int v = 0; v < 4; v++) {
					const float *p = q[v] + at + s;
					side[s][v] = (double)p[0] +
					             (s == 0 ? 0.5 : -0.5) *
					                     slope((double)p[0] - (double)p[-1],
					                           (double)p[1] - (double)p[0]);
				}
				euler_flux(side[s], f[s], &u[s], &c[s]);
			}
			double low = fmin(u[0] - c[0], u[1] - c[1]),
			       high = fmax(u[0] + c[0], u[1] + c[1]);
			supersonic += low >= 0 || high <= 0;
			for (int v = 0; v < 4; v++)
				through[face][v] =
				        low >= 0    ? f[0][v]
				        : high <= 0 ? f[1][v]
				                    : (high * f[0][v] - low * f[1][v] +
				                       low * high * (side[1][v] - side[0][v])) /
				                              (high - low);
		}
		for (int v = 0; v < 4; v++)
			want[4 * i + v] = (float)((double)q[v][i / W * PITCH + i % W + 2] -
			                          0.2 * (through[1][v] - through[0][v]));
	}
	assert_in_range(supersonic, 3, W * H);
	RUN("mechanics/muscl_step", "", WORK(16, 8), WORK(8, 4), ARRAY(q[DENSITY]), ARRAY(q[MX]),
	    ARRAY(q[MY]), ARRAY(q[ENERGY]), ARRAY(after), INT(W), INT(H), FLOAT(0.2f));
	assert_floats(after, want, 4 * W * H, 2e-4f);
}

static void thomas_columns_solves(void **unused)
{
	enum { COLUMNS = 40, ROWS = 20, ALL = COLUMNS * ROWS };
	float below[ALL], diagonal[ALL], above[ALL], right[ALL], scratch[ALL], x[ALL];
	(void)unused;
	seed();
	fill_floats(below, ALL, -1, 1);
	fill_floats(diagonal, ALL, 3, 4);
	fill_floats(above, ALL, -1, 1);
	fill_floats(right, ALL, -1, 1);
	RUN("mechanics/thomas_columns", "", WORK(64), WORK(32), ARRAY(below), ARRAY(diagonal),
	    ARRAY(above), ARRAY(right), ARRAY(scratch), ARRAY(x), INT(COLUMNS), INT(ROWS));
	for (int i = 0; i < ALL; i++) {
		double sum = (double)diagonal[i] * (double)x[i];
		if (i >= COLUMNS)
			sum += (double)below[i] * (double)x[i - COLUMNS];
		if (i < ALL - COLUMNS)
			sum += (double)above[i] * (double)x[i + COLUMNS];
		assert_true(fabs(sum - (double)right[i]) < 1e-5);
	}
}

static void cloth_step_pulls_at_neighbours(void **unused)
{
	enum { W = 11, H = 6 };
	float now[4 * W * H], before[4 * W * H], next[4 * W * H], want[4 * W * H];
	const double rest = 0.4, stiffness = 60, damping = 0.02, dt = 0.01;
	(void)unused;
	seed();
	fill_floats(now, 4 * W * H, 0, 2);
	fill_floats(before, 4 * W * H, 0, 2);
	memcpy(want, now, sizeof want);
	for (int i = W; i < W * H; i++) {
		double force[3] = {0, -9.81, 0};
		for (int j = 0; j < W * H; j++) {
			int dx = j % W - i % W, dy = j / W - i / W, steps = dx * dx + dy * dy;
			double d[3], square = 0;
			if (steps != 1 && steps != 2 && steps != 4)
				continue;
			for (int k = 0; k < 3; k++) {
				d[k] = (double)now[4 * j + k] - (double)now[4 * i + k];
				square += d[k] * d[k];
			}
			for (int k = 0; k < 3; k++)
				force[k] +=
				        stiffness * (1 - rest * sqrt(steps) / sqrt(square)) * d[k];
		}
		for (int k = 0; k < 3; k++) {
			double p = (double)now[4 * i + k];
			want[4 * i + k] =
			        (float)(p + (p - (double)before[4 * i + k]) * (1 - damping) +
			                force[k] * dt * dt);
		}
	}
	RUN("mechanics/cloth_step", "", WORK(16, 8), WORK(8, 4), ARRAY(now), ARRAY(before),
	    ARRAY(next), INT(W), INT(H), FLOAT((float)rest), FLOAT((float)stiffness),
	    FLOAT((float)damping), FLOAT((float)dt));
	assert_floats(next, want, 4 * W * H, 1e-5f);
}

static void sor_obstacles_relaxes_one_colour_of_fluid(void **unused)
{
	enum { SIDE = 8, ROW = SIDE + 2, ALL = ROW * ROW * ROW, COLOUR = 1 };
	static const int step[6] = {-1, 1, -ROW, ROW, -ROW * ROW, ROW * ROW};
	static float p[ALL], want[ALL], source[ALL];
	static uint8_t flags[ALL];
	(void)unused;
	seed();
	fill_floats(p, ALL, -1, 1);
	fill_floats(source, ALL, -1, 1);
	for (int i = 0; i < ALL; i++)
		flags[i] = (uint8_t)random_word();
	memcpy(want, p, sizeof want);
	for (int i = 0; i < ALL; i++) {
		int x = i % ROW, y = i / ROW % ROW, z = i / ROW / ROW, open = 0;
		double sum = -(double)source[i];
		if (x * y * z == 0 || x > SIDE || y > SIDE || z > SIDE || flags[i] >= 128 ||
		    (x - 1 + y + z + COLOUR) % 2 != 0)
			continue;
		for (int k = 0; k < 6; k++)
			if (flags[i] >> k & 1) {
				sum += (double)p[i + step[k]];
				open++;
			}
		if (open > 0)
			want[i] = (float)(-0.5 * (double)p[i] + 1.5 * sum / open);
	}
	RUN("mechanics/sor_obstacles", "", WORK(SIDE / 2, SIDE, SIDE), WORK(4, 4, 2), ARRAY(p),
	    ARRAY(source), ARRAY(flags), INT(SIDE), INT(COLOUR), FLOAT(1.5f));
	assert_floats(p, want, ALL, 1e-5f);
}

static void edge_scatter_gives_what_it_takes(void **unused)
{
	enum { EDGES = 180, CELLS = 40 };
	int cells[2 * EDGES];
	float normals[2 * EDGES], velocity[2 * CELLS], density[CELLS], change[CELLS], want[CELLS];
	double all[CELLS] = {0};
	(void)unused;
	seed();
	fill_ints(cells, 2 * EDGES, CELLS);
	fill_floats(normals, 2 * EDGES, -1, 1);
	fill_floats(velocity, 2 * CELLS, -1, 1);
	fill_floats(density, CELLS, 0, 1);
	memset(change, 0, sizeof change);
	for (int e = 0; e < EDGES; e++) {
		int a = cells[2 * e], b = cells[2 * e + 1];
		double through = 0;
		for (int k = 0; k < 2; k++)
			through += ((double)velocity[2 * a + k] + (double)velocity[2 * b + k]) / 2 *
			           (double)normals[2 * e + k];
		through *= (double)density[through > 0 ? a : b];
		all[a] -= through;
		all[b] += through;
	}
	for (int i = 0; i < CELLS; i++)
		want[i] = (float)all[i];
	RUN("mechanics/edge_scatter", "", WORK(192), WORK(32), ARRAY(cells), ARRAY(normals),
	    ARRAY(velocity), ARRAY(density), ARRAY(change), INT(EDGES));
	assert_floats(change, want, CELLS, 1e-5f);
}

static void semi_lagrange_looks_back(void **unused)
{
	enum { W = 21, H = 14 };
	float velocity[2 * W * H], before[W * H], after[W * H], want[W * H];
	const double dt = 3;
	(void)unused;
	seed();
	fill_floats(velocity, 2 * W * H, -1, 1);
	fill_floats(before, W * H, 0, 1);
	for (int i = 0; i < W * H; i++) {
		const int side[2] = {W, H}, here[2] = {i % W, i / W};
		double place[2], part[2];
		int cell[2], middle[2];
		for (int k = 0; k < 2; k++) {
			double at = here[k] - dt / 2 * (double)velocity[2 * i + k];
			middle[k] = (int)fmax(0, fmin(side[k] - 1, floor(at + 0.5)));
		}
		for (int k = 0; k < 2; k++) {
			place[k] = here[k] -
			           dt * (double)velocity[2 * (middle[1] * W + middle[0]) + k];
			place[k] = fmax(0, fmin(side[k] - 1, place[k]));
			cell[k] = place[k] >= side[k] - 1 ? side[k] - 2 : (int)place[k];
			part[k] = place[k] - cell[k];
		}
		double sum = 0;
		for (int corner = 0; corner < 4; corner++) {
			int x = corner % 2, y = corner / 2;
			sum += (x == 1 ? part[0] : 1 - part[0]) * (y == 1 ? part[1] : 1 - part[1]) *
			       (double)before[(cell[1] + y) * W + cell[0] + x];
		}
		want[i] = (float)sum;
	}
	RUN("mechanics/semi_lagrange", "", WORK(24, 16), WORK(8, 4), ARRAY(velocity), ARRAY(before),
	    ARRAY(after), INT(W), INT(H), FLOAT((float)dt));
	assert_floats(after, want, W * H, 1e-5f);
}

CHECK_FAMILY(mechanics, cmocka_unit_test(tet_stiffness_is_of_strains),
             cmocka_unit_test(muscl_step_conserves), cmocka_unit_test(thomas_columns_solves),
             cmocka_unit_test(cloth_step_pulls_at_neighbours),
             cmocka_unit_test(sor_obstacles_relaxes_one_colour_of_fluid),
             cmocka_unit_test(edge_scatter_gives_what_it_takes),
             cmocka_unit_test(semi_lagrange_looks_back))
