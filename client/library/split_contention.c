/* SPDX-License-Identifier: Apache-2.0 */
/* What the devices of a split do to each other, of the launch that is split. */
#include "client/library/split_contention.h"

predictd_status split_contention_ask(predictd_connection *connection,
                                     const predictd_splitting *splitting,
                                     struct split_contention *contention)
{
	size_t count = splitting->device_count;
	predictd_status status =
	        contention_assume(connection, splitting->devices, count, contention->pairs);
	contention->is_any_known = false;
	contention->is_all_known = true;
	for (size_t i = 0; i < count * count && status == PREDICTD_OK; i++) {
		bool is_pair = i / count != i % count;
		contention->is_any_known |= is_pair && contention->pairs[i].is_known;
		contention->is_all_known &= !is_pair || contention->pairs[i].is_known;
	}
	return status;
}

void split_contention_mix(struct split_contention *contention, size_t count,
                          const struct load_mix *mixes)
{
	for (size_t i = 0; i < count * count; i++)
		contention->slowdowns[i] =
		        load_factor(&contention->pairs[i], &mixes[i / count], &mixes[i % count]);
}
