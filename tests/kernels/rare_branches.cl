/* SPDX-License-Identifier: Apache-2.0 */
/* Branches that data decide: how many work-items are taken to go into them. */
// expect: kernel on_a_level
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:rw,int:3
// expect: executions out 0.02576
// expect: data_dependent
kernel void on_a_level(global const int *level, global int *out, int now)
{
	int i = get_global_id(0);

	if (level[i] != now) /* one of four values at least, of 65536 at most */
		return;
	out[i] = i;
}

// expect: kernel alike
// launch: global=65536 local=64 args=buffer:64K:r,buffer:64K:r,buffer:256K:rw
// expect: executions out 0.1022
kernel void alike(global const uchar *a, global const uchar *b, global int *out)
{
	int i = get_global_id(0);

	if (a[i] == b[i]) /* of 256 values at most */
		out[i] = i;
}

// expect: kernel digit
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:rw,uint:15
// expect: executions out 0.0625
kernel void digit(global const uint *key, global int *out, uint wanted)
{
	int i = get_global_id(0);

	if (((key[i] >> 4) & 15) == wanted) /* hashed: all are as frequent */
		out[i] = i;
}

// expect: kernel open
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:rw
// expect: executions out 0.5
// expect: executions out 0.02576
kernel void open(global const int *flag, global int *out)
{
	int i = get_global_id(0);

	if (flag[i])
		out[i] = 1;
	if ((flag[i] < 7) == (flag[i + 1] < 7))
		out[i] = 2;
	if (i < 65536 && flag[i] >= 0 && flag[i + 2] == 3)
		out[i] = 3;
}

// expect: kernel word_at
// launch: global=65536 local=64 args=buffer:64K:r,buffer:16:r,buffer:256K:rw,uint:16
// expect: trips 64 1
// expect: executions text 1
// expect: executions word 1
kernel void word_at(global const uchar *text, global const uchar *word, global uint *out, uint length)
{
	uint i = get_global_id(0), k = 0;

	/* goes on while data are equal: seldom */
	while (k < length && text[i + k] == word[k])
		k++;
	out[i] = k;
}

// expect: kernel first_unlike
// launch: global=65536 local=64 args=buffer:64K:r,buffer:64K:r,buffer:256K:rw,uint:1000
// expect: trips 76 1
kernel void first_unlike(global const uchar *a, global const uchar *b, global uint *out, uint length)
{
	uint i = get_global_id(0), k;

	for (k = 0; k < length; k++)
		if (a[i + k] != b[i + k])
			break;
	out[i] = k;
}

// expect: kernel digits
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:rw
// expect: trips 90 ~31
// expect: trips 92 10
kernel void digits(global const uint *number, global uint *out)
{
	uint i = get_global_id(0), ones = 0;

	for (uint n = number[i]; n != 0; n >>= 1) /* as many as it has bits */
		ones += n & 1;
	for (uint n = number[i + 1]; n > 0; n /= 10)
		ones += n % 10 == 7;
	out[i] = ones;
}

// expect: kernel ranges
// launch: global=65536 local=64 args=buffer:64K:r,buffer:256K:r,buffer:256K:r,buffer:256K:rw,uchar:240,float:0.1
// expect: executions out 0.0625
// expect: executions out 0.1016
// expect: executions out 0.3
// expect: executions out 0.1
// expect: executions out 0.0909
// expect: executions out 0.25
kernel void ranges(global const uchar *grey, global const uint *seed, global const float *x, global int *out,
                   uchar least, float share)
{
	int i = get_global_id(0);
	uint random = seed[i] * 1664525u + 1013904223u;

	if (grey[i] >= least) /* a byte is any of 256 */
		out[i] = 1;
	if (grey[i + 1] >= 'a' && grey[i + 1] <= 'z')
		out[i] = 2;
	if (seed[i] % 100 < 30)
		out[i] = 3;
	if ((random >> 8) * (1.0f / 16777216.0f) < share) /* drawn between zero and one */
		out[i] = 4;
	if (x[i] * x[i] < share) /* next to nothing: seldom */
		out[i] = 5;
	if (!(seed[i + 1] & 3))
		out[i] = 6;
}

// expect: kernel left_early
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:rw,int:0
// expect: executions out 5.385
// expect: data_dependent
kernel void left_early(global const int *a, global int *out, int least)
{
	int i = get_global_id(0);

	for (int k = 0; k < 12; k++)
		if (a[i + k] < least) /* in one iteration or another, or in none */
			return;
	for (int k = 0; k < 10; k++)
		out[i + k] = i;
}

// expect: kernel left_seldom
// launch: global=65536 local=64 args=buffer:64K:r,buffer:256K:rw
// expect: executions out 8.269
kernel void left_seldom(global const uchar *a, global int *out)
{
	int i = get_global_id(0);

	for (int k = 0; k < 12; k++)
		if (a[i + k] < 8) /* one in 32 each time */
			return;
	for (int k = 0; k < 10; k++)
		out[i + k] = i;
}

// expect: kernel ended_early
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:rw,int:0
// expect: executions out 10
kernel void ended_early(global const int *a, global int *out, int least)
{
	int i = get_global_id(0), k;

	for (k = 0; k < 12; k++)
		if (a[i + k] < least)
			break;
	for (int j = 0; j < 10; j++)
		out[i + j] = k;
}

// expect: kernel scaleless
// launch: global=4096 local=64 args=buffer:64K:r,buffer:16K:r,buffer:16K:r,buffer:32K:w
// expect: executions out 0.1641
// expect: executions out 0.5
// expect: executions out 0.3477
kernel void scaleless(global const float4 *place, global const float *reach, global const int *length, global int *out)
{
	int i = get_global_id(0);

	if (length[i] + length[i + 1] < length[i + 2]) /* one in six, however long they are */
		out[i] = 1;
	if (place[i].x * place[i + 1].x > place[i].y * place[i + 1].y)
		out[i] = 2;
	float3 to = place[i].xyz - place[i + 1].xyz;
	if (dot(to, to) < reach[i] * reach[i])
		out[i] = 3;
}
