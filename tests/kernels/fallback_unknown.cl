/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's built-in: named in the reason. */
// launch: global=1048576 local=64 args=buffer:4M:rw
// expect: kernel vendor
// expect: fallback amd_bytealign
// expect: argument x buffer uint
// expect: ir kernel vendor(buffer uint x)
kernel void vendor(global uint *x)
{
	size_t i = get_global_id(0);

	x[i] = amd_bytealign(x[i], 1u, 2u);
}
