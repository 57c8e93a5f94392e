/* SPDX-License-Identifier: Apache-2.0 */
/* Two local buffers of the launch, used as halves of a double buffer. */
// launch: global=262144 local=64 args=buffer:1M:r,buffer:1M:w,local:256,local:256
// expect: kernel rotate_group
// expect: argument front local float
// expect: argument back local float
// expect: load front local
// expect: store back local
// expect: accesses 6
// expect: barriers 2
kernel void rotate_group(global const float *in, global float *out, local float *front,
                         local float *back)
{
	uint lane = get_local_id(0);

	front[lane] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	back[lane] = front[(lane + 1) & 63u] * 2.0f;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = back[(lane + 7) & 63u];
}
