/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks whose rows, columns or streams are `pitch` words apart: a power of two, or padded. What is
 * computed does not depend on the padding, and no more is read.
 */

/* A column for each work-item. */
kernel void column_sums(global const float *a, global float *out, int pitch, int rows)
{
	int x = get_global_id(0);
	float sum = 0;
	for (int i = 0; i < rows; i++)
		sum += a[i * pitch + x];
	out[x] = sum;
}

/* A row for each work-item. */
kernel void row_sums(global const float *a, global float *out, int pitch, int columns)
{
	int y = get_global_id(0);
	float sum = 0;
	for (int i = 0; i < columns; i++)
		sum += a[y * pitch + i];
	out[y] = sum;
}

kernel void transpose(global const float *a, global float *out, int pitch, int columns)
{
	int x = get_global_id(0), y = get_global_id(1);
	out[x * pitch + y] = a[y * columns + x];
}

kernel void transposed_read(global const float *a, global float *out, int pitch, int columns)
{
	int x = get_global_id(0), y = get_global_id(1);
	out[y * columns + x] = a[x * pitch + y];
}

/* As many streams as there are terms. */
kernel void streams(global const float *a, global float *out, int pitch, int terms)
{
	int x = get_global_id(0);
	float sum = 0;
	for (int i = 0; i < terms; i++)
		sum += a[i * pitch + x] * (i + 1);
	out[x] = sum;
}

/* Sixteen streams that are written. */
kernel void scattered_planes(global const float *a, global float *out, int pitch, int unused)
{
	int x = get_global_id(0);
	float v = a[x] + unused;
	for (int i = 0; i < 16; i++)
		out[i * pitch + x] = v * i;
}

/* Twelve neighbours above and below. */
kernel void vertical_stencil(global const float *a, global float *out, int pitch, int columns)
{
	int x = get_global_id(0), y = get_global_id(1);
	float sum = 0;
	for (int i = 0; i < 13; i++)
		sum += a[(y + i) * pitch + x] * 0.1f;
	out[y * columns + x] = sum;
}

kernel void product(global const float *a, global float *out, int pitch, int n)
{
	int x = get_global_id(0), y = get_global_id(1);
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[y * pitch + k] * a[k * pitch + x];
	out[y * n + x] = sum;
}

/* Both are walked by rows. */
kernel void product_of_rows(global const float *a, global float *out, int pitch, int n)
{
	int x = get_global_id(0), y = get_global_id(1);
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[y * pitch + k] * a[x * pitch + k];
	out[y * n + x] = sum;
}

/* The first of each row, again and again. */
kernel void heads(global const float *a, global float *out, int pitch, int rows)
{
	int x = get_global_id(0);
	float sum = 0;
	for (int k = 0; k < 16; k++)
		for (int i = 0; i < rows; i++)
			sum += a[i * pitch + (x + k) % 16];
	out[x] = sum;
}

/* A butterfly of eight. */
kernel void butterflies(global const float *a, global float *out, int pitch, int unused)
{
	int x = get_global_id(0);
	float v[8];
	for (int i = 0; i < 8; i++)
		v[i] = a[i * pitch + x] + unused;
	for (int h = 4; h > 0; h /= 2)
		for (int i = 0; i < 8; i++)
			if ((i & h) == 0) {
				float low = v[i], high = v[i + h];
				v[i] = low + high;
				v[i + h] = low - high;
			}
	for (int i = 0; i < 8; i++)
		out[i * pitch + x] = v[i];
}

/* Blocks of 16 x 16 in local memory; what is padded are the rows of global memory. */
kernel void blocks(global const float *a, global float *out, int pitch, int columns)
{
	local float tile[16][17];
	int i = get_local_id(0), j = get_local_id(1);
	int x = get_group_id(0) * 16, y = get_group_id(1) * 16;
	tile[j][i] = a[(y + j) * columns + x + i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(x + j) * pitch + y + i] = tile[i][j];
}
