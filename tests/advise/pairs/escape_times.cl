// SPDX-License-Identifier: Apache-2.0
//
// Steps until a point of the plane escapes: one point a work-item, against eight that go on while
// one of them has not.

__kernel void bad(__global const float *re, __global const float *im, __global int *out, int most)
{
	const uint i = get_global_id(0);
	const float a = re[i], b = im[i];
	float x = 0.0f, y = 0.0f;
	int n = 0;

	while (n < most && x * x + y * y < 4.0f) {
		const float t = x * x - y * y + a;

		y = 2.0f * x * y + b;
		x = t;
		n++;
	}
	out[i] = n;
}

__kernel void good(__global const float *re, __global const float *im, __global int *out, int most)
{
	const uint i = get_global_id(0);
	const float8 a = vload8(i, re), b = vload8(i, im);
	float8 x = 0.0f, y = 0.0f;
	int8 n = 0, inside = -1;

	for (int k = 0; k < most && any(inside); k++) {
		inside &= x * x + y * y < 4.0f;

		const float8 t = x * x - y * y + a;

		y = 2.0f * x * y + b;
		x = t;
		n -= inside;
	}
	vstore8(n, i, out);
}
