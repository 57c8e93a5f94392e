/* SPDX-License-Identifier: Apache-2.0 */
/* Integers in as many bytes of seven bits as each needs, those of a work-group without gaps in a block of its own; its
 * first work-item counts up where each begins. */
__kernel void varint_pack(__global const uint *values, __global uchar *packed, __global uint *sizes, uint count,
                          __local uint *place)
{
	uint i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
	uint value = i < count ? values[i] : 0;
	uint bytes = i < count ? (38 - clz(value | 1)) / 7 : 0;

	place[lid] = bytes;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		uint sum = 0;
		for (uint k = 0; k < size; k++) {
			uint own = place[k];
			place[k] = sum;
			sum += own;
		}
		sizes[get_group_id(0)] = sum;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	__global uchar *to = packed + get_group_id(0) * size * 5 + place[lid];
	for (uint k = 0; k < bytes; k++) {
		*to++ = (value & 127) | (k + 1 < bytes ? 128 : 0);
		value >>= 7;
	}
}
