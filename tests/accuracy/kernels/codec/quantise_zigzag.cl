/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients of blocks of 8 x 8 are divided by their steps and put in zigzag order, one block a work-item. Divisions
 * are products with reciprocals of 16 bits. */
__constant uchar order[64] = {
        0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
        41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
        30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

__kernel void quantise_zigzag(__global const short *coefficients, __global const ushort *reciprocal, uint rounding,
                              __global short *levels, __global uchar *coded, int blocks)
{
	int block = get_global_id(0);
	if (block >= blocks)
		return;

	uchar last = 0;
	for (int k = 0; k < 64; k++) {
		int c = coefficients[64 * block + order[k]];
		int level = (abs(c) * (uint)reciprocal[order[k]] + rounding) >> 16;
		levels[64 * block + k] = c < 0 ? -level : level;
		if (level != 0)
			last = k + 1;
	}
	coded[block] = last;
}
