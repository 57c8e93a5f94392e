/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 1071 checksum of many packets, one work item each. start[] counts 16 bit words. */

static ushort fold(uint sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (ushort)~sum;
}

__kernel void inet_checksum(__global const ushort *words, __global const int *start, __global ushort *checksum,
			    const int packets)
{
	int p = get_global_id(0);
	int w, end;
	uint sum = 0;

	if (p >= packets)
		return;

	w = start[p];
	end = start[p + 1];
	for (; w + 4 <= end; w += 4)
		sum += (uint)words[w] + words[w + 1] + words[w + 2] + words[w + 3];
	for (; w < end; w++)
		sum += words[w];

	checksum[p] = fold(sum);
}
