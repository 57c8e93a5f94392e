/* SPDX-License-Identifier: Apache-2.0 */
/* The force of n bodies on each other, summed directly; xyz is the place, w the mass. */
// launch: global=4096 local=64 args=buffer:64K:r,buffer:64K:rw,int:4096,float:0.01
// expect: kernel nbody
// expect: argument bodies buffer float4
// expect: argument dt scalar float
// expect: trips 19 4096
// expect: emitted rsqrt.float 4096
// expect: written rsqrt.float 4096
// expect: segments velocities 16
// expect: segments bodies 16
// expect: barriers 0
kernel void nbody(global const float4 *bodies, global float4 *velocities, int n, float dt)
{
	int i = get_global_id(0);
	float4 me = bodies[i];
	float3 force = (float3)(0.0f, 0.0f, 0.0f);

	for (int j = 0; j < n; j++) {
		float4 other = bodies[j];
		float3 d = other.xyz - me.xyz;
		float inverse = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);

		force += d * (other.w * inverse * inverse * inverse);
	}
	velocities[i].xyz += force * dt;
}
