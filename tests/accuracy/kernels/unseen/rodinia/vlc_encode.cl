/* SPDX-License-Identifier: Apache-2.0 */
/* Huffman's encoding: a work-item joins the codes of the four bytes of a word, a scan of their lengths in local
   memory says where they go, and atomics put them there. Each work-group leaves its bits by themselves, and how
   many they are; codes have eight bits or less in the mean. */
__kernel void vlc_encode(__global const uint *data, __global const uint *codes, __global const uint *lengths,
                         __global uint *out, __global uint *bits)
{
    __local uint code[256], length[256];
    __local uint words[ITEMS];
    __local uint used;

    const uint lid = get_local_id(0);
    for (uint k = lid; k < 256; k += ITEMS) {
        code[k] = codes[k];
        length[k] = lengths[k];
    }
    const uint four = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);

    ulong joined = 0;
    uint left = 0;
    for (int i = 0; i < 4; i++) {
        const uint byte = four >> (3 - i) * 8 & 0xff;
        joined = joined << length[byte] | code[byte];
        left += length[byte];
    }
    words[lid] = left;

    uint apart = 1;
    for (uint half_size = ITEMS / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            words[apart * (2 * lid + 2) - 1] += words[apart * (2 * lid + 1) - 1];
        apart *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        words[ITEMS - 1] = 0;
    for (uint size = 1; size < ITEMS; size *= 2) {
        apart /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < size) {
            const uint before = words[apart * (2 * lid + 1) - 1];
            words[apart * (2 * lid + 1) - 1] = words[apart * (2 * lid + 2) - 1];
            words[apart * (2 * lid + 2) - 1] += before;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint first = words[lid];
    if (lid == ITEMS - 1) {
        bits[get_group_id(0)] = first + left;
        used = (first + left + 31) / 32;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    words[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    const uint word = first / 32, bit = first % 32;
    uint now = min(left, 32 - bit);
    if (now > 0) {
        atomic_or(&words[word], (uint)(joined >> (left - now)) << (32 - bit - now));
        left -= now;
    }
    if (left > 0) {
        now = min(left, 32u);
        atomic_or(&words[word + 1], ((uint)(joined >> (left - now)) & (0xffffffff >> (32 - now))) << (32 - now));
        left -= now;
    }
    if (left > 0)
        atomic_or(&words[word + 2], ((uint)joined & (0xffffffff >> (32 - left))) << (32 - left));
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid < used)
        out[get_global_id(0)] = words[lid];
}
