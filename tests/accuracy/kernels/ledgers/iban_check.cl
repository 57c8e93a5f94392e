/* SPDX-License-Identifier: Apache-2.0 */
/* Checks account numbers (IBAN, ISO 13616) of payments. Characters are six bits each in a byte: 0 to 9 are digits, 10
 * to 35 letters, the rest are blanks, which do not count. The first four go behind the others, and what that is as a
 * number has to leave 1 when divided by 97; its length has to be the country's. What is wrong with each is a bit.
 * The remainder is told as well: 98 minus it (plus the digits that are there) would have been right. */

#define WIDTH 34

#define BAD_COUNTRY 1
#define BAD_LENGTH  2
#define BAD_DIGITS  4
#define BAD_CHECK   8

inline uint append(const uint remainder, const uchar symbol)
{
	return symbol < 10 ? (remainder * 10 + symbol) % 97 : (remainder * 100 + symbol) % 97;
}

__kernel void iban_check(__global const uchar *text, __constant uchar *length_of, __global uchar *faults,
                         __global uchar *remainders, __global uint *by_fault, const uint count)
{
	__local uint found[16];
	const uint id = get_global_id(0);

	if (get_local_id(0) < 16)
		found[get_local_id(0)] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);

	if (id < count) {
		__global const uchar *line = text + (size_t)id * WIDTH;
		uchar head[4] = {0, 0, 0, 0};
		uint remainder = 0;
		int length = 0;

		for (int k = 0; k < WIDTH; k++) {
			const uchar symbol = line[k] & 63;
			if (symbol >= 36)
				continue;
			if (length < 4)
				head[length] = symbol;
			else
				remainder = append(remainder, symbol);
			length++;
		}
		for (int k = 0; k < 4; k++)
			remainder = append(remainder, head[k]);

		uchar fault = 0;
		if (head[0] < 10 || head[1] < 10) {
			fault |= BAD_COUNTRY;
		} else {
			const uchar want = length_of[(head[0] - 10) * 26 + head[1] - 10];
			if (want == 0 || want > WIDTH)
				fault |= BAD_COUNTRY;
			else if (want != length)
				fault |= BAD_LENGTH;
		}
		if (head[2] > 9 || head[3] > 9)
			fault |= BAD_DIGITS;
		if (remainder != 1)
			fault |= BAD_CHECK;

		faults[id] = fault;
		remainders[id] = (uchar)remainder;
		atomic_inc(&found[fault]);
	}

	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) < 16 && found[get_local_id(0)] > 0)
		atomic_add(&by_fault[get_local_id(0)], found[get_local_id(0)]);
}
