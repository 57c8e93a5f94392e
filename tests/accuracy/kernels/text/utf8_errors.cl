/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what is no UTF-8 in each record of a table of text, and its characters. */
kernel void utf8_errors(global const uchar *text, global uint *errors, global uint *characters, uint record_bytes)
{
	global const uchar *record = text + get_global_id(0) * record_bytes;
	uint wrong = 0, right = 0;
	uint at = 0;

	while (at < record_bytes) {
		uint first = record[at++];
		uint more, least;
		if (first < 0x80) {
			right++;
			continue;
		} else if (first >= 0xc2 && first < 0xe0) {
			more = 1, least = 0x80, first &= 0x1f;
		} else if ((first & 0xf0) == 0xe0) {
			more = 2, least = 0x800, first &= 0x0f;
		} else if (first >= 0xf0 && first < 0xf5) {
			more = 3, least = 0x10000, first &= 0x07;
		} else {
			wrong++;
			continue;
		}
		for (; more > 0 && at < record_bytes && (record[at] & 0xc0) == 0x80; more--)
			first = first << 6 | (record[at++] & 0x3f);
		if (more > 0 || first < least || first > 0x10ffff || (first >= 0xd800 && first < 0xe000))
			wrong++;
		else
			right++;
	}
	errors[get_global_id(0)] = wrong;
	characters[get_global_id(0)] = right;
}
