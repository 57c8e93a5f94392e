/* SPDX-License-Identifier: Apache-2.0 */
/* Recursion, which OpenCL C forbids and front-ends accept. */
// launch: global=1024 local=64 args=buffer:4K:rw
// expect: kernel recursive
// expect: fallback recurs
// expect: argument x buffer int
// expect: ir kernel recursive(buffer int x)
static int factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

kernel void recursive(global int *x)
{
	size_t i = get_global_id(0);

	x[i] = factorial(x[i]);
}
