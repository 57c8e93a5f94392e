// SPDX-License-Identifier: Apache-2.0
//
// Kernels of tuned/ with vectors of results: a work-item has eight, or four, that lie beside each
// other.

__kernel void seven_points(__global const float *in, __global float *out, int nx, int ny, int nz)
{
	const int x = 8 * get_global_id(0) + 1, y = get_global_id(1) + 1, plane = nx * ny;
	const int at = y * nx + x;
	float8 below = vload8(0, in + at), here = vload8(0, in + plane + at);

	for (int z = 1; z < nz - 1; z++) {
		const float8 above = vload8(0, in + (z + 1) * plane + at);
		__global const float *p = in + z * plane + at;

		const float8 around = below + above + vload8(0, p - 1) + vload8(0, p + 1) +
		                      vload8(0, p - nx) + vload8(0, p + nx);

		vstore8(0.4f * here + 0.1f * around, 0, out + z * plane + at);
		below = here;
		here = above;
	}
}

__kernel void hash(__global uint *out, uint rounds)
{
	const uint i = 8 * get_global_id(0);
	uint8 a = i + (uint8)(0, 1, 2, 3, 4, 5, 6, 7), b = 0x9e3779b9u, c = 0x85ebca6bu,
	      d = 0xc2b2ae35u;

	for (uint r = 0; r < rounds; r++) {
		a += bitselect(d, c, b) + r;
		b += rotate(a, (uint8)7);
		c += bitselect(a, d, b) + 0x5bd1e995u;
		d += rotate(c, (uint8)12);
	}
	vstore8(a ^ b ^ c ^ d, 0, out + i);
}

__kernel void growth(__global const float *in, __global float *out)
{
	float8 x = vload8(get_global_id(0), in);

	for (uint k = 0; k < 100; k++)
		x += 0.02f * x * (1.0f - x);
	vstore8(x, get_global_id(0), out);
}

__kernel void all_distances(__global const float *x, __global const float *y,
                            __global const float *z, __global float *out, uint n)
{
	const uint i = get_global_id(0);
	const float8 ox = vload8(i, x), oy = vload8(i, y), oz = vload8(i, z);
	float8 sum = 0.0f;

	for (uint k = 0; k < n; k++) {
		const float8 dx = x[k] - ox, dy = y[k] - oy, dz = z[k] - oz;

		sum += dx * dx + dy * dy + dz * dz;
	}
	vstore8(sum, i, out);
}

float8 tails(float8 d)
{
	const float8 k = native_recip(mad((float8)(0.2316419f), fabs(d), (float8)(1.0f)));
	const float8 inner = mad(k, mad(k, (float8)(1.330274429f), (float8)(-1.821255978f)),
	                         (float8)(1.781477937f));
	const float8 t = 0.3989422804f * native_exp(-0.5f * d * d) * k *
	                 mad(k, mad(k, inner, (float8)(-0.356563782f)), (float8)(0.319381530f));

	return select(t, 1.0f - t, d > 0.0f);
}

__kernel void prices(__global const float8 *spot, __global const float8 *strike,
                     __global const float8 *years, __global float8 *call)
{
	const uint i = get_global_id(0);
	const float8 s = spot[i], x = strike[i], t = years[i], root = native_sqrt(t);
	const float8 ratio = native_log(native_divide(s, x));
	const float8 d1 = native_divide(mad((float8)(0.065f), t, ratio), 0.3f * root);

	call[i] = s * tails(d1) - x * native_exp(-0.02f * t) * tails(d1 - 0.3f * root);
}

__kernel void blur_row(__global const float *in, __global float *out, int pitch)
{
	const int x = 8 * get_global_id(0), y = get_global_id(1);
	__global const float *at = in + (y + 1) * pitch + x + 1;

	vstore8(0.2f * (vload8(0, at) + vload8(0, at - 1) + vload8(0, at + 1) +
	                vload8(0, at - pitch) + vload8(0, at + pitch)),
	        0, out + y * pitch + x);
}
