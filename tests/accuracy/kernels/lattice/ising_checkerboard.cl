/* SPDX-License-Identifier: Apache-2.0 */
/* Metropolis steps of the Ising model on a torus, spins of one colour of the checkerboard; random
 * numbers from a hash of place and time. */
uint scramble(uint value)
{
	value ^= value >> 16;
	value *= 0x7feb352du;
	value ^= value >> 15;
	value *= 0x846ca68bu;
	return value ^ (value >> 16);
}

/* A spin is the lowest bit; chance: by how many of the four neighbours are alike. */
kernel void ising_checkerboard(global uchar *spin, constant float *chance, int side, int colour, uint time)
{
	int y = get_global_id(1);
	int x = 2 * get_global_id(0) + ((y + colour) & 1);
	int mask = side - 1;
	int here = y * side + x;
	uchar mine = spin[here];
	int alike = 0;

	alike += ((spin[y * side + ((x + 1) & mask)] ^ mine) & 1) == 0;
	alike += ((spin[y * side + ((x - 1) & mask)] ^ mine) & 1) == 0;
	alike += ((spin[((y + 1) & mask) * side + x] ^ mine) & 1) == 0;
	alike += ((spin[((y - 1) & mask) * side + x] ^ mine) & 1) == 0;
	float drawn = (scramble(here ^ scramble(time)) >> 8) * 0x1p-24f;
	if (drawn < chance[alike])
		spin[here] = mine ^ 1;
}
