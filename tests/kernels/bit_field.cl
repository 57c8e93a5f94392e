/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-fields: a pixel of 16 bits. Its word is read once, masked, and written once. */
// launch: global=1024 local=64 args=buffer:4K:rw
// expect: kernel brighten
// expect: load pixels coalesced
// expect: store pixels coalesced
// expect: accesses 2
// expect: written add.int 1
struct pixel {
	uint red : 5;
	uint green : 6;
	uint blue : 5;
	uint unused : 16;
};

kernel void brighten(global struct pixel *pixels)
{
	size_t i = get_global_id(0);

	pixels[i].green = pixels[i].red + pixels[i].blue;
}
