/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a bitonic sort of the rotations of a text, for its Burrows-Wheeler transform: pairs are compared letter
   by letter. Negative rotations pad the table to a power of two and come last. */
int is_before(int a, int b, __global const char *text, int length)
{
    if (a < 0 || a == b)
        return 0;
    if (b < 0)
        return 1;
    for (int i = 0; i < length; i++) {
        const char at_a = text[(a + i) % length], at_b = text[(b + i) % length];
        if (at_a != at_b)
            return at_a < at_b;
    }
    return 0;
}

__kernel void rotations_step(__global int *table, const int table_size, const int j, const int k,
                             __global const char *text, const int length)
{
    const int i = get_global_id(0);
    const int other = i ^ j;

    if (i < table_size && other > i) {
        const int rises = (i & k) == 0;
        const int t1 = table[i], t2 = table[other];
        if (is_before(rises ? t2 : t1, rises ? t1 : t2, text, length)) {
            table[i] = t2;
            table[other] = t1;
        }
    }
}
