/* SPDX-License-Identifier: Apache-2.0 */
/* How a pattern of up to 32 letters fits best into each text, by Myers' bits: the least number of edits
 * anywhere in the text. Texts of letters 0 to 3, the n-th letters of all side by side. */
kernel void edit_distance(global const uchar *text, global const uint *match, global uchar *least, int texts,
                          int length, int pattern)
{
	int id = get_global_id(0);
	if (id >= texts)
		return;

	uint letter[4];
	for (int i = 0; i < 4; i++)
		letter[i] = match[i];
	uint up = ~0u, down = 0u;
	const uint last = 1u << (pattern - 1);
	int score = pattern, best = pattern;
	for (int k = 0; k < length; k++) {
		uint eq = letter[text[k * texts + id] & 3];
		uint vertical = eq | down;
		uint horizontal = (((eq & up) + up) ^ up) | eq;
		uint plus = down | ~(horizontal | up);
		uint minus = up & horizontal;
		if (plus & last)
			score++;
		else if (minus & last)
			score--;
		plus <<= 1;
		minus <<= 1;
		up = minus | ~(vertical | plus);
		down = plus & vertical;
		best = min(best, score);
	}
	least[id] = (uchar)best;
}
