/* SPDX-License-Identifier: Apache-2.0 */
/* A sparse matrix times a vector, compressed rows, one row per work-item. */
// launch: global=16384 local=64 args=buffer:65540:r,buffer:1M:r:0..16383,buffer:1M:r,buffer:64K:r,buffer:64K:w
// expect: kernel spmv_csr
// expect: argument row_start buffer int
// expect: accesses 6
// expect: store y coalesced
// expect: segments y 4
// expect: data_dependent
kernel void spmv_csr(global const int *row_start, global const int *columns,
                     global const float *values, global const float *x, global float *y)
{
	int row = get_global_id(0);
	int end = row_start[row + 1];
	float sum = 0.0f;

	for (int k = row_start[row]; k < end; k++)
		sum += values[k] * x[columns[k]];
	y[row] = sum;
}
