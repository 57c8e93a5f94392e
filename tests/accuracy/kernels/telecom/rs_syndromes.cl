/* SPDX-License-Identifier: Apache-2.0 */
/* Syndromes of Reed-Solomon codewords over GF(256), by Horner's rule: work-items along a row take a root alpha^j
 * each, those of a column a codeword. Tables of logarithms and powers (510 of them) are brought to local memory.
 * Codewords that are damaged are counted by atomics, a byte says which. */
kernel void rs_syndromes(global const uchar *codewords, global const uchar *logs, global const uchar *powers, int length,
                         global uchar *syndromes, global uchar *damaged, global uint *total)
{
	local uchar log_table[256], power_table[512];
	const int lid = get_local_id(1) * get_local_size(0) + get_local_id(0);
	const int all = get_local_size(0) * get_local_size(1);

	for (int k = lid; k < 256; k += all)
		log_table[k] = logs[k];
	for (int k = lid; k < 510; k += all)
		power_table[k] = powers[k];
	barrier(CLK_LOCAL_MEM_FENCE);

	const int root = get_global_id(0), word = get_global_id(1);
	global const uchar *symbol = codewords + word * length;
	uchar sum = 0;
	for (int k = 0; k < length; k++) {
		if (sum != 0)
			sum = power_table[log_table[sum] + root];
		sum ^= symbol[k];
	}
	syndromes[word * get_global_size(0) + root] = sum;
	if (sum != 0) {
		damaged[word] = 1;
		if (root == 0)
			atomic_inc(total);
	}
}
