/* SPDX-License-Identifier: Apache-2.0 */
/* Where each work-group's greatest value stands. */
kernel void index_of_maximum(global const float *in, global int *where, local float *values,
                             local int *places)
{
	int lid = get_local_id(0);
	int gid = get_global_id(0);

	values[lid] = in[gid];
	places[lid] = gid;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
		if (lid < step && values[lid + step] > values[lid]) {
			values[lid] = values[lid + step];
			places[lid] = places[lid + step];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		where[get_group_id(0)] = places[0];
}
