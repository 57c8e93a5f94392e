/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neutron histories through voxels by delta tracking (Woodcock): flights are drawn from the greatest total cross
 * section of all, and a collision is real as often as the material's own says. Capture is implicit, light particles
 * play Russian roulette. What is absorbed is scored by voxel, in 16 bits behind the point.
 *
 * sections: total, scattering ratio of each material
 */
#define EVENTS_MAX 500
#define WEIGHT_LOW 0.25f
#define WEIGHT_SURVIVOR 0.5f

#define FATE_LEAKED 0
#define FATE_KILLED 1
#define FATE_LOST   2

float draw(ulong *state)
{
	*state = *state * 6364136223846793005UL + 1442695040888963407UL;
	return ((uint)(*state >> 40) + 0.5f) * 0x1p-24f;
}

float3 any_direction(ulong *state)
{
	const float mu = 2.0f * draw(state) - 1.0f;
	const float phi = 6.2831853f * draw(state);
	const float s = sqrt(1.0f - mu * mu);

	return (float3)(s * cos(phi), s * sin(phi), mu);
}

kernel void woodcock_histories(global const uchar *material, const int side, const float voxels_per_cm,
                               constant float2 *sections, const float majorant, const ulong seed,
                               global uint *absorbed, global ushort *collisions, global uchar *fates,
                               const uint histories)
{
	const uint id = get_global_id(0);
	if (id >= histories)
		return;

	ulong state = (seed + id) * 0x9E3779B97F4A7C15UL;
	state ^= state >> 29;

	float3 at = (float3)(0.5f * side);
	float3 along = any_direction(&state);
	float weight = 1.0f;
	uint hits = 0;
	uchar fate = FATE_LOST;

	for (int event = 0; event < EVENTS_MAX; event++) {
		at += along * (-log(draw(&state)) / majorant * voxels_per_cm);
		if (at.x < 0.0f || at.y < 0.0f || at.z < 0.0f || at.x >= side || at.y >= side || at.z >= side) {
			fate = FATE_LEAKED;
			break;
		}
		const int voxel = ((int)at.z * side + (int)at.y) * side + (int)at.x;
		const float2 s = sections[material[voxel] & 7];
		if (draw(&state) * majorant >= s.x)
			continue;

		hits++;
		atomic_add(&absorbed[voxel], (uint)(65536.0f * weight * (1.0f - s.y)));
		weight *= s.y;
		if (weight < WEIGHT_LOW) {
			if (draw(&state) * WEIGHT_SURVIVOR >= weight) {
				fate = FATE_KILLED;
				break;
			}
			weight = WEIGHT_SURVIVOR;
		}
		along = any_direction(&state);
	}
	collisions[id] = (ushort)hits;
	fates[id] = fate;
}
