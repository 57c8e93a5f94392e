/* SPDX-License-Identifier: Apache-2.0 */
/* Geohashes of 12 letters: bits of longitude and latitude in turn, five a letter. Points are (longitude, latitude)
 * in parts of the whole range; a point that does not exist (outside of it) gets blanks. */
constant char letters[] = "0123456789bcdefghjkmnpqrstuvwxyz";

static ulong spread(uint x)
{
	ulong y = x;
	y = (y | y << 16) & 0x0000ffff0000ffffUL;
	y = (y | y << 8) & 0x00ff00ff00ff00ffUL;
	y = (y | y << 4) & 0x0f0f0f0f0f0f0f0fUL;
	y = (y | y << 2) & 0x3333333333333333UL;
	return (y | y << 1) & 0x5555555555555555UL;
}

kernel void geohash_encode(global const double2 *points, global char *text, uint count)
{
	const uint i = get_global_id(0);
	if (i >= count)
		return;
	const double2 p = points[i];
	global char *to = text + 12 * i;

	if (!(p.x >= 0.0 && p.x < 1.0 && p.y >= 0.0 && p.y < 1.0)) {
		for (int k = 0; k < 12; k++)
			to[k] = ' ';
		return;
	}
	/* 30 bits each, longitude first */
	ulong bits = spread((uint)(p.x * 1073741824.0)) << 1 | spread((uint)(p.y * 1073741824.0));
	for (int k = 11; k >= 0; k--) {
		to[k] = letters[bits & 31];
		bits >>= 5;
	}
}
