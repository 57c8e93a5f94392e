/* SPDX-License-Identifier: Apache-2.0 */
/* Particles moved, kept as an array of structs: members lie 32 bytes apart. */
// launch: global=262144 local=64 args=buffer:8M:rw,float:0.01
// expect: kernel move_structs
// expect: accesses 9
// expect: written mul.float 3
// expect: written add.float 3
// expect: segments particles 32
// expect: barriers 0
typedef struct {
	float x, y, z, mass;
	float vx, vy, vz, charge;
} particle;

kernel void move_structs(global particle *particles, float dt)
{
	global particle *p = &particles[get_global_id(0)];

	p->x += p->vx * dt;
	p->y += p->vy * dt;
	p->z += p->vz * dt;
}
