/* SPDX-License-Identifier: Apache-2.0 */
/* Rotations as C writes them: two shifts and what joins them are one instruction, of an int none. */
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:w,uint:5
// expect: kernel rotations
// expect: written bit.int 12
// expect: emitted bit.int 8
// expect: accesses 2
kernel void rotations(global const uint *words, global uint *hashes, uint by)
{
	size_t i = get_global_id(0);
	uint h = words[i];
	int s;

	h = (h << 13) | (h >> 19);
	h = (h >> by) ^ (h << (32 - by));
	s = (int)(h * 5);
	s = (s << 7) | (s >> 25);
	h = (uint)s;
	hashes[i] = (h << 4) | (h >> 27);
}
