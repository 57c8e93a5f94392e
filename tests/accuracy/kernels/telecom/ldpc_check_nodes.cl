/* SPDX-License-Identifier: Apache-2.0 */
/* Check nodes of a quasi-cyclic LDPC code, normalised min-sum with 8-bit messages. A row of the base graph has
 * edges start[row] to start[row + 1]; each goes to a block column, turned by a shift. Belief less an edge's old
 * message comes in; the least and the second least of the others' magnitudes go out. */
kernel void ldpc_check_nodes(global const short *belief, global char *message, global const int *start,
                             global const int *column, global const int *shift, int lift)
{
	const int z = get_global_id(0), row = get_global_id(1);
	const int first = start[row], end = start[row + 1];
	int least = 127, second = 127, where = -1, sign = 0;

	for (int e = first; e < end; e++) {
		int turned = z + shift[e];
		turned -= turned >= lift ? lift : 0;
		const int value = belief[column[e] * lift + turned] - message[e * lift + z];
		const int size = min((int)abs(value), 127);
		sign ^= value;
		if (size < least) {
			second = least;
			least = size;
			where = e;
		} else if (size < second) {
			second = size;
		}
	}
	least = least * 3 >> 2;
	second = second * 3 >> 2;

	for (int e = first; e < end; e++) {
		int turned = z + shift[e];
		turned -= turned >= lift ? lift : 0;
		const int value = belief[column[e] * lift + turned] - message[e * lift + z];
		const int size = e == where ? second : least;
		message[e * lift + z] = (sign ^ value) < 0 ? -size : size;
	}
}
