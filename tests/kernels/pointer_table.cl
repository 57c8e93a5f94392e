/* SPDX-License-Identifier: Apache-2.0 */
/* An array of pointers, and a pointer parameter that gets another buffer at each call. */
// launch: global=1024 local=64 args=buffer:4K:r,buffer:4K:r,buffer:4K:r,buffer:4K:w
// expect: kernel table
// expect: load a coalesced
// expect: load b coalesced
// expect: load c coalesced
// expect: store o coalesced
// expect: trips 22 3
// expect: accesses 4
static float first_of(global const float *p)
{
	return p[get_global_id(0)];
}

kernel void table(global const float *a, global const float *b, global const float *c,
                  global float *o)
{
	global const float *columns[3] = {a, b, c};
	float sum = 0.0f;

	for (int k = 0; k < 3; k++)
		sum += first_of(columns[k]);
	o[get_global_id(0)] = sum;
}
