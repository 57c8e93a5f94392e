/* SPDX-License-Identifier: Apache-2.0 */
/* Forces between the particles of neighbouring cells in a periodic box; `capacity` particles a cell. */
kernel void lennard_jones(global const float *x, global const float *y, global const float *z,
                          global float *energy, int side, int capacity, float cutoff)
{
	int particle = get_global_id(0);
	int cell = particle / capacity;
	int cx = cell % side, cy = cell / side % side, cz = cell / side / side;
	float px = x[particle], py = y[particle], pz = z[particle];
	float length = (float)side;
	float sum = 0.0f;

	for (int n = 0; n < 27; n++) {
		int ox = (cx + n % 3 - 1 + side) % side;
		int oy = (cy + n / 3 % 3 - 1 + side) % side;
		int oz = (cz + n / 9 - 1 + side) % side;
		int first = ((oz * side + oy) * side + ox) * capacity;
		for (int k = 0; k < capacity; k++) {
			float dx = x[first + k] - px, dy = y[first + k] - py, dz = z[first + k] - pz;
			dx -= length * rint(dx / length);
			dy -= length * rint(dy / length);
			dz -= length * rint(dz / length);
			float square = dx * dx + dy * dy + dz * dz;
			if (first + k != particle && square < cutoff * cutoff) {
				float inverse = 1.0f / (square + 0.01f);
				float sixth = inverse * inverse * inverse;
				sum += 4.0f * sixth * (sixth - 1.0f);
			}
		}
	}
	energy[particle] = sum;
}
