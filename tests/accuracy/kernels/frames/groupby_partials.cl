/* SPDX-License-Identifier: Apache-2.0 */
/* select key, count(*), sum(v), min(v), max(v) where v > floor group by key: one partial row for each key and
 * work-group, made with atomics in local memory. A work-group takes a run of `chunk` rows. */

struct partial {
  int count;
  int sum;
  int low;
  int high;
};

__kernel void groupby_partials(__global const int *keys, __global const int *values, int rows, int chunk, int floor_v,
                               int groups, __local struct partial *table, __global struct partial *out)
{
  const int lid = get_local_id(0), lsz = get_local_size(0);
  const int begin = get_group_id(0) * chunk;
  const int end = min(begin + chunk, rows);

  for (int g = lid; g < groups; g += lsz) {
    struct partial empty = {0, 0, INT_MAX, INT_MIN};
    table[g] = empty;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int r = begin + lid; r < end; r += lsz) {
    int v = values[r];
    if (v > floor_v) {
      __local struct partial *p = &table[keys[r]];
      atomic_inc(&p->count);
      atomic_add(&p->sum, v);
      atomic_min(&p->low, v);
      atomic_max(&p->high, v);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  for (int g = lid; g < groups; g += lsz)
    out[get_group_id(0) * groups + g] = table[g];
}
