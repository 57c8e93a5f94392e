/* SPDX-License-Identifier: Apache-2.0 */
/* A jump backwards by goto. */
// launch: global=1024 local=64 args=buffer:4K:rw
// expect: kernel jumping
// expect: fallback goto
// expect: argument x buffer int
// expect: ir kernel jumping(buffer int x)
kernel void jumping(global int *x)
{
	size_t i = get_global_id(0);
	int v = x[i];

again:
	v = v / 2;
	if (v > 10)
		goto again;
	x[i] = v;
}
