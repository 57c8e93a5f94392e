/* SPDX-License-Identifier: Apache-2.0 */
/* A macro that nobody defined: named in the reason. */
// launch: global=1048576 local=64 args=buffer:4M:rw
// expect: kernel vendor
// expect: fallback VENDOR_SHIFT
// expect: argument x buffer uint
// expect: ir kernel vendor(buffer uint x)
kernel void vendor(global uint *x)
{
	size_t i = get_global_id(0);

	x[i] = x[i] << VENDOR_SHIFT;
}
