// SPDX-License-Identifier: Apache-2.0
// Solutions of the queens' problem from boards on which some rows are filled already: columns and both diagonals are
// bits, and what is still to be tried stands on a stack in local memory, one column of it a work-item.
#define DEPTH_MAX 16

__kernel void nqueens(const int board_size, const int boards, __global const uint *columns,
                      __global const uint *lefts, __global const uint *rights, __global uint *solutions,
                      __local uint *stacks)
{
    const int id = get_global_id(0), size = get_local_size(0);
    if (id >= boards)
        return;

    const uint board = (1u << board_size) - 1;
    __local uint *taken = stacks + get_local_id(0);
    __local uint *left = taken + DEPTH_MAX * size;
    __local uint *right = left + DEPTH_MAX * size;
    __local uint *open = right + DEPTH_MAX * size;
    uint found = 0;
    int row = 0;

    taken[0] = columns[id] & board;
    left[0] = lefts[id];
    right[0] = rights[id];
    open[0] = board & ~(taken[0] | left[0] | right[0]);
    while (row >= 0) {
        const int at = row * size;
        const uint rest = open[at];
        if (rest == 0) {
            row--;
            continue;
        }
        const uint queen = rest & -rest;
        open[at] = rest ^ queen;

        const uint now = taken[at] | queen;
        if (now == board) {
            found++;
            continue;
        }
        const uint now_left = (left[at] | queen) << 1, now_right = (right[at] | queen) >> 1;
        const uint next = board & ~(now | now_left | now_right);
        if (next != 0) {
            row++;
            taken[at + size] = now;
            left[at + size] = now_left;
            right[at + size] = now_right;
            open[at + size] = next;
        }
    }
    solutions[id] = found;
}
