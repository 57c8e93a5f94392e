/* SPDX-License-Identifier: Apache-2.0 */
/* Base64: twelve bytes to sixteen letters in each work-item. */
__constant uchar alphabet[64] = {
        'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P',
        'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'a', 'b', 'c', 'd', 'e', 'f',
        'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v',
        'w', 'x', 'y', 'z', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', '/'};

uchar4 letters(uchar3 bytes)
{
	uint all = (uint)bytes.x << 16 | (uint)bytes.y << 8 | bytes.z;
	return (uchar4)(alphabet[all >> 18], alphabet[(all >> 12) & 63], alphabet[(all >> 6) & 63],
	                alphabet[all & 63]);
}

__kernel void base64_encode(__global const uchar *restrict bytes, __global uchar4 *restrict text, uint quads)
{
	uint first = 4 * get_global_id(0);
	for (uint k = first; k < first + 4 && k < quads; k++)
		text[k] = letters(vload3(k, bytes));
}
