/* SPDX-License-Identifier: Apache-2.0 */
/* Three loops within each other, one bound given by an argument and one by the loop around. */
// launch: global=65536 local=64 args=buffer:256K:w,int:10
// expect: kernel count_nested
// expect: trips 15 10
// expect: trips 16 ~4.5
// expect: trips 17 3
// expect: written sqrt.float ~135
// expect: accesses 1
// expect: store out coalesced
kernel void count_nested(global float *out, int n)
{
	float sum = get_global_id(0);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			for (int k = 0; k < 3; k++)
				sum = sqrt(sum + k);
	out[get_global_id(0)] = sum;
}
