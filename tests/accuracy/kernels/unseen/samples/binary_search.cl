// SPDX-License-Identifier: Apache-2.0
// Several keys in a sorted array: each work-item bisects one subdivision for one key.
__kernel void binary_search(__global const int *keys, __global const int *sorted, const uint count,
                            const uint subdivisions, __global int *places)
{
    const uint id = get_global_id(0);
    const uint each = count / subdivisions;
    const int key = keys[id / subdivisions];
    int low = (int)((id % subdivisions) * each);
    int high = low + (int)each - 1;

    while (high >= low) {
        const int middle = (low + high) / 2;
        const int found = sorted[middle];
        if (found == key) {
            places[id / subdivisions] = middle;
            return;
        }
        if (found > key)
            high = middle - 1;
        else
            low = middle + 1;
    }
}
