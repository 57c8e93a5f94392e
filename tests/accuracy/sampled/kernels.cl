/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose time hangs on what their buffers hold. tests/accuracy/sampled/data makes the data. */

/* Sparse matrix-vector product, a row a work-item (Bell, Garland, SC 2009). */
kernel void spmv_row(global const int *restrict start, global const int *restrict column,
                     global const float *restrict value, global const float *restrict x,
                     global float *restrict y, int rows)
{
	int row = get_global_id(0);
	if (row >= rows)
		return;
	float sum = 0;
	for (int i = start[row]; i < start[row + 1]; i++)
		sum += value[i] * x[column[i]];
	y[row] = sum;
}

/* The same, 32 work-items a row. */
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void spmv_rows_of_32(global const int *restrict start, global const int *restrict column,
                     global const float *restrict value, global const float *restrict x,
                     global float *restrict y, int rows)
{
	local float part[128];
	int lane = get_local_id(0) & 31, row = get_global_id(0) >> 5;
	float sum = 0;
	if (row < rows)
		for (int i = start[row] + lane; i < start[row + 1]; i += 32)
			sum += value[i] * x[column[i]];
	part[get_local_id(0)] = sum;
	for (int step = 16; step > 0; step >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < step)
			part[get_local_id(0)] += part[get_local_id(0) + step];
	}
	if (lane == 0 && row < rows)
		y[row] = part[get_local_id(0)];
}

/* One level of a breadth-first search, a vertex a work-item. */
kernel void bfs_level(global const int *restrict start, global const int *restrict column,
                      global const int *restrict level, global int *restrict next, int now, int rows)
{
	int v = get_global_id(0);
	if (v >= rows || level[v] != now)
		return;
	for (int i = start[v]; i < start[v + 1]; i++) {
		int to = column[i];
		if (level[to] > now + 1)
			next[to] = now + 1;
	}
}

/* Triangles that a vertex of a graph is in: sorted neighbours are merged. */
kernel void triangles(global const int *restrict start, global const int *restrict column,
                      global int *restrict count, int rows)
{
	int v = get_global_id(0), found = 0;
	if (v >= rows)
		return;
	for (int i = start[v]; i < start[v + 1]; i++) {
		int u = column[i], a = start[v], b = start[u];
		if (u > v)
			while (a < start[v + 1] && b < start[u + 1]) {
				int left = column[a], right = column[b];
				found += left == right;
				a += left <= right;
				b += right <= left;
			}
	}
	count[v] = found;
}

kernel void gather(global const int *restrict index, global const float *restrict from,
                   global float *restrict to)
{
	to[get_global_id(0)] = from[index[get_global_id(0)]];
}

kernel void scatter(global const int *restrict index, global const float *restrict from,
                    global float *restrict to)
{
	to[index[get_global_id(0)]] = from[get_global_id(0)];
}

kernel void histogram_of_bytes(global const uchar *restrict picture, global uint *restrict bins)
{
	atomic_inc(&bins[picture[get_global_id(0)]]);
}

kernel void histogram_of_keys(global const int *restrict key, global uint *restrict bins)
{
	atomic_inc(&bins[key[get_global_id(0)]]);
}

/* Where each query would stand in sorted keys. */
kernel void lower_bound(global const int *restrict keys, global const int *restrict query,
                        global int *restrict place, int count)
{
	int low = 0, high = count, want = query[get_global_id(0)];
	while (low < high) {
		int middle = (low + high) >> 1;
		if (keys[middle] < want)
			low = middle + 1;
		else
			high = middle;
	}
	place[get_global_id(0)] = low;
}

/* What is bright is worked on. */
kernel void bright_alone(global const uchar *restrict picture, global float *restrict out, int threshold)
{
	int i = get_global_id(0);
	float v = picture[i] * (1.0f / 255);
	if (picture[i] > threshold) {
		for (int k = 0; k < 24; k++)
			v = native_exp(-v * v) + 0.25f * v;
	}
	out[i] = v;
}

/* Where a word of four letters stands in a text. */
kernel void find_word(global const uchar *restrict text, global int *restrict found, int length, uint word)
{
	int i = get_global_id(0), k = 0;
	if (i + 4 > length)
		return;
	while (k < 4 && text[i + k] == ((word >> (8 * k)) & 255))
		k++;
	if (k == 4)
		found[i & 1023] = i;
}

/* The end of the line that a letter is in. */
kernel void line_end(global const uchar *restrict text, global int *restrict end, int length)
{
	int i = get_global_id(0);
	while (i < length && text[i] != '\n')
		i++;
	end[get_global_id(0)] = i;
}

/* How long a run of equal values goes on. */
kernel void run_length(global const int *restrict value, global int *restrict length, int count)
{
	int i = get_global_id(0), j = i + 1;
	while (j < count && value[j] == value[i])
		j++;
	length[i] = j - i;
}

/* The root of a tree, by the parents of its nodes. */
kernel void find_root(global const int *restrict parent, global int *restrict root)
{
	int v = get_global_id(0);
	while (parent[v] != v)
		v = parent[v];
	root[get_global_id(0)] = v;
}

kernel void collatz(global const uint *restrict from, global uint *restrict steps)
{
	uint n = from[get_global_id(0)], count = 0;
	while (n > 1) {
		n = n & 1 ? 3 * n + 1 : n >> 1;
		count++;
	}
	steps[get_global_id(0)] = count;
}

/* Sums what the set bits of a word name. */
kernel void sum_of_bits(global const uint *restrict words, global const float *restrict table,
                        global float *restrict out)
{
	uint word = words[get_global_id(0)];
	float sum = 0;
	while (word != 0) {
		sum += table[31 - clz(word)];
		word ^= 0x80000000u >> clz(word);
	}
	out[get_global_id(0)] = sum;
}

/* A key's value in a table with linear probing; empty places hold -1. */
kernel void probe(global const int *restrict table, global const int *restrict key,
                  global int *restrict place, uint mask)
{
	int want = key[get_global_id(0)];
	uint at = (uint)want * 2654435761u & mask;
	while (table[at] != want && table[at] != -1)
		at = (at + 1) & mask;
	place[get_global_id(0)] = table[at] == want ? (int)at : -1;
}

/* Distances of points to the classes' means; points of most classes stop early. */
kernel void nearest_class(global const uchar *restrict point, global const uchar *restrict mean,
                          global int *restrict nearest, int classes)
{
	int i = get_global_id(0), best = INT_MAX, which = 0;
	for (int c = 0; c < classes; c++) {
		int sum = 0;
		for (int d = 0; d < 64 && sum < best; d++) {
			int apart = point[i * 64 + d] - mean[c * 64 + d];
			sum += apart * apart;
		}
		which = sum < best ? c : which;
		best = min(sum, best);
	}
	nearest[i] = which;
}
