/* SPDX-License-Identifier: Apache-2.0 */
/* A macro that nobody defined, which one kernel of two reaches, through a helper: only that one falls back. */
// launch: global=1024 local=64 args=buffer:4K:rw
// expect: kernel vendor
// expect: fallback line 20: VENDOR_SHIFT is defined nowhere: -DVENDOR_SHIFT= would define it
// expect: argument x buffer uint
// expect: kernel plain
// launch: global=1024 local=64 args=buffer:4K:rw
// expect: load x coalesced
// expect: store x coalesced
static uint aligned(uint a)
{
	return a << VENDOR_SHIFT;
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
