/* SPDX-License-Identifier: Apache-2.0 */
/* A table of the program's own, read by all work-items alike. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w
// expect: kernel polynomial
// expect: ir array constant float coefficients 32
// expect: trips 21 8
// expect: load coefficients interval
// expect: segments coefficients 1
// expect: folded coefficients
// expect: written mul.float 8
// expect: written add.float 8
// expect: accesses 3
constant float coefficients[8] = {1.0f, 0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f, 0.015625f, 0.0078f};

kernel void polynomial(global const float *in, global float *out)
{
	size_t i = get_global_id(0);
	float x = in[i];
	float y = 0.0f;

	for (int k = 0; k < 8; k++)
		y = y * x + coefficients[k];
	out[i] = y;
}
