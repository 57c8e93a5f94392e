/* SPDX-License-Identifier: Apache-2.0 */
/* The action of a gauge field of SU(2) on a lattice in four dimensions: traces of all plaquettes of a site,
 * links as quaternions. */
typedef float4 link;

link times(link a, link b)
{
	return (link)(a.x * b.x - a.y * b.y - a.z * b.z - a.w * b.w,
	              a.x * b.y + a.y * b.x + a.z * b.w - a.w * b.z,
	              a.x * b.z - a.y * b.w + a.z * b.x + a.w * b.y,
	              a.x * b.w + a.y * b.z - a.z * b.y + a.w * b.x);
}

link turned(link a)
{
	return (link)(a.x, -a.y, -a.z, -a.w);
}

int neighbour(int site, int direction, int side)
{
	int stride = 1;
	for (int d = 0; d < direction; d++)
		stride *= side;
	int digit = site / stride % side;
	return digit == side - 1 ? site - digit * stride : site + stride;
}

kernel void plaquette(global const link *links, global float *action, int side, int sites)
{
	int site = get_global_id(0);
	float sum = 0.0f;

	if (site >= sites)
		return;
	for (int mu = 0; mu < 3; mu++) {
		link first = links[mu * sites + site];
		int along_mu = neighbour(site, mu, side);
		for (int nu = mu + 1; nu < 4; nu++) {
			int along_nu = neighbour(site, nu, side);
			link second = links[nu * sites + along_mu];
			link third = links[mu * sites + along_nu];
			link fourth = links[nu * sites + site];
			link around = times(times(first, second), times(turned(third), turned(fourth)));
			sum += 1.0f - around.x;
		}
	}
	action[site] = sum;
}
