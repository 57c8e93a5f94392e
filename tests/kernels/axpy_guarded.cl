/* SPDX-License-Identifier: Apache-2.0 */
/* y = a x + y with the usual guard against a rounded-up NDRange. */
// launch: global=1048576 local=64 args=uint:1048576,float:2,buffer:4M:r,buffer:4M:rw
// expect: kernel axpy
// expect: argument n scalar uint
// expect: argument a scalar float
// expect: written mul.float 1
// expect: written add.float 1
// expect: written compare.int 1
// expect: accesses 3
// expect: segments x 4
// expect: barriers 0
kernel void axpy(uint n, float a, global const float *x, global float *y)
{
	uint i = get_global_id(0);

	if (i < n)
		y[i] = a * x[i] + y[i];
}
