/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers whose contents the launch tells in part: trips, branches, addresses and conflicts are
 * those of the data, as a person reckons them. What is larger than 64 KiB was read in 16 runs of
 * 4 KiB.
 */

// expect: kernel rows
// launch: global=65536 local=64 args=buffer:262148:r:int=i*8,buffer:2M:r,buffer:256K:w
// expect: trips 18 8
// expect: executions value 8
// expect: data_known
kernel void rows(global const int *start, global const float *value, global float *out)
{
	size_t row = get_global_id(0);
	float sum = 0;

	for (int k = start[row]; k < start[row + 1]; k++)
		sum += value[k];
	out[row] = sum;
}

// expect: kernel lengths
// launch: global=65536 local=64 args=buffer:256K:r:int=i%16,buffer:2M:r,buffer:256K:w
// expect: trips 32 7.5
// expect: data_known
kernel void lengths(global const int *length, global const float *value, global float *out)
{
	size_t row = get_global_id(0);
	float sum = 0;

	for (int k = 0; k < length[row]; k++) /* 0 to 15, alike often */
		sum += value[16 * row + k];
	out[row] = sum;
}

// expect: kernel rare
// launch: global=65536 local=64 args=buffer:256K:r:int=i*7919%100<3,buffer:256K:w
// expect: executions out ~0.03
// expect: data_known
// launch: global=65536 local=64 args=buffer:256K:r:int=i%64<32,buffer:256K:w
// expect: executions out 0.5
// launch: global=65536 local=64 args=buffer:256K:r:int=i%4<3,buffer:256K:w
// expect: executions out 0.75
kernel void rare(global const int *flag, global int *out)
{
	size_t i = get_global_id(0);

	if (flag[i])
		out[i] = 1;
}

// expect: kernel by_value
// launch: global=65536 local=64 args=buffer:256K:r:float=i%10,buffer:64K:r:uchar=i%32+80,float:2.5,buffer:256K:rw
// expect: executions out ~0.3
// expect: executions out 0.4688
// expect: data_known
kernel void by_value(global const float *real, global const uchar *letter, float limit,
                     global int *out)
{
	size_t i = get_global_id(0);

	if (real[i] < limit) /* 0, 1 and 2 of ten */
		out[i] = 1;
	if (letter[i] >= 'a' && letter[i] <= 'z') /* 97 to 111, of 80 to 111 */
		out[i] += 2;
}

// expect: kernel gather
// launch: global=65536 local=64 args=buffer:256K:r:int=i,buffer:256K:r,buffer:256K:w
// expect: segments from 4
// launch: global=65536 local=64 args=buffer:256K:r:int=i/64,buffer:256K:r,buffer:256K:w
// expect: segments from 1
// launch: global=65536 local=64 args=buffer:256K:r:int=i*16%65536,buffer:256K:r,buffer:256K:w
// expect: segments from 32
// launch: global=16384 local=64 args=buffer:64K:r:int=i/4*64%65536,buffer:256K:r,buffer:256K:w
// expect: segments from 8
// expect: data_known
kernel void gather(global const int *index, global const float *from, global float *to)
{
	size_t i = get_global_id(0);

	to[i] = from[index[i]];
}

// expect: kernel line_end
// launch: global=32768 local=64 args=buffer:32K:r:uchar=i+1%16,buffer:128K:w,int:32768
// expect: trips 94 8.5
// expect: data_known
kernel void line_end(global const uchar *text, global int *end, int length)
{
	int i = get_global_id(0);

	while (i < length && text[i] != 0) /* each 16th is 0; to find it is one more round */
		i++;
	end[get_global_id(0)] = i;
}

// expect: kernel lower_bound
// launch: global=4096 local=64 args=buffer:64K:r:int=i*4,buffer:16K:r:int=i*7919%65536,buffer:16K:w,int:16384
// expect: trips 108 14
// expect: data_known
kernel void lower_bound(global const int *key, global const int *query, global int *place,
                        int count)
{
	int low = 0, high = count, want = query[get_global_id(0)];

	while (low < high) { /* 2^14 keys */
		int middle = (low + high) >> 1;
		if (key[middle] < want)
			low = middle + 1;
		else
			high = middle;
	}
	place[get_global_id(0)] = low;
}

// expect: kernel ones
// launch: global=65536 local=64 args=buffer:256K:r:uint=i%16,buffer:256K:w
// expect: trips 126 2
// expect: data_known
kernel void ones(global const uint *word, global uint *out)
{
	uint w = word[get_global_id(0)], count = 0;

	while (w) { /* of four bits two are set, in the mean */
		w &= w - 1;
		count++;
	}
	out[get_global_id(0)] = count;
}

// expect: kernel depth
// launch: global=16384 local=64 args=buffer:64K:r:int=i-1/2,buffer:64K:w
// expect: trips 141 ~12
// expect: data_known
kernel void depth(global const int *parent, global int *out)
{
	int node = get_global_id(0), steps = 0;

	while (node > 0) { /* a binary tree of 14 levels; a level has as many as all above, and one */
		node = parent[node];
		steps++;
	}
	out[get_global_id(0)] = steps;
}

// expect: kernel stored_before
// launch: global=4096 local=64 args=buffer:16K:rw:int=i%2,buffer:16K:w
// expect: executions out 0.5
// expect: data_dependent
kernel void stored_before(global int *flag, global int *out)
{
	size_t i = get_global_id(0);

	flag[i] = out[i] > 7;
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (flag[i ^ 1]) /* nobody knows any more */
		out[i] = 1;
}
