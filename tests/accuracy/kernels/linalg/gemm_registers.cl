/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B, four rows a work-item, kept in registers. */
kernel void gemm_registers(global const float *a, global const float *b, global float *c, int n)
{
	int column = get_global_id(0);
	int row = 4 * get_global_id(1);
	global const float *rows = a + row * n;
	float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;

	for (int k = 0; k < n; k++) {
		float value = b[k * n + column];
		s0 = mad(rows[k], value, s0);
		s1 = mad(rows[n + k], value, s1);
		s2 = mad(rows[2 * n + k], value, s2);
		s3 = mad(rows[3 * n + k], value, s3);
	}
	c[row * n + column] = s0;
	c[(row + 1) * n + column] = s1;
	c[(row + 2) * n + column] = s2;
	c[(row + 3) * n + column] = s3;
}
