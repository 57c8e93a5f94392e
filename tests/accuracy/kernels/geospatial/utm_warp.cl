// SPDX-License-Identifier: Apache-2.0
// A raster of degrees brought into a transverse Mercator projection: each pixel of the map is taken back to latitude
// and longitude by Krueger's series (WGS 84, third order) and reads the raster, bilinear, unless one of the four is
// missing.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define MISSING -32768

typedef struct {
    double west, north, step;
    int columns, rows;
} raster_t;

double2 degrees_of(double east, double north)
{
    const double beta[3] = {8.377318206244698e-04, 5.905e-08, 1.674e-10};
    const double delta[3] = {3.356551485597e-03, 6.571873148459e-06, 1.764656426454e-08};
    const double xi0 = north / (0.9996 * 6367449.145823415), eta0 = (east - 500000.0) / (0.9996 * 6367449.145823415);
    double xi = xi0, eta = eta0;

    for (int j = 0; j < 3; ++j) {
        const double m = 2.0 * (j + 1);
        xi -= beta[j] * sin(m * xi0) * cosh(m * eta0);
        eta -= beta[j] * cos(m * xi0) * sinh(m * eta0);
    }
    const double chi = asin(sin(xi) / cosh(eta));
    double latitude = chi;
    for (int j = 0; j < 3; ++j)
        latitude += delta[j] * sin(2.0 * (j + 1) * chi);
    return (double2)(latitude, atan2(sinh(eta), cos(xi))) * (180.0 / M_PI);
}

__kernel void utm_warp(__global const short *raster, const double west, const double north, const double step,
                       const int columns, const int rows, const double corner_east, const double corner_north,
                       const double pixel, const double meridian, __global short *map, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    const raster_t from = {west, north, step, columns, rows};

    const double2 at = degrees_of(corner_east + (x + 0.5) * pixel, corner_north - (y + 0.5) * pixel);
    const double u = (at.y + meridian - from.west) / from.step - 0.5, v = (from.north - at.x) / from.step - 0.5;
    const int column = (int)floor(u), row = (int)floor(v);
    short value = MISSING;

    if (column >= 0 && row >= 0 && column + 1 < from.columns && row + 1 < from.rows) {
        __global const short *p = raster + row * from.columns + column;
        const short nw = p[0], ne = p[1], sw = p[from.columns], se = p[from.columns + 1];
        if (nw != MISSING && ne != MISSING && sw != MISSING && se != MISSING) {
            const float fu = (float)(u - column), fv = (float)(v - row);
            const float top = nw + fu * (ne - nw), bottom = sw + fu * (se - sw);
            value = convert_short_sat_rte(top + fv * (bottom - top));
        }
    }
    map[y * width + x] = value;
}
