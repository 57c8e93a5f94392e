/* SPDX-License-Identifier: Apache-2.0 */
/* First-order upstream advection of a tracer on a C grid: cyclic in i, walls in j and k. u, v, w are Courant numbers on
 * the east, north and upper face of a cell; nothing crosses a face of a land cell. */

#define IDX(i, j, k) (((k) * nj + (j)) * ni + (i))

inline float upstream(float courant, float here, float there)
{
	return courant > 0.f ? courant * here : courant * there;
}

__kernel void tracer_upstream(__global const float *q, __global const float *u, __global const float *v,
			      __global const float *w, __global const uchar *land, __global float *q_new)
{
	const int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
	const int ni = get_global_size(0), nj = get_global_size(1), nk = get_global_size(2);
	const int c = IDX(i, j, k);

	if (land[c] & 1) {
		q_new[c] = 0.f;
		return;
	}

	const int east = IDX(i + 1 == ni ? 0 : i + 1, j, k);
	const int west = IDX(i == 0 ? ni - 1 : i - 1, j, k);
	float out = 0.f;

	if (!(land[east] & 1))
		out += upstream(u[c], q[c], q[east]);
	if (!(land[west] & 1))
		out -= upstream(u[west], q[west], q[c]);
	if (j + 1 < nj && !(land[c + ni] & 1))
		out += upstream(v[c], q[c], q[c + ni]);
	if (j > 0 && !(land[c - ni] & 1))
		out -= upstream(v[c - ni], q[c - ni], q[c]);
	if (k + 1 < nk && !(land[c + ni * nj] & 1))
		out += upstream(w[c], q[c], q[c + ni * nj]);
	if (k > 0 && !(land[c - ni * nj] & 1))
		out -= upstream(w[c - ni * nj], q[c - ni * nj], q[c]);

	q_new[c] = q[c] - out;
}
