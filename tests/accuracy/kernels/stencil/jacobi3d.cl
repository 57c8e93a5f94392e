/* SPDX-License-Identifier: Apache-2.0 */
/* Seven-point Jacobi on a box, borders kept. */
kernel void jacobi3d(global const float *in, global float *out, int nx, int ny, int nz)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	int z = get_global_id(2);
	int plane = nx * ny;
	int at = z * plane + y * nx + x;

	if (x == 0 || y == 0 || z == 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
		return;
	out[at] = (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - plane] +
	           in[at + plane]) *
	                  0.16f +
	          in[at] * 0.04f;
}
