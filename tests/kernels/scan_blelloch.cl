/* SPDX-License-Identifier: Apache-2.0 */
/* An exclusive prefix sum of each work-group's elements, up the tree and down (Blelloch). */
// launch: global=131072 local=128 args=buffer:1M:r,buffer:1M:w
// expect: kernel scan_blelloch
// expect: trips 20 8
// expect: trips 28 8
// expect: barriers 17
// expect: load sums local
// expect: store sums local
// expect: local_bytes 1024
kernel void scan_blelloch(global const int *in, global int *out)
{
	local int sums[256];
	int lane = get_local_id(0);
	int first = get_global_id(0) * 2;
	int step = 1;

	sums[2 * lane] = in[first];
	sums[2 * lane + 1] = in[first + 1];
	for (int up = 128; up > 0; up >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < up)
			sums[step * (2 * lane + 2) - 1] += sums[step * (2 * lane + 1) - 1];
		step *= 2;
	}
	if (lane == 0)
		sums[255] = 0;
	for (int down = 1; down < 256; down *= 2) {
		step /= 2;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < down) {
			int left = step * (2 * lane + 1) - 1;
			int right = step * (2 * lane + 2) - 1;
			int kept = sums[left];

			sums[left] = sums[right];
			sums[right] += kept;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[first] = sums[2 * lane];
	out[first + 1] = sums[2 * lane + 1];
}
