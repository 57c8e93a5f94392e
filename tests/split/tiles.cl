/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on tiles of SIDE x SIDE floats, as tests/split/graphs.c puts graphs together of. */
#define RADIUS 4

/* One work-group; column by column, the rest of the tile is brought up to date. */
kernel void potrf(global float *a)
{
	const int mine = get_local_id(0), all = get_local_size(0);
	for (int k = 0; k < SIDE; k++) {
		const float root = sqrt(a[k * SIDE + k]);
		barrier(CLK_GLOBAL_MEM_FENCE);
		for (int i = k + mine; i < SIDE; i += all)
			a[i * SIDE + k] = i == k ? root : a[i * SIDE + k] / root;
		barrier(CLK_GLOBAL_MEM_FENCE);
		for (int i = k + 1 + mine; i < SIDE; i += all)
			for (int j = k + 1; j <= i; j++)
				a[i * SIDE + j] -= a[i * SIDE + k] * a[j * SIDE + k];
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}

/* b = b * inverse of the transposed lower triangle l; a row a work-item. */
kernel void trsm_rows(global const float *l, global float *b)
{
	const int i = get_global_id(0);
	for (int j = 0; j < SIDE; j++) {
		float x = b[i * SIDE + j];
		for (int k = 0; k < j; k++)
			x -= b[i * SIDE + k] * l[j * SIDE + k];
		b[i * SIDE + j] = x / l[j * SIDE + j];
	}
}

kernel void gemm_transposed(global const float *a, global const float *b, global float *c)
{
	const int j = get_global_id(0), i = get_global_id(1);
	float x = c[i * SIDE + j];
	for (int k = 0; k < SIDE; k++)
		x -= a[i * SIDE + k] * b[j * SIDE + k];
	c[i * SIDE + j] = x;
}

kernel void syrk(global const float *a, global float *c)
{
	const int j = get_global_id(0), i = get_global_id(1);
	float x = c[i * SIDE + j];
	if (j > i)
		return;
	for (int k = 0; k < SIDE; k++)
		x -= a[i * SIDE + k] * a[j * SIDE + k];
	c[i * SIDE + j] = x;
}

/* Without pivots; one work-group. */
kernel void getrf(global float *a)
{
	const int mine = get_local_id(0), all = get_local_size(0);
	for (int k = 0; k < SIDE - 1; k++) {
		for (int i = k + 1 + mine; i < SIDE; i += all) {
			const float x = a[i * SIDE + k] / a[k * SIDE + k];
			a[i * SIDE + k] = x;
			for (int j = k + 1; j < SIDE; j++)
				a[i * SIDE + j] -= x * a[k * SIDE + j];
		}
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}

/* b = inverse of the unit lower triangle of a * b; a column a work-item. */
kernel void trsm_lower(global const float *a, global float *b)
{
	const int j = get_global_id(0);
	for (int i = 0; i < SIDE; i++) {
		float x = b[i * SIDE + j];
		for (int k = 0; k < i; k++)
			x -= a[i * SIDE + k] * b[k * SIDE + j];
		b[i * SIDE + j] = x;
	}
}

/* b = b * inverse of the upper triangle of a; a row a work-item. */
kernel void trsm_upper(global const float *a, global float *b)
{
	const int i = get_global_id(0);
	for (int j = 0; j < SIDE; j++) {
		float x = b[i * SIDE + j];
		for (int k = 0; k < j; k++)
			x -= b[i * SIDE + k] * a[k * SIDE + j];
		b[i * SIDE + j] = x / a[j * SIDE + j];
	}
}

kernel void gemm(global const float *a, global const float *b, global float *c)
{
	const int j = get_global_id(0), i = get_global_id(1);
	float x = c[i * SIDE + j];
	for (int k = 0; k < SIDE; k++)
		x -= a[i * SIDE + k] * b[k * SIDE + j];
	c[i * SIDE + j] = x;
}

/* Each row is transformed as SIDE / 2 complex numbers, by the sum itself. */
kernel void transform(global const float2 *a, global float2 *b)
{
	const int k = get_global_id(0), i = get_global_id(1);
	float2 sum = 0;
	for (int j = 0; j < SIDE / 2; j++) {
		const float angle = -6.2831853f * (float)(j * k % (SIDE / 2)) / (SIDE / 2);
		const float2 x = a[i * (SIDE / 2) + j], w = (float2)(native_cos(angle), native_sin(angle));
		sum += (float2)(x.x * w.x - x.y * w.y, x.x * w.y + x.y * w.x);
	}
	b[i * (SIDE / 2) + k] = sum / sqrt(SIDE / 2.0f);
}

kernel void butterfly(global float2 *a, global float2 *b)
{
	const int i = get_global_id(0);
	const float2 x = a[i], y = b[i];
	a[i] = (x + y) * 0.70710678f;
	b[i] = (x - y) * 0.70710678f;
}

/* The mean of a box; columns beyond the tile are those of neighbours in the row. */
kernel void stencil(global const float *middle, global const float *left, global const float *right,
                    global float *out)
{
	const int j = get_global_id(0), i = get_global_id(1);
	float sum = 0;
	for (int y = i - RADIUS; y <= i + RADIUS; y++)
		for (int x = j - RADIUS; x <= j + RADIUS; x++) {
			const int row = clamp(y, 0, SIDE - 1) * SIDE;
			sum += x < 0       ? left[row + x + SIDE]
			       : x >= SIDE ? right[row + x - SIDE]
			                   : middle[row + x];
		}
	out[i * SIDE + j] = sum / ((2 * RADIUS + 1) * (2 * RADIUS + 1));
}

/* The three that follow keep what they write below 1, however many there are in a row. */
float below_one(float x)
{
	return x / (1 + fabs(x));
}

kernel void polynomial(global const float *a, global float *b)
{
	const int i = get_global_id(0);
	float x = fabs(below_one(a[i])), y = fabs(below_one(b[i]));
	for (int trip = 0; trip < 200; trip++)
		y = y + 0.125f * (x - y * y);
	b[i] = below_one(y);
}

kernel void blend(global const float *a, global const float *b, global float *c)
{
	const int j = get_global_id(0), i = get_global_id(1);
	float x = 0;
	for (int k = 0; k < SIDE; k++)
		x += a[i * SIDE + k] * b[k * SIDE + j];
	c[i * SIDE + j] = below_one(0.5f * c[i * SIDE + j] + x / SIDE);
}

/* A row a work-item, each element by the one before. */
kernel void smooth(global const float *a, global float *b)
{
	const int i = get_global_id(0);
	float x = 0;
	for (int j = 0; j < SIDE; j++) {
		x = 0.5f * x + 0.5f * a[i * SIDE + j];
		b[i * SIDE + j] = below_one(0.5f * b[i * SIDE + j] + x);
	}
}
