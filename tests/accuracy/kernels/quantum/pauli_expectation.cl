/* SPDX-License-Identifier: Apache-2.0 */
/* Expectation values of strings of Pauli matrices: bit q of `flips` says that qubit q has X or Y, of `signs` that
 * it has Z or Y. Each row of work-groups takes one string; its work-groups stride through the state, and each
 * leaves one sum. */
kernel void pauli_expectation(global const float2 *state, global const uint *flips, global const uint *signs,
                              const uint amplitudes, global float *sums, local float *shared)
{
	const uint lid = get_local_id(0), term = get_global_id(1);
	const uint flip = flips[term], sign = signs[term];
	const uint turns = popcount(flip & sign) & 3;
	float sum = 0.0f;

	for (uint i = get_global_id(0); i < amplitudes; i += get_global_size(0)) {
		const float2 to = state[i ^ flip], from = state[i];
		float part;
		if (turns & 1)
			part = to.y * from.x - to.x * from.y;
		else
			part = to.x * from.x + to.y * from.y;
		sum += popcount(i & sign) & 1 ? -part : part;
	}
	shared[lid] = turns & 2 ? -sum : sum;
	barrier(CLK_LOCAL_MEM_FENCE);

	for (uint half_group = get_local_size(0) / 2; half_group > 0; half_group >>= 1) {
		if (lid < half_group)
			shared[lid] += shared[lid + half_group];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		sums[term * get_num_groups(0) + get_group_id(0)] = shared[0];
}
