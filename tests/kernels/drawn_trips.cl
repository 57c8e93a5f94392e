/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that data end: how many trips they are taken to have. */
// expect: kernel bisect
// launch: global=65536 local=64 args=buffer:4K:r,buffer:256K:r,buffer:256K:rw,int:1000
// expect: trips 11 ~10
// expect: data_dependent
kernel void bisect(global const int *sorted, global const int *wanted, global int *out, int n)
{
	int i = get_global_id(0), low = 0, high = n;

	while (low < high) { /* either half, whatever it holds */
		int middle = (low + high) / 2;

		if (sorted[middle] < wanted[i])
			low = middle + 1;
		else
			high = middle;
	}
	out[i] = low;
}

// expect: kernel decode
// launch: global=1024 local=64 args=buffer:16K:r,buffer:1M:w,int:256
// expect: trips 29 ~57.5
kernel void decode(global const uchar *code, global uchar *out, int bits)
{
	int i = get_global_id(0), n = 0;

	while (bits > 0) { /* 1 to 8 of them are 4.5 */
		uchar c = code[i * 16 + n % 16];

		bits -= (c & 7) + 1;
		out[i * 1024 + n++] = c;
	}
}

// expect: kernel intersect
// launch: global=1024 local=64 args=buffer:64K:r,buffer:64K:r,buffer:4K:w,int:16
// expect: trips 44 ~26.5
kernel void intersect(global const int *a, global const int *b, global int *out, int n)
{
	int first = get_global_id(0) * 16, i = 0, k = 0, found = 0;

	while (i < n && k < n) { /* one of two goes on, until one is through */
		if (a[first + i] < b[first + k])
			i++;
		else
			k++;
		found++;
	}
	out[first / 16] = found;
}

// expect: kernel cells
// launch: global=1024 local=64 args=buffer:8K:r:0..8,buffer:64K:r,buffer:4K:w
// expect: trips 62 ~4
kernel void cells(global const int *fill, global const int *member, global int *out)
{
	int i = get_global_id(0), sum = 0;

	for (int c = 0; c < 2; c++)
		for (int k = 0; k < fill[i + c]; k++) /* drawn before the loop begins */
			sum += member[(i + c) * 8 + k];
	out[i] = sum;
}

// expect: kernel chained
// launch: global=16384 local=64 args=buffer:64K:r,buffer:16388:r,buffer:48K:r,buffer:64K:w
// expect: trips 75 ~3
kernel void chained(global const uint *wanted, global const int *bucket, global const uint *key, global int *out)
{
	int i = get_global_id(0), found = 0;
	uint b = wanted[i] * 2654435769u >> 20;

	for (int k = bucket[b]; k < bucket[b + 1]; k++) /* a bucket like any other */
		found += key[k] == wanted[i];
	out[i] = found;
}

// expect: kernel converge
// launch: global=1024 local=64 args=buffer:4K:r,buffer:4K:w,float:0.001
// expect: trips 87 16
kernel void converge(global const float *start, global float *out, float least)
{
	float x = start[get_global_id(0)];

	while (x > least) /* what it reckons itself is not drawn */
		x = x * x - 0.5f * x;
	out[get_global_id(0)] = x;
}

// expect: kernel capped
// launch: global=1024 local=64 args=buffer:4K:r,buffer:4K:w,int:300
// expect: trips 100 ~282
kernel void capped(global const float *start, global float *out, int most)
{
	float x = start[get_global_id(0)];
	int n = 0;

	while (x < 4 && n < most) { /* some starts never get there: a bound stays one */
		x = x * x + 0.1f;
		n++;
	}
	out[get_global_id(0)] = x;
}

// expect: kernel records
// launch: global=1024 local=64 args=buffer:64K:r,buffer:4K:w,int:60
// expect: trips 114 ~40
kernel void records(global const int *kind, global int *out, int end)
{
	int i = get_global_id(0), at = 0, sum = 0;

	while (at < end) { /* one or two fields each, as an inner loop says */
		int word = kind[i + at];

		for (int k = 0; k < 3; k++)
			sum += word >> k;
		at += sum > 3 ? 2 : 1;
	}
	out[i] = sum;
}

// expect: kernel visit
// launch: global=1024 local=64 args=buffer:16K:r,buffer:4K:w
// expect: trips 132 64
kernel void visit(global const int *left, global int *out)
{
	int stack[32], top = 1, seen = 0;

	stack[0] = 0;
	while (top > 0) { /* of 4096 nodes one to all */
		int node = stack[--top];

		seen++;
		if (left[node] > 0) {
			stack[top++] = left[node];
			stack[top++] = left[node] + 1;
		}
	}
	out[get_global_id(0)] = seen;
}

// expect: kernel searched
// launch: global=4096 local=64 args=buffer:16K:r,buffer:1028:r,buffer:64K:r,buffer:16K:w
// expect: trips 151 ~6.3
kernel void searched(global const int *row, global const int *start, global const int *sorted, global int *out)
{
	int i = get_global_id(0), low = start[row[i]], high = start[row[i] + 1];

	while (low < high) { /* within a row of 64 */
		int middle = (low + high) / 2;

		if (sorted[middle] > i)
			high = middle;
		else
			low = middle + 1;
	}
	out[i] = low;
}

// expect: kernel frames
// launch: global=256 local=64 args=buffer:3276800:r,buffer:1028:r,buffer:25600:w,buffer:1K:w
// expect: trips 170 100
kernel void frames(global const float *value, global const int *start, global uchar *mark, global float *out)
{
	int i = get_global_id(0);
	float sum = 0;

	for (int t = start[i]; t < start[i + 1]; t++) { /* what is written may be start, so it is read again */
		for (int k = 0; k < 32; k++)
			sum += value[t * 32 + k] * value[(t * 32 + 7 * k) & 31];
		mark[t] = sum > 0;
	}
	out[i] = sum;
}

// expect: kernel nearest_lower
// launch: global=1024 local=64 args=buffer:1M:r,buffer:1M:rw,buffer:1M:w,int:256,int:1024
// expect: trips 187 255
// expect: trips 188 ~2.1
kernel void nearest_lower(global const float *height, global int *stack, global int *found, int rows, int columns)
{
	int x = get_global_id(0), top = 0;

	stack[x] = 0;
	for (int y = 1; y < rows; y++) { /* each puts one on, so that each takes one off in the mean */
		while (top > 0 && height[stack[top * columns + x] * columns + x] >= height[y * columns + x])
			top--;
		found[y * columns + x] = stack[top * columns + x];
		top++;
		stack[top * columns + x] = y;
	}
}
