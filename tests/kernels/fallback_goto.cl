/* SPDX-License-Identifier: Apache-2.0 */
/* A jump into a loop: no structured form says the same. */
// launch: global=1024 local=64 args=buffer:4K:rw,int:3
// expect: kernel entering
// expect: fallback line 14: goto into a block
// expect: argument x buffer int
// expect: ir kernel entering(buffer int x, scalar int n)
kernel void entering(global int *x, int n)
{
	size_t i = get_global_id(0);
	int k = 0;

	if (n > 2)
		goto inside;
	for (; k < n; k++) {
		x[i] = k;
inside:
		x[i + 1] = k;
	}
}
