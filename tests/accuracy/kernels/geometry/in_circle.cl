/* SPDX-License-Identifier: Apache-2.0 */
/* Delaunay's condition: is the fourth point within the circle through the other three? In float, and in double
 * where rounding may have decided. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

char sign_of(double value)
{
	return value > 0 ? 1 : value < 0 ? -1 : 0;
}

char exactly(double2 a, double2 b, double2 c, double2 d)
{
	a -= d;
	b -= d;
	c -= d;
	return sign_of(dot(a, a) * (b.x * c.y - c.x * b.y) + dot(b, b) * (c.x * a.y - a.x * c.y) +
	               dot(c, c) * (a.x * b.y - b.x * a.y));
}

kernel void in_circle(global const float2 *points, global const int4 *quads, global char *inside, float uncertain)
{
	int4 quad = quads[get_global_id(0)];
	float2 d = points[quad.w];
	float2 a = points[quad.x] - d, b = points[quad.y] - d, c = points[quad.z] - d;
	float bc = b.x * c.y - c.x * b.y, ca = c.x * a.y - a.x * c.y, ab = a.x * b.y - b.x * a.y;
	float aa = dot(a, a), bb = dot(b, b), cc = dot(c, c);
	float value = aa * bc + bb * ca + cc * ab;
	float size = aa * fabs(bc) + bb * fabs(ca) + cc * fabs(ab);

	if (fabs(value) > uncertain * size)
		inside[get_global_id(0)] = value > 0 ? 1 : -1;
	else
		inside[get_global_id(0)] =
		        exactly(convert_double2(points[quad.x]), convert_double2(points[quad.y]),
		                convert_double2(points[quad.z]), convert_double2(d));
}
