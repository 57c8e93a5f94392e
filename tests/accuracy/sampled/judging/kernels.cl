// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels whose time hangs on what their buffers hold, to judge predictions by: written by someone
 * who had seen neither the model nor its errors. tests/accuracy/sampled/judging/data makes the
 * data. A second launch on the same buffers does the work of the first: counters wrap, and minima
 * and sums change no path.
 */

/* --- sparse matrices --- */

/* Y = A X for a few vectors, A in ELLPACK format: a row ends at its first negative column. */
__kernel void ell_product(__global const int *column, __global const float *value,
                          __global const float *x, __global float *y, int rows, int columns,
                          int width)
{
	int row = get_global_id(0), vector = get_global_id(1);
	if (row >= rows)
		return;
	x += vector * columns;
	float sum = 0.0f;
	for (int k = 0; k < width; k++) {
		int at = column[k * rows + row];
		if (at < 0)
			break;
		sum += value[k * rows + row] * x[at];
	}
	y[vector * rows + row] = sum;
}

/* y += A x, A as coordinates; a sum of floats by compare and exchange. */
__kernel void coo_product(__global const int *row, __global const int *column,
                          __global const float *value, __global const float *x,
                          volatile __global uint *y, int entries)
{
	int i = get_global_id(0);
	if (i >= entries)
		return;
	float product = value[i] * x[column[i]];
	volatile __global uint *at = &y[row[i]];
	uint seen = *at;
	for (;;) {
		uint had = atomic_cmpxchg(at, seen, as_uint(as_float(seen) + product));
		if (had == seen)
			break;
		seen = had;
	}
}

/* y += A^T x in fixed point, A in CSR: a work-item scatters one row. */
__kernel void csr_transposed(__global const int *start, __global const int *column,
                             __global const float *value, __global const float *x, __global int *y,
                             int rows)
{
	int row = get_global_id(0);
	if (row >= rows)
		return;
	float scaled = 1024.0f * x[row];
	for (int k = start[row]; k < start[row + 1]; k++)
		atomic_add(&y[column[k]], (int)(value[k] * scaled));
}

/* Y = A X with 16 columns of X: neighbouring work-items share a row. */
__kernel void csr_times_16(__global const int *start, __global const int *column,
                           __global const float *value, __global const float *x, __global float *y,
                           int rows)
{
	int lane = get_global_id(0), row = get_global_id(1);
	if (row >= rows)
		return;
	float sum = 0.0f;
	for (int k = start[row]; k < start[row + 1]; k++)
		sum += value[k] * x[16 * column[k] + lane];
	y[16 * row + lane] = sum;
}

/* The largest of each segment: a work-group of 64 a segment, a tree in local memory. */
__kernel void segment_max(__global const int *start, __global const float *value,
                          __global float *largest)
{
	__local float part[64];
	int lane = get_local_id(0), segment = get_group_id(0);
	float most = -INFINITY;
	for (int k = start[segment] + lane; k < start[segment + 1]; k += 64)
		most = fmax(most, value[k]);
	part[lane] = most;
	for (int half_of = 32; half_of > 0; half_of >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < half_of)
			part[lane] = fmax(part[lane], part[lane + half_of]);
	}
	if (lane == 0)
		largest[segment] = part[0];
}

/* --- graphs, as CSR; the second dimension counts searches, or trials, over the same graph --- */

/* Ranks by pulling, for several sets of seeds. */
__kernel void pagerank_pull(__global const int *start, __global const int *source,
                            __global const int *degree, __global const float *rank,
                            __global float *next, int nodes)
{
	int node = get_global_id(0), first = get_global_id(1) * nodes;
	if (node >= nodes)
		return;
	float sum = 0.0f;
	for (int k = start[node]; k < start[node + 1]; k++) {
		int from = source[k];
		sum += rank[first + from] / (float)degree[from];
	}
	next[first + node] = 0.15f / (float)nodes + 0.85f * sum;
}

/* One round of Bellman and Ford: nodes that changed relax their edges. */
__kernel void relax_edges(__global const int *start, __global const int *target,
                          __global const int *length, __global const uchar *changed,
                          __global int *distance, int nodes)
{
	int node = get_global_id(0), first = get_global_id(1) * nodes;
	if (node >= nodes || !changed[first + node])
		return;
	int here = distance[first + node];
	for (int k = start[node]; k < start[node + 1]; k++)
		atomic_min(&distance[first + target[k]], here + length[k]);
}

/* A level of breadth-first search from below: who is not visited looks for a parent in the
 * frontier. */
__kernel void find_parent(__global const int *start, __global const int *target,
                          __global const uint *visited, __global const uint *frontier,
                          __global int *parent, int nodes)
{
	int node = get_global_id(0), search = get_global_id(1),
	    first = search * ((nodes + 31) / 32);
	if (node >= nodes || visited[first + (node >> 5)] >> (node & 31) & 1u)
		return;
	for (int k = start[node]; k < start[node + 1]; k++) {
		int other = target[k];
		if (frontier[first + (other >> 5)] >> (other & 31) & 1u) {
			parent[search * nodes + node] = other;
			break;
		}
	}
}

/* Triangles on each edge: what two sorted lists have in common. */
__kernel void common_neighbours(__global const int2 *edge, __global const int *start,
                                __global const int *target, __global int *common, int edges)
{
	int i = get_global_id(0);
	if (i >= edges)
		return;
	int2 ends = edge[i];
	int a = start[ends.x], a_end = start[ends.x + 1];
	int b = start[ends.y], b_end = start[ends.y + 1];
	int count = 0;
	while (a < a_end && b < b_end) {
		int left = target[a], right = target[b];
		count += left == right;
		a += left <= right;
		b += right <= left;
	}
	common[i] = count;
}

/* A round of Luby's independent set: an undecided node joins unless an undecided neighbour precedes
 * it. */
__kernel void independent_set(__global const int *start, __global const int *target,
                              __global const uchar *decided, __global int *joins, int nodes)
{
	int node = get_global_id(0), first = get_global_id(1) * nodes;
	if (node >= nodes || decided[first + node])
		return;
	uint mine = (uint)(first + node) * 2654435761u;
	int joining = 1;
	for (int k = start[node]; k < start[node + 1]; k++) {
		int other = target[k];
		if (!decided[first + other] && (uint)(first + other) * 2654435761u > mine) {
			joining = 0;
			break;
		}
	}
	joins[first + node] = joining;
}

/* Connected components half way: both ends of an edge climb to their roots. */
__kernel void edge_roots(__global const int2 *edge, __global const int *parent,
                         __global int2 *roots, int edges)
{
	int i = get_global_id(0);
	if (i >= edges)
		return;
	int2 at = edge[i];
	for (int up = parent[at.x]; up != at.x; up = parent[at.x])
		at.x = up;
	for (int up = parent[at.y]; up != at.y; up = parent[at.y])
		at.y = up;
	roots[i] = at;
}

/* --- particles and boxes --- */

/* Forces within a radius of one cell; particles are sorted by cell. */
__kernel void cell_forces(__global const float2 *position, __global const int *cell_start,
                          __global float2 *force, int side)
{
	int i = get_global_id(0);
	float2 here = position[i], sum = (float2)(0.0f, 0.0f);
	int column = clamp((int)here.x, 0, side - 1), row = clamp((int)here.y, 0, side - 1);
	for (int y = max(row - 1, 0); y <= min(row + 1, side - 1); y++)
		for (int x = max(column - 1, 0); x <= min(column + 1, side - 1); x++) {
			int cell = y * side + x;
			for (int j = cell_start[cell]; j < cell_start[cell + 1]; j++) {
				float2 apart = here - position[j];
				float square = dot(apart, apart);
				if (square < 1.0f && j != i) {
					float inverse = rsqrt(square + 0.01f);
					sum += apart * (inverse * inverse * inverse);
				}
			}
		}
	force[i] = sum;
}

/* Sweep and prune: boxes sorted by their left edge (x, y, right, top). */
__kernel void sweep_boxes(__global const int4 *box, __global int *touching, int boxes)
{
	int i = get_global_id(0);
	if (i >= boxes)
		return;
	int4 mine = box[i];
	int count = 0;
	for (int j = i + 1; j < boxes && box[j].x <= mine.z; j++)
		if (box[j].y <= mine.w && mine.y <= box[j].w)
			count++;
	touching[i] = count;
}

/* --- tables and joins --- */

__kernel void chained_lookup(__global const int *head, __global const int *next,
                             __global const uint *key, __global const uint *query,
                             __global int *found, uint mask)
{
	int i = get_global_id(0);
	uint wanted = query[i];
	int at = head[wanted & mask];
	while (at >= 0 && key[at] != wanted)
		at = next[at];
	found[i] = at;
}

/* Inserts keys other than 0 into a table with open addressing, linear probes. */
__kernel void hash_insert(__global const uint *key, volatile __global uint *table,
                          __global uint *slot, uint mask)
{
	int i = get_global_id(0);
	uint mine = key[i], at = mine * 2654435769u >> 7 & mask;
	for (;;) {
		uint had = atomic_cmpxchg(&table[at], 0u, mine);
		if (had == 0u || had == mine)
			break;
		at = (at + 1u) & mask;
	}
	slot[i] = at;
}

/* Joins on a sorted key: finds the first match by bisection, then adds up all of them. */
__kernel void sorted_join(__global const int *left_key, __global const int *left_value,
                          __global const int *right_key, __global int *sum, int left_count)
{
	int i = get_global_id(0);
	int wanted = right_key[i], low = 0, high = left_count;
	while (low < high) {
		int middle = (low + high) / 2;
		if (left_key[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	int total = 0;
	for (; low < left_count && left_key[low] == wanted; low++)
		total += left_value[low];
	sum[i] = total;
}

/* --- texts and codes --- */

/* The longest word of a trie that begins at each byte; 32 children a node, 0 is none. */
__kernel void trie_match(__global const uchar *text, __global const ushort *child,
                         __global const uchar *is_word, __global uchar *longest, int length)
{
	int i = get_global_id(0);
	int node = 0, best = 0;
	for (int at = i; at < length; at++) {
		int letter = (text[at] | 32) - 'a';
		if (letter < 0 || letter > 25)
			break;
		node = child[32 * node + letter];
		if (node == 0)
			break;
		if (is_word[node])
			best = at - i + 1;
	}
	longest[i] = (uchar)min(best, 255);
}

/* FNV-1a of strings that end with 0. */
__kernel void string_hash(__global const int *offset, __global const uchar *text,
                          __global uint *hash, int strings)
{
	int i = get_global_id(0);
	if (i >= strings)
		return;
	uint sum = 2166136261u;
	for (int at = offset[i]; text[at] != 0; at++)
		sum = (sum ^ text[at]) * 16777619u;
	hash[i] = sum;
}

/* Levenshtein's distance of pairs of words of at most 24 letters, given up where it passes `most`.
 */
__kernel void edit_distance(__global const uchar *word, __global const uchar *length,
                            __global const int2 *pair, __global uchar *distance, int most)
{
	int i = get_global_id(0);
	int2 of = pair[i];
	int rows = length[of.x], columns = length[of.y];
	uchar row[25];
	for (int c = 0; c <= columns; c++)
		row[c] = (uchar)c;
	for (int r = 1; r <= rows; r++) {
		uchar letter = word[24 * of.x + r - 1];
		int corner = row[0], least = r;
		row[0] = (uchar)r;
		for (int c = 1; c <= columns; c++) {
			int change = corner + (word[24 * of.y + c - 1] != letter);
			corner = row[c];
			int here = min(change, min(corner, (int)row[c - 1]) + 1);
			row[c] = (uchar)here;
			least = min(least, here);
		}
		if (least > most)
			break;
	}
	distance[i] = row[columns];
}

/* Huffman's code, a bit at a time: 32 symbols a block; a leaf is the complement of its symbol. */
__kernel void huffman_decode(__global const uint *stream, __global const int *block_start,
                             __global const short2 *node, __global uchar *symbol)
{
	int block = get_global_id(0);
	int bit = 32 * block_start[block];
	for (int s = 0; s < 32; s++) {
		int at = 0;
		do {
			short2 children = node[at];
			at = stream[bit >> 5] >> (bit & 31) & 1u ? children.y : children.x;
			bit++;
		} while (at >= 0);
		symbol[32 * block + s] = (uchar)~at;
	}
}

/* Runs become bytes: run i covers start[i] up to start[i + 1]. */
__kernel void run_expand(__global const int *start, __global const uchar *value,
                         __global uchar *out, int runs)
{
	int i = get_global_id(0);
	if (i >= runs)
		return;
	uchar fill = value[i];
	for (int at = start[i]; at < start[i + 1]; at++)
		out[at] = fill;
}

/* --- pictures and volumes --- */

/* Front to back through a volume, until what lies behind no longer shows. */
__kernel void ray_march(__global const uchar *volume, __global float *shade, int side, int floor_of,
                        float density)
{
	int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
	int column = x * side / width, row = y * side / (int)get_global_size(1);
	float light = 0.0f, through = 1.0f;
	for (int z = 0; z < side; z++) {
		int value = volume[(z * side + row) * side + ((column + z / 4) & (side - 1))];
		if (value <= floor_of)
			continue;
		float opacity = 1.0f - exp(-density * (float)(value - floor_of));
		light += through * opacity * (float)value;
		through *= 1.0f - opacity;
		if (through < 0.02f)
			break;
	}
	shade[y * width + x] = light;
}

/* Through a field of distances to the nearest surface, as far at once as it is empty. */
__kernel void sphere_trace(__global const uchar *field, __global float *depth, int side)
{
	int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
	float scale = (float)side / (float)width;
	float3 at = (float3)(scale * (float)x, scale * (float)y, 0.0f);
	float3 direction = normalize((float3)(0.3f * ((float)x / (float)width - 0.5f), 0.2f, 1.0f));
	float gone = 0.0f;
	for (int step = 0; step < 4 * side; step++) {
		float3 here = at + gone * direction;
		int3 cell = convert_int3(here);
		if (cell.x < 0 || cell.x >= side || cell.y >= side || cell.z >= side)
			break;
		int clear_of = field[(cell.z * side + cell.y) * side + cell.x];
		if (clear_of == 0)
			break;
		gone += fmax((float)clear_of - 1.0f, 0.5f);
	}
	depth[y * width + x] = gone;
}

/* How far a pixel's row stays like it, to both sides, as a region grows. */
__kernel void line_extent(__global const uchar *picture, __global int *extent, int width,
                          int tolerance)
{
	int x = get_global_id(0), y = get_global_id(1);
	__global const uchar *row = picture + y * width;
	int value = row[x], left = x, right = x;
	while (left > 0 && abs(row[left - 1] - value) <= tolerance)
		left--;
	while (right < width - 1 && abs(row[right + 1] - value) <= tolerance)
		right++;
	extent[y * width + x] = right - left + 1;
}

/* Marching squares: cells that the level crosses are listed, with where it crosses their edges. */
__kernel void marching_squares(__global const float *field, __global float4 *crossing,
                               __global int *count, int width, int height, float level, int mask)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x >= width - 1 || y >= height - 1)
		return;
	float a = field[y * width + x], b = field[y * width + x + 1];
	float c = field[(y + 1) * width + x], d = field[(y + 1) * width + x + 1];
	int kind = (a > level) | (b > level) << 1 | (c > level) << 2 | (d > level) << 3;
	if (kind == 0 || kind == 15)
		return;
	float4 at = (float4)(-1.0f, -1.0f, -1.0f, -1.0f);
	if ((a > level) != (b > level))
		at.x = (level - a) / (b - a);
	if ((c > level) != (d > level))
		at.y = (level - c) / (d - c);
	if ((a > level) != (c > level))
		at.z = (level - a) / (c - a);
	if ((b > level) != (d > level))
		at.w = (level - b) / (d - b);
	int slot = atomic_inc(count) & mask;
	crossing[slot] = at;
}

/* Pixels that are black or white are noise: the mean of others, in a window that grows until it has
 * three. */
__kernel void mend_pixels(__global const uchar *picture, __global uchar *mended, int width,
                          int height)
{
	int x = get_global_id(0), y = get_global_id(1);
	int value = picture[y * width + x];
	if (value == 0 || value == 255) {
		for (int radius = 1; radius <= 6; radius++) {
			int sum = 0, count = 0;
			for (int v = max(y - radius, 0); v <= min(y + radius, height - 1); v++)
				for (int u = max(x - radius, 0); u <= min(x + radius, width - 1);
				     u++) {
					int other = picture[v * width + u];
					if (other != 0 && other != 255) {
						sum += other;
						count++;
					}
				}
			if (count >= 3) {
				value = sum / count;
				break;
			}
		}
	}
	mended[y * width + x] = (uchar)value;
}

/* A histogram of bytes: each work-group's own in local memory, then into the one of all. */
__kernel void local_histogram(__global const uchar *byte, __global int *bins, int each)
{
	__local int own[256];
	int lane = get_local_id(0), width = get_local_size(0);
	for (int b = lane; b < 256; b += width)
		own[b] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	int first = get_group_id(0) * width * each;
	for (int k = 0; k < each; k++)
		atomic_inc(&own[byte[first + k * width + lane]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int b = lane; b < 256; b += width)
		if (own[b] != 0)
			atomic_add(&bins[b], own[b]);
}

/* Down a pyramid of least and greatest values, from blocks of 64 x 64, until a block is even. */
__kernel void quadtree_depth(__global const uchar *least, __global const uchar *greatest,
                             __global uchar *depth, int side, int tolerance)
{
	int x = get_global_id(0), y = get_global_id(1);
	int level = 6, base = 0;
	for (; level > 0; level--) {
		int width = side >> level, at = base + (y >> level) * width + (x >> level);
		if (greatest[at] - least[at] <= tolerance)
			break;
		base += width * width;
	}
	depth[y * side + x] = (uchar)level;
}

/* --- learning --- */

/* Assignment with Hamerly's bounds: a point whose bounds hold stays where it is. */
__kernel void assign_bounded(__global const uchar *point, __global const float *centre,
                             __global const float *upper, __global const float *lower,
                             __global int *assigned, int points, int dimensions, int centres)
{
	int i = get_global_id(0);
	if (i >= points || upper[i] <= lower[i])
		return;
	float best = INFINITY;
	int nearest = 0;
	for (int c = 0; c < centres; c++) {
		float square = 0.0f;
		for (int d = 0; d < dimensions; d++) {
			float apart = (float)point[d * points + i] - centre[c * dimensions + d];
			square = fma(apart, apart, square);
		}
		if (square < best) {
			best = square;
			nearest = c;
		}
	}
	assigned[i] = nearest;
}

/* A forest of decision trees: a node has a feature (negative: a leaf), a threshold and two
 * children. */
__kernel void forest_votes(__global const uchar *sample, __global const short *feature,
                           __global const float *threshold, __global const int2 *child,
                           __global const int *root, __global float *vote, int features, int trees)
{
	int i = get_global_id(0);
	__global const uchar *mine = sample + i * features;
	float sum = 0.0f;
	for (int t = 0; t < trees; t++) {
		int node = root[t];
		for (int f = feature[node]; f >= 0; f = feature[node])
			node = (float)mine[f] <= threshold[node] ? child[node].x : child[node].y;
		sum += threshold[node];
	}
	vote[i] = sum;
}

/* The nearest of points in an implicit k-d tree of three dimensions (children of n: 2n + 1, 2n +
 * 2). */
__kernel void kd_nearest(__global const float4 *tree, __global const float4 *query,
                         __global float *distance, int nodes)
{
	int i = get_global_id(0);
	float4 mine = query[i];
	int waiting[24], depth_of[24], top = 0;
	float bound_of[24], best = INFINITY;
	waiting[0] = 0;
	depth_of[0] = 0;
	bound_of[0] = 0.0f;
	top = 1;
	while (top > 0) {
		top--;
		int node = waiting[top], depth = depth_of[top];
		if (bound_of[top] >= best)
			continue;
		while (node < nodes) {
			float4 apart = mine - tree[node];
			best = fmin(best,
			            apart.x * apart.x + apart.y * apart.y + apart.z * apart.z);
			int axis = depth % 3;
			float side = axis == 0 ? apart.x : axis == 1 ? apart.y : apart.z;
			int near_child = 2 * node + (side < 0.0f ? 1 : 2),
			    far_child = 4 * node + 3 - near_child;
			depth++;
			if (far_child < nodes && side * side < best) {
				waiting[top] = far_child;
				depth_of[top] = depth;
				bound_of[top] = side * side;
				top++;
			}
			node = near_child;
		}
	}
	distance[i] = sqrt(best);
}

/* --- queues, classes, orders, iterations --- */

/* Entries below a threshold go to a queue, a work-group's at once, and are worked on. */
__kernel void compact_queue(__global const ushort *key, __global uint *queue, __global int *count,
                            int threshold, int mask)
{
	__local int here, base;
	int i = get_global_id(0), lane = get_local_id(0), rank = 0;
	if (lane == 0)
		here = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	bool chosen = key[i] < threshold;
	if (chosen)
		rank = atomic_inc(&here);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lane == 0)
		base = atomic_add(count, here);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (!chosen)
		return;
	uint state = (uint)i | 1u;
	for (int k = 0; k < 48; k++) {
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
	}
	queue[(base + rank) & mask] = state;
}

/* Each class costs something else. */
__kernel void work_by_class(__global const uchar *class_of, __global const float *in,
                            __global float *out)
{
	int i = get_global_id(0);
	float value = in[i], sum = value;
	switch (class_of[i]) {
	case 0:
		break;
	case 1:
		sum = sqrt(value) + 1.0f;
		break;
	case 2:
		for (int k = 0; k < 16; k++)
			sum = fma(sum, value, 0.5f);
		break;
	case 3:
		for (int k = 0; k < 16; k++)
			sum += exp(-sum * value);
		break;
	case 4:
		for (int k = 0; k < 64; k++)
			sum = sum / (value + 1.25f) + 0.75f;
		break;
	default:
		for (int k = 0; k < 8; k++)
			sum += sin(sum + (float)k) * cos(value);
		break;
	}
	out[i] = sum;
}

/* Rows of 64 bytes in another order; four work-items a row. */
__kernel void permute_rows(__global const int *order, __global const float4 *in,
                           __global float4 *out)
{
	int i = get_global_id(0);
	out[i] = in[4 * order[i >> 2] + (i & 3)];
}

/* Euclid's algorithm. */
__kernel void common_divisor(__global const uint2 *pair, __global uint *divisor)
{
	int i = get_global_id(0);
	uint a = pair[i].x, b = pair[i].y;
	while (b != 0u) {
		uint rest = a % b;
		a = b;
		b = rest;
	}
	divisor[i] = a;
}

/* Kepler's equation by Newton's method, as exactly as asked. */
__kernel void kepler_solve(__global const float *eccentricity, __global const float *mean_anomaly,
                           __global float *anomaly)
{
	int i = get_global_id(0);
	float e = eccentricity[i], mean = mean_anomaly[i], at = mean;
	for (int k = 0; k < 60; k++) {
		float step = (at - e * sin(at) - mean) / (1.0f - e * cos(at));
		at -= step;
		if (fabs(step) < 1e-5f)
			break;
	}
	anomaly[i] = at;
}
