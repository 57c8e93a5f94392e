/* SPDX-License-Identifier: Apache-2.0 */
/* A vector scaled in place, a chunk of four elements per work-item, neighbours far apart. */
// launch: global=1048576 local=128 args=buffer:16M:rw,float:2
// expect: kernel scale
// expect: written mul.float 4
// expect: emitted mul.float 4
// expect: trips 15 4
// expect: accesses 2
// expect: segments x 16
// expect: barriers 0
kernel void scale(global float *x, float factor)
{
	int first = get_global_id(0) * 4;

	for (int k = 0; k < 4; k++)
		x[first + k] *= factor;
}
