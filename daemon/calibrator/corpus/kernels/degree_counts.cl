/* SPDX-License-Identifier: Apache-2.0 */
kernel void degree_counts(global const int *from, global const int *to, global int *out,
                          global int *in)
{
	int edge = get_global_id(0);

	atomic_add(&out[from[edge]], 1);
	atomic_add(&in[to[edge]], 1);
}
