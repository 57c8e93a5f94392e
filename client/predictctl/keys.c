/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of JSON objects in files that users write. */
#include "client/predictctl/keys.h"

#include "client/predictctl/nearest.h"

#include <string.h>

bool keys_check(json_t *object, const char *const *known, const char *where, struct complaint *why)
{
	const char *key;
	char meant[64];
	json_t *value;
	json_object_foreach(object, key, value)
	{
		size_t i = 0;
		while (known[i] != NULL && strcmp(known[i], key) != 0)
			i++;
		if (known[i] == NULL)
			return refuse(why, "%.100s: unknown key '%.60s'%s", where, key,
			              nearest_say(key, known, meant));
	}
	return true;
}
