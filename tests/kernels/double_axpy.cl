/* SPDX-License-Identifier: Apache-2.0 */
/* y = a x + y in double precision. */
// launch: global=1048576 local=64 args=double:2,buffer:8M:r,buffer:8M:rw
// expect: kernel double_axpy
// expect: argument a scalar double
// expect: argument x buffer double
// expect: written mul.double 1
// expect: written add.double 1
// expect: written add.float 0
// expect: accesses 3
// expect: segments x 8
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void double_axpy(double a, global const double *x, global double *y)
{
	size_t i = get_global_id(0);

	y[i] = a * x[i] + y[i];
}
