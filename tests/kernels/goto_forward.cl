/* SPDX-License-Identifier: Apache-2.0 */
/* A jump out of two loops, and over what follows them. */
// launch: global=1024 local=64 args=buffer:4K:rw,int:5
// expect: kernel leaving
// expect: trips 15 5
// expect: trips 14 5
// expect: accesses 2
// expect: store x coalesced
kernel void leaving(global int *x, int n)
{
	size_t i = get_global_id(0);
	int v = x[i];

	for (int a = 0; a < n; a++)
		for (int b = 0; b < n; b++) {
			v += a * b;
			if (n > 100)
				goto done;
		}
	v = -v;
done:
	x[i] = v;
}
