/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters declared as arrays are pointers; the value of a statement expression is its last. */
// launch: global=1024 local=64 args=buffer:64:r,buffer:4K:w,int:5
// expect: kernel weigh
// expect: argument weights buffer float
// expect: trips 15 4
// expect: load weights constant
// expect: store out coalesced
// expect: written mul.int 1
static float total(const float part[4], float first[])
{
	float sum = 0.0f;

	first[0] = part[0];
	for (int i = 0; i < 4; i++)
		sum += part[i];
	return sum;
}

kernel void weigh(global const float weights[16], global float *out, int n)
{
	float four[4] = {weights[0], weights[1], weights[2], weights[3]};
	float first[1];
	int twice = ({
		int once = n;
		if (once > 3)
			once++;
		once * 2;
	});

	out[get_global_id(0)] = total(four, first) + first[0] + (float)twice;
}
