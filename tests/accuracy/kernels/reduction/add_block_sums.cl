/* SPDX-License-Identifier: Apache-2.0 */
/* Last pass of a scan: every block gets the sum of those before it. */
kernel void add_block_sums(global int *data, global const int *sums)
{
	data[get_global_id(0)] += sums[get_group_id(0)];
}
