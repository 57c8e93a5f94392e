/* SPDX-License-Identifier: Apache-2.0 */
/* A lattice cell of five populations (D2Q5), an array of structs, relaxed towards equilibrium. */
// launch: global=65536 local=64 args=buffer:1310720:rw,float:0.6
// expect: kernel lbm_cell
// expect: written div.float 0
// expect: written mul.float 14
// expect: written add.float 20
// expect: segments cells 20
// expect: barriers 0
struct cell {
	float rest, east, west, north, south;
};

kernel void lbm_cell(global struct cell *cells, float omega)
{
	size_t i = get_global_id(0);
	struct cell c = cells[i];
	float density = c.rest + c.east + c.west + c.north + c.south;
	float ux = c.east - c.west;
	float uy = c.north - c.south;

	c.rest += omega * (density * 0.33333333f - c.rest);
	c.east += omega * (density * 0.16666667f + 0.5f * ux - c.east);
	c.west += omega * (density * 0.16666667f - 0.5f * ux - c.west);
	c.north += omega * (density * 0.16666667f + 0.5f * uy - c.north);
	c.south += omega * (density * 0.16666667f - 0.5f * uy - c.south);
	cells[i] = c;
}
