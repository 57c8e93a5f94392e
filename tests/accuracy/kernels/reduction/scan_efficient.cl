/* SPDX-License-Identifier: Apache-2.0 */
/* Exclusive scan within work-groups by an up-sweep and a down-sweep; two elements a work-item. */
kernel void scan_efficient(global const int *in, global int *out, global int *sums, local int *tree)
{
	int lid = get_local_id(0);
	int size = 2 * get_local_size(0);
	int base = get_group_id(0) * size;
	int offset = 1;

	tree[2 * lid] = in[base + 2 * lid];
	tree[2 * lid + 1] = in[base + 2 * lid + 1];
	for (int active = size >> 1; active > 0; active >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid < active)
			tree[offset * (2 * lid + 2) - 1] += tree[offset * (2 * lid + 1) - 1];
		offset *= 2;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		sums[get_group_id(0)] = tree[size - 1];
		tree[size - 1] = 0;
	}
	for (int active = 1; active < size; active *= 2) {
		offset >>= 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid < active) {
			int from = offset * (2 * lid + 1) - 1;
			int to = offset * (2 * lid + 2) - 1;
			int kept = tree[from];
			tree[from] = tree[to];
			tree[to] += kept;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[base + 2 * lid] = tree[2 * lid];
	out[base + 2 * lid + 1] = tree[2 * lid + 1];
}
