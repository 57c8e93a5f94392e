/* SPDX-License-Identifier: Apache-2.0 */
/* Flow table: a key is in one of two buckets of four, or absent. */
#define ABSENT (-1)

static inline uint mix(uint x, uint seed)
{
  x ^= seed;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ (x >> 16);
}

static int find(int4 slots, int key)
{
  int4 equal = slots == (int4)(key);
  if (!any(equal))
    return ABSENT;
  return equal.x ? 0 : equal.y ? 1 : equal.z ? 2 : 3;
}

__kernel void cuckoo_lookup(__global const int *keys, __global const int4 *buckets, __global const uint *actions,
                            __global uint *found, uint bucket_mask)
{
  size_t gid = get_global_id(0);
  int key = keys[gid];
  uint b = mix(key, 0x9747b28cu) & bucket_mask;
  int slot = find(buckets[b], key);

  if (slot == ABSENT) {
    b = mix(key, 0x3c6ef372u) & bucket_mask;
    slot = find(buckets[b], key);
  }
  found[gid] = slot == ABSENT ? 0xffffffffu : actions[4 * b + slot];
}
