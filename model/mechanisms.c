/* SPDX-License-Identifier: Apache-2.0 */
/* Which mechanisms an ablation leaves out. */
#include "model/mechanisms.h"

#ifdef PREDICTD_ABLATION
#include <string.h>

static uint64_t left_out;

static const char *const names[] = {
#define X(name, word, what) word,
        MECHANISM_TABLE(X)
#undef X
};

bool mechanism(enum mechanism mechanism)
{
	return (left_out >> mechanism & 1) == 0;
}

const char *mechanisms_leave_out(const char *list)
{
	while (*list != '\0') {
		size_t length = strcspn(list, ",");
		unsigned i = 0;

		while (i < MECHANISM_COUNT &&
		       (strlen(names[i]) != length || memcmp(names[i], list, length) != 0))
			i++;
		if (i == MECHANISM_COUNT)
			return list;
		left_out |= UINT64_C(1) << i;
		list += length + (list[length] == ',');
	}
	return NULL;
}
#endif
