/* SPDX-License-Identifier: Apache-2.0 */
/* All work-item functions in three dimensions, with a required work-group size. */
// launch: global=64,64,16 local=32,4,2 args=buffer:256K:w
// expect: kernel number_items
// expect: required_local 32 4 2
// expect: accesses 1
// expect: store out coalesced
// expect: segments out 4
// expect: barriers 0
kernel __attribute__((reqd_work_group_size(32, 4, 2))) void number_items(global uint *out)
{
	uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	uint i = (z * (uint)get_global_size(1) + y) * (uint)get_global_size(0) + x;

	out[i] = (uint)(get_group_id(2) * get_num_groups(1) + get_local_id(1) + get_work_dim());
}
