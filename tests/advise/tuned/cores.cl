// SPDX-License-Identifier: Apache-2.0
//
// Written for the cores of CPUs: rows and chunks a work-item, float16, no local memory, no
// barriers.

__kernel void row_dot(__global const float16 *m, __global const float16 *v, __global float *out,
                      uint wide)
{
	__global const float16 *row = m + get_global_id(0) * wide;
	float16 sum = 0.0f;

	for (uint k = 0; k < wide; k++)
		sum += row[k] * v[k];
	const float8 eight = sum.lo + sum.hi;
	const float4 four = eight.lo + eight.hi;
	out[get_global_id(0)] = (four.x + four.y) + (four.z + four.w);
}

__kernel void chunk_sum(__global const float16 *in, __global float *out, uint each)
{
	__global const float16 *own = in + get_global_id(0) * each;
	float16 a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;

	for (uint k = 0; k < each; k += 4) {
		a += own[k];
		b += own[k + 1];
		c += own[k + 2];
		d += own[k + 3];
	}
	const float16 sum = (a + b) + (c + d);
	const float8 eight = sum.lo + sum.hi;
	const float4 four = eight.lo + eight.hi;
	out[get_global_id(0)] = (four.x + four.y) + (four.z + four.w);
}

__kernel void gemm_4x16(__global const float *a, __global const float16 *b, __global float16 *c,
                        uint n)
{
	const uint wide = n / 16, column = get_global_id(0), row = get_global_id(1) * 4;
	float16 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;

	for (uint k = 0; k < n; k++) {
		const float16 top = b[k * wide + column];
		s0 += a[row * n + k] * top;
		s1 += a[(row + 1) * n + k] * top;
		s2 += a[(row + 2) * n + k] * top;
		s3 += a[(row + 3) * n + k] * top;
	}
	c[row * wide + column] = s0;
	c[(row + 1) * wide + column] = s1;
	c[(row + 2) * wide + column] = s2;
	c[(row + 3) * wide + column] = s3;
}

__kernel void blur_row(__global const float *in, __global float *out, int pitch)
{
	const int x = get_global_id(0), y = get_global_id(1);
	__global const float *at = in + (y + 1) * pitch + x + 1;

	out[y * pitch + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-pitch] + at[pitch]);
}

__kernel void growth(__global const float *in, __global float *out)
{
	float x = in[get_global_id(0)];

	for (uint k = 0; k < 100; k++)
		x += 0.02f * x * (1.0f - x);
	out[get_global_id(0)] = x;
}

__kernel void all_distances(__global const float *x, __global const float *y,
                            __global const float *z, __global float *out, uint n)
{
	const uint i = get_global_id(0);
	const float ox = x[i], oy = y[i], oz = z[i];
	float sum = 0.0f;

	for (uint k = 0; k < n; k++) {
		const float dx = x[k] - ox, dy = y[k] - oy, dz = z[k] - oz;
		sum += dx * dx + dy * dy + dz * dz;
	}
	out[i] = sum;
}
