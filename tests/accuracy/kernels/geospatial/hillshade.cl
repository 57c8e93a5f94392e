/* SPDX-License-Identifier: Apache-2.0 */
/* Slope, aspect and shaded relief of an elevation model, gradients by Horn's weights. Cells without data (and those
 * beside one) are 0. Angles are in degrees, the aspect clockwise from north. */
#define NO_DATA -9000.0f

kernel void hillshade(global const float *elevation, global uchar *shade, global float2 *slope_aspect, int width, int height,
                      float cell, float sun_azimuth, float sun_altitude)
{
	const int x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;

	float around[9];
	float lowest = 1e9f;
	for (int k = 0; k < 9; k++) {
		const int nx = clamp(x + k % 3 - 1, 0, width - 1), ny = clamp(y + k / 3 - 1, 0, height - 1);
		around[k] = elevation[ny * width + nx];
		lowest = fmin(lowest, around[k]);
	}
	if (lowest < NO_DATA) {
		shade[y * width + x] = 0;
		slope_aspect[y * width + x] = (float2)(0.0f, 0.0f);
		return;
	}

	const float east = (around[2] + 2.0f * around[5] + around[8] - around[0] - 2.0f * around[3] - around[6]) / (8.0f * cell);
	const float south = (around[6] + 2.0f * around[7] + around[8] - around[0] - 2.0f * around[1] - around[2]) / (8.0f * cell);
	const float steep = sqrt(east * east + south * south);
	const float slope = atan(steep);
	float aspect = atan2(-east, south);
	aspect += aspect < 0.0f ? 2.0f * M_PI_F : 0.0f;

	const float light = sin(sun_altitude) * cos(slope) + cos(sun_altitude) * sin(slope) * cos(sun_azimuth - aspect);
	shade[y * width + x] = convert_uchar_sat_rte(1.0f + 254.0f * fmax(light, 0.0f));
	slope_aspect[y * width + x] = (float2)(degrees(slope), degrees(aspect));
}
