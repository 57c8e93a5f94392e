/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example of Poeppel and Herz, section 1.1, as printed there: each element
 * squared, less the element of the first row in its column.
 */
// launch: global=16777216 local=256 args=buffer:64M:r,buffer:64M:w,uint:4096,uint:4096
// expect: kernel sq_mod
// expect: ir kernel sq_mod(buffer float matrix, buffer float res, scalar uint m, scalar uint n)
// expect: argument matrix buffer float
// expect: argument n scalar uint
// expect: written add.float 1
// expect: written mul.float 1
// expect: written add.int 2
// expect: written mul.int 2
// expect: written div.long 1
// expect: written mod.long 1
// expect: emitted fma.float 1
// expect: accesses 3
// expect: load matrix interval
// expect: load matrix coalesced
// expect: store res coalesced
// expect: segments res 4
// expect: barriers 0
kernel void sq_mod(global float *matrix, global float *res,
                  unsigned int m, unsigned int n) {
    size_t current_pos = get_global_id(0);
    unsigned int current_row = current_pos / n;
    unsigned int current_col = current_pos % n;
    res[current_pos] = matrix[current_row * n + current_col]
        * matrix[current_row * n + current_col]
        - matrix[current_col];
}
