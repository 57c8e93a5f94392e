/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reduction of the work-group by the built-in function: through local memory, with a barrier
 * after the store and after each of six doublings for 64 work-items.
 */
// launch: global=65536 local=64 options="-cl-std=CL2.0" args=buffer:256K:r,buffer:4K:w
// expect: kernel group_sum
// expect: trips 18 6
// expect: barriers 7
// expect: load x coalesced
// expect: load work_group_scratch local
// expect: store work_group_scratch local
// expect: local_bytes 1024
kernel void group_sum(global const float *x, global float *sums)
{
	size_t i = get_global_id(0);

	float sum = work_group_reduce_add(x[i]);
	if (get_local_id(0) == 0)
		sums[get_group_id(0)] = sum;
}
