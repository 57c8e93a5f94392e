/* SPDX-License-Identifier: Apache-2.0 */
/* An asynchronous copy: 256 elements by 64 work-items, four each; waiting is a barrier. */
// launch: global=4096 local=64 args=buffer:64K:r,buffer:16K:w,local:1K,int:256
// expect: kernel stage
// expect: trips 18 4
// expect: load source coalesced
// expect: store tile local
// expect: store target coalesced
// expect: barriers 1
kernel void stage(global const float *source, global float *target, local float *tile, int n)
{
	size_t group = get_group_id(0);
	event_t done;
	event_t none = 0;

	prefetch(source, 16);

	done = async_work_group_copy(tile, source + group * n, n, none);
	wait_group_events(1, &done);
	target[get_global_id(0)] = tile[get_local_id(0)] + tile[get_local_id(0) + 64];
}
