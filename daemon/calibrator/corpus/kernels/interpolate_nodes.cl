/* SPDX-License-Identifier: Apache-2.0 */
/* triangles of a mesh: the mean of three nodes each */
kernel void interpolate_nodes(global const int *corner, global const float4 *node,
                              global float4 *centre)
{
	int i = get_global_id(0);

	centre[i] = (node[corner[3 * i]] + node[corner[3 * i + 1]] + node[corner[3 * i + 2]]) / 3;
}
