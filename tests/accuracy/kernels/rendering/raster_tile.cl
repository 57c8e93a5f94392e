/* SPDX-License-Identifier: Apache-2.0 */
/* Triangles to pixels: a work-group copies as many as it has work-items to local memory, and each pixel keeps the
 * nearest that covers it. A corner is a place on the screen, 0 to 1, and a depth. */
typedef struct {
	float4 a, b, c;
} triangle;

float edge(float4 p, float4 q, float x, float y)
{
	return (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
}

__kernel void raster_tile(__global const triangle *triangles, __global float *nearest, __global int *which, int count,
                          int width, int height, __local triangle *batch)
{
	int x = get_global_id(0), y = get_global_id(1);
	int lid = get_local_id(1) * get_local_size(0) + get_local_id(0);
	int size = get_local_size(0) * get_local_size(1);
	float px = (x + 0.5f) / width, py = (y + 0.5f) / height;
	float best = 1.0f;
	int found = -1;

	for (int from = 0; from < count; from += size) {
		int many = min(size, count - from);
		if (lid < many)
			batch[lid] = triangles[from + lid];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < many; k++) {
			__local const triangle *t = batch + k;
			float wa = edge(t->b, t->c, px, py);
			float wb = edge(t->c, t->a, px, py);
			float wc = edge(t->a, t->b, px, py);
			if ((wa < 0 || wb < 0 || wc < 0) && (wa > 0 || wb > 0 || wc > 0))
				continue;
			float z = (wa * t->a.z + wb * t->b.z + wc * t->c.z) / (wa + wb + wc);
			if (z < best) {
				best = z;
				found = from + k;
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (x < width && y < height) {
		nearest[y * width + x] = best;
		which[y * width + x] = found;
	}
}
