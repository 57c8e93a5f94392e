/* SPDX-License-Identifier: Apache-2.0 */
/* How many bits a series of measurements takes when each is coded by how it differs from the one before: one for the
 * same, few where the bits that differ fit between those of the last that did. Series lie side by side. */
kernel void gorilla_bits(global const uint *samples, global uint *bits, global uint *windows, int series, int length)
{
	const int id = get_global_id(0);
	if (id >= series)
		return;

	uint before = samples[id];
	uint total = 32, opened = 0;
	uint leading = 32, trailing = 32;
	for (int t = 1; t < length; t++) {
		const uint now = samples[t * series + id];
		const uint differ = now ^ before;
		before = now;
		if (differ == 0) {
			total += 1;
			continue;
		}
		const uint zeros = min(clz(differ), 15u);
		const uint behind = popcount((differ & (0 - differ)) - 1);
		if (leading + trailing < 32 && zeros >= leading && behind >= trailing) {
			total += 2 + 32 - leading - trailing;
		} else {
			leading = zeros;
			trailing = behind;
			total += 2 + 4 + 5 + 32 - zeros - behind;
			opened++;
		}
	}
	bits[id] = total;
	windows[id] = opened;
}
