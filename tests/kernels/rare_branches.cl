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
