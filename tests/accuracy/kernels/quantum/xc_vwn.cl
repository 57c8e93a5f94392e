/* SPDX-License-Identifier: Apache-2.0 */
/* Exchange (Dirac) and correlation (Vosko, Wilk, Nusair, 1980) of a density without spin: energy per volume and
 * potential at each point, and the point's share of the energy. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

constant double A = 0.0310907, B = 3.72744, C = 12.9352, X0 = -0.10498;

kernel void xc_vwn(global const double *rho, global const float *weight, global double *potential, global double *energy,
                   const uint count)
{
	const uint i = get_global_id(0);
	if (i >= count)
		return;
	const double n = rho[i];
	if (n < 1e-10) {
		potential[i] = 0.0;
		energy[i] = 0.0;
		return;
	}

	const double third = cbrt(n);
	const double exchange = -0.7385587663820224 * third;

	const double x2 = 0.6203504908994 / third, x = sqrt(x2);
	const double q = sqrt(4.0 * C - B * B);
	const double poly = x2 + B * x + C, poly0 = X0 * X0 + B * X0 + C;
	const double angle = atan(q / (2.0 * x + B));
	const double correlation =
	        A * (log(x2 / poly) + 2.0 * B / q * angle -
	             B * X0 / poly0 * (log((x - X0) * (x - X0) / poly) + 2.0 * (B + 2.0 * X0) / q * angle));
	const double slope = A * (C * (x - X0) - B * x * X0) / ((x - X0) * poly);

	potential[i] = 4.0 / 3.0 * exchange + correlation - slope / 3.0;
	energy[i] = weight[i] * n * (exchange + correlation);
}
