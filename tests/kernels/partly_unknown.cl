/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's function that one kernel of two reaches, through a helper: only that one falls back. */
// launch: global=1024 local=64 args=buffer:4K:rw
// expect: kernel vendor
// expect: fallback line 20: unknown function, type or macro amd_bytealign
// expect: argument x buffer uint
// expect: kernel plain
// launch: global=1024 local=64 args=buffer:4K:rw
// expect: load x coalesced
// expect: store x coalesced
static uint aligned(uint a)
{
	return amd_bytealign(a, 1u, 2u);
}

kernel void vendor(global uint *x)
{
	size_t i = get_global_id(0);

	x[i] = aligned(x[i]);
}

kernel void plain(global uint *x)
{
	size_t i = get_global_id(0);

	x[i] = x[i] + 1u;
}
