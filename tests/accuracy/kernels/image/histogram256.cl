/* SPDX-License-Identifier: Apache-2.0 */
/* Histogram of bytes: counted in local memory by atomics, then added to the result. */
kernel void histogram256(global const uchar *data, global uint *bins, int count)
{
	local uint counts[256];
	int lid = get_local_id(0);
	int size = get_local_size(0);

	for (int i = lid; i < 256; i += size)
		counts[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = get_global_id(0); i < count; i += get_global_size(0))
		atomic_inc(&counts[data[i]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = lid; i < 256; i += size)
		atomic_add(&bins[i], counts[i]);
}
