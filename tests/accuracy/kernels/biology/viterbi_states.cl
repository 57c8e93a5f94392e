/* SPDX-License-Identifier: Apache-2.0 */
/* The likeliest path through a hidden Markov model: a work-group has a protein, a work-item a state, and all scores of
 * a step lie in local memory, those of the next beside them. */
#define LETTERS 20

__kernel void viterbi_states(__global const uchar *proteins, __global const float *transition,
                             __global const float *emission, __global uchar *from, __global float *likelihood,
                             int length, __local float *scores)
{
	const int state = get_local_id(0), states = get_local_size(0);
	__global const uchar *protein = proteins + get_group_id(0) * length;
	__global uchar *back = from + get_group_id(0) * length * states;

	scores[state] = emission[protein[0] % LETTERS * states + state];
	back[state] = 0;
	for (int t = 1; t < length; t++) {
		__local const float *old = scores + ((t - 1) & 1) * states;
		barrier(CLK_LOCAL_MEM_FENCE);
		float best = old[0] + transition[state];
		uchar which = 0;
		for (int s = 1; s < states; s++) {
			float score = old[s] + transition[s * states + state];
			if (score > best) {
				best = score;
				which = s;
			}
		}
		scores[(t & 1) * states + state] = best + emission[protein[t] % LETTERS * states + state];
		back[t * states + state] = which;
	}
	likelihood[get_global_id(0)] = scores[((length - 1) & 1) * states + state];
}
