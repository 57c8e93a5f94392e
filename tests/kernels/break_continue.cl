/* SPDX-License-Identifier: Apache-2.0 */
/* Loops left early and rounds skipped, decided by the counters alone. */
// launch: global=65536 local=64 args=buffer:256K:w,int:100
// expect: kernel leave_early
// expect: written sqrt.float 20
// expect: written log.float 10
// expect: emitted log.float 10
// expect: accesses 1
// expect: store out coalesced
kernel void leave_early(global float *out, int n)
{
	float x = get_global_id(0);

	for (int k = 0; k < n; k++) {
		if (k == 20)
			break;
		x = sqrt(x);
		if (k % 2 == 1)
			continue;
		x += log(x + 2.0f);
	}
	out[get_global_id(0)] = x;
}
