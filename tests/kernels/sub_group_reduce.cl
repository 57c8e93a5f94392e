/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reduction within sub-groups: five exchanges between registers, and five maxima.
 */
// launch: global=65536 local=64 options="-cl-std=CL2.0" args=buffer:256K:r,buffer:8K:w
// expect: kernel sub_group_max
// expect: written minmax.float 5
// expect: written odd.float 5
// expect: barriers 0
// expect: load x coalesced
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void sub_group_max(global const float *x, global float *largest)
{
	size_t i = get_global_id(0);
	float most = sub_group_reduce_max(x[i]);

	if (get_sub_group_local_id() == 0)
		largest[i / get_sub_group_size()] = most;
}
