/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 8-bit matrices, the right one transposed: four at once, summed in 32 bits, back to 8. */
int dot4(char4 a, char4 b, int sum)
{
	int4 product = convert_int4(a) * convert_int4(b);
	return sum + product.x + product.y + product.z + product.w;
}

kernel void matmul_int8(global const char4 *left, global const char4 *right, global const int *bias, global char *out,
                        int columns, int inner, float scale)
{
	int column = get_global_id(0);
	int row = get_global_id(1);
	int sum = bias[column];

	for (int k = 0; k < inner / 4; k++)
		sum = dot4(left[row * (inner / 4) + k], right[column * (inner / 4) + k], sum);
	out[row * columns + column] = convert_char_sat_rte(sum * scale);
}
