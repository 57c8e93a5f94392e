/* SPDX-License-Identifier: Apache-2.0 */
/* Systematic resampling. cumulative[] are integer weights summed up, count + 1 of them; the new particle i descends from
 * the one whose weight holds (i + u) / count of the total. */

__kernel void systematic_resample(__global const int *cumulative, __global const float4 *pose,
                                  __global float4 *resampled, __global int *ancestor, const uint count,
                                  const float u, const float4 jitter)
{
	const uint i = get_global_id(0);
	if (i >= count)
		return;

	const uint total = cumulative[count];
	const uint target = (uint)(((ulong)i * total + (ulong)(u * (float)total)) / count);

	uint low = 0, high = count;
	while (high - low > 1) {
		uint middle = low + ((high - low) >> 1);
		if ((uint)cumulative[middle] <= target)
			low = middle;
		else
			high = middle;
	}

	/* a hash spreads copies of one ancestor */
	uint h = i * 2654435761u;
	h ^= h >> 15;
	const float spread = (float)(h & 0xffff) / 65536.0f - 0.5f;

	float4 p = pose[low] + jitter * spread;
	p.z = fmod(p.z, 2.0f * M_PI_F);
	resampled[i] = p;
	ancestor[i] = (int)low;
}
