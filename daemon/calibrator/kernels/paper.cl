/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's microkernels of its sections 2.3 and 2.5: one access more than the base each. */

kernel void paper_write(global const float *in, global float *out, float a)
{
	size_t x = get_global_id(0);
	out[x] = a;
}

kernel void paper_constant(global const float *in, global float *out, float a)
{
	size_t x = get_global_id(0);
	out[x] = in[0x2a] * a;
}

kernel void paper_interval(global const float *in, global float *out, float a)
{
	size_t x = get_global_id(0);
	out[x] = in[x & 0xFF] * a;
}

kernel void paper_coalesced(global const float *in, global float *out, float a)
{
	size_t x = get_global_id(0);
	out[x] = in[x] * a;
}

/* against paper_coalesced, which multiplies, too */
kernel void paper_repeated(global const float *in, global float *out, float a)
{
	size_t x = get_global_id(0);
	out[x] = in[x] * in[x];
}

kernel void paper_uncoalesced(global const float *in, global float *out, float a, uint mask)
{
	size_t x = get_global_id(0);
	out[x] = in[((uint)x * 2654435761u >> 3) & mask] * a;
}

kernel void paper_local(global const float *in, global float *out, float a)
{
	local float words[256];
	size_t x = get_global_id(0), lid = get_local_id(0);
	words[lid & 255] = a;
	out[x] = words[lid & 255] * a;
}

/* Fig. 2: "one read from and write to the global memory, and one floating point division" */
kernel void paper_group(global const float *in, global float *out, float a)
{
	size_t x = get_global_id(0);
	out[x] = a / in[x];
}
