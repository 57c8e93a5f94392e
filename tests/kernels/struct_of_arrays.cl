/* SPDX-License-Identifier: Apache-2.0 */
/* Particles moved, kept as one array per member. */
// launch: global=262144 local=64 args=buffer:1M:rw,buffer:1M:rw,buffer:1M:rw,buffer:1M:r,buffer:1M:r,buffer:1M:r,float:0.01
// expect: kernel move_arrays
// expect: accesses 9
// expect: written mul.float 3
// expect: written add.float 3
// expect: load vx coalesced
// expect: store z coalesced
// expect: segments y 4
kernel void move_arrays(global float *x, global float *y, global float *z, global const float *vx,
                        global const float *vy, global const float *vz, float dt)
{
	size_t i = get_global_id(0);

	x[i] += vx[i] * dt;
	y[i] += vy[i] * dt;
	z[i] += vz[i] * dt;
}
