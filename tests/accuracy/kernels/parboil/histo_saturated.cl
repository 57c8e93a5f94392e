/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram whose bins end at 255. Values tell the range of 1024 * KB bins that they are in, their word of it by
   two indices, and the byte of the word. Each row of work-groups counts one of the ranges where most values
   are, four bins a word in local memory, and says where a byte carried into the next; the first row counts
   what lies outside of all these ranges in the global histogram, two bins a word. */
#define WORDS (256 * KB)
#define BINS (4 * WORDS)

__kernel void histo_saturated(__global const uchar4 *values, const uint count, const uint range_min,
                              const uint range_max, const uint ranges, __global uint *counted, __global uint *outside,
                              __global uint *carried)
{
    __local uint words[WORDS];
    const uint lid = get_local_id(0), size = get_local_size(0);
    const uint mine = range_min + get_group_id(1);

    for (uint k = lid; k < WORDS; k += size)
        words[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint k = get_global_id(0); k < count; k += get_global_size(0)) {
        const uchar4 value = values[k];
        const uint range = value.x & (ranges - 1);
        const uint word = (value.y & (KB - 1)) * 256 + value.z;
        const uint shift = 8 * (value.w & 3);
        const uint bin = range * BINS + 4 * word + shift / 8;

        if (range == mine) {
            const uint before = atomic_add(&words[word], 1u << shift);
            if ((before >> shift & 0xff) == 0xff) {
                const bool into1 = shift < 24 && (before >> (shift + 8) & 0xff) == 0xff;
                const bool into2 = into1 && shift < 16 && (before >> (shift + 16) & 0xff) == 0xff;
                const bool into3 = into2 && shift < 8 && (before >> (shift + 24) & 0xff) == 0xff;

                atomic_add(&carried[bin], 256u);
                if (shift < 24)
                    atomic_add(&carried[bin + 1], (uint)(into1 ? 0xff : 0xffffffff));
                if (into1 && shift < 16)
                    atomic_add(&carried[bin + 2], (uint)(into2 ? 0xff : 0xffffffff));
                if (into2 && shift < 8)
                    atomic_add(&carried[bin + 3], (uint)(into3 ? 0xff : 0xffffffff));
            }
        } else if (get_group_id(1) == 0 && (range < range_min || range > range_max)) {
            const uint half_shift = bin % 2 * 16;
            if ((outside[bin / 2] >> half_shift & 0xffff) < 255)
                atomic_add(&outside[bin / 2], 1u << half_shift);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    __global uint *to = counted + (get_group_id(0) * get_num_groups(1) + get_group_id(1)) * WORDS;
    for (uint k = lid; k < WORDS; k += size)
        to[k] = words[k];
}
