/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest neighbours among product-quantised vectors: 16 bytes name a centre in each part of the space, a query's
 * distances to all centres are tabled in local memory. Each work-group scans a chunk of the list and leaves its
 * nearest vector. */
#define PARTS 16

kernel void pq_scan(global const uchar16 *codes, global const float *distances, const uint count, const uint chunk,
                    global float *nearest, global uint *which, local float *least, local uint *where)
{
	local float table[PARTS * 256];
	const uint lid = get_local_id(0), group = get_local_size(0);

	for (uint k = lid; k < PARTS * 256; k += group)
		table[k] = distances[k];
	barrier(CLK_LOCAL_MEM_FENCE);

	const uint end = min((uint)(get_group_id(0) + 1) * chunk, count);
	float best = INFINITY;
	uint best_at = 0;
	for (uint i = get_group_id(0) * chunk + lid; i < end; i += group) {
		const uchar16 code = codes[i];
		float sum = table[code.s0] + table[256 + code.s1] + table[512 + code.s2] + table[768 + code.s3];
		sum += table[1024 + code.s4] + table[1280 + code.s5] + table[1536 + code.s6] + table[1792 + code.s7];
		if (sum >= best)
			continue;
		sum += table[2048 + code.s8] + table[2304 + code.s9] + table[2560 + code.sa] + table[2816 + code.sb];
		sum += table[3072 + code.sc] + table[3328 + code.sd] + table[3584 + code.se] + table[3840 + code.sf];
		if (sum < best) {
			best = sum;
			best_at = i;
		}
	}

	least[lid] = best;
	where[lid] = best_at;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = group / 2; step > 0; step /= 2) {
		if (lid < step && least[lid + step] < least[lid]) {
			least[lid] = least[lid + step];
			where[lid] = where[lid + step];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0) {
		nearest[get_group_id(0)] = least[0];
		which[get_group_id(0)] = where[0];
	}
}
