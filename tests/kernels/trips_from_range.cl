/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of different lengths: how long they are is drawn from the range that the caller tells. */
// launch: global=4096 local=64 args=buffer:16K:r:0..100,buffer:64K:r,buffer:16K:w
// expect: kernel rows
// expect: trips 15 ~50
// expect: data_dependent
// expect: load length coalesced
// expect: store sums coalesced
kernel void rows(global const int *length, global const float *a, global float *sums)
{
	size_t i = get_global_id(0);
	float sum = 0;

	/* read again each time round, as it stands */
	for (int k = 0; k < length[i]; k++)
		sum += a[i + k];
	sums[i] = sum;
}
