/* SPDX-License-Identifier: Apache-2.0 */
/* The probing half of a hash join: each key's bucket is searched, and what fits is counted and summed. */
#define HASH(key) (((key) * 2654435761u) >> shift)

__kernel void hash_probe(__global const uint *probe, __global const int *bucket, __global const uint *key,
                         __global const int *payload, __global long *sum, __global int *matches, int probes,
                         uint shift)
{
	int i = get_global_id(0);
	long total = 0;
	int found = 0;

	if (i >= probes)
		return;
	uint mine = probe[i];
	uint b = HASH(mine);
	for (int k = bucket[b]; k < bucket[b + 1]; k++)
		if (key[k] == mine) {
			total += payload[k];
			found++;
		}
	sum[i] = total;
	matches[i] = found;
}
