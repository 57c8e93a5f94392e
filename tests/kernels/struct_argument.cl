/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters passed as one struct by value. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:w,bytes:16
// expect: kernel affine
// expect: written mul.float 1
// expect: written add.float 1
// expect: accesses 2
// expect: load in coalesced
// expect: store out coalesced
// expect: segments in 4
struct parameters {
	float slope, offset;
	int unused[2];
};

kernel void affine(global const float *in, global float *out, struct parameters p)
{
	size_t i = get_global_id(0);

	out[i] = p.slope * in[i] + p.offset;
}
