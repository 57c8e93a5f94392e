/* SPDX-License-Identifier: Apache-2.0 */
/* What a buffer of a golden launch holds. */
#include "tests/test.h"

#include "tests/unit/golden/golden_data.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/predict/sampled.h"

enum { STEPS_MAX = 8 };

struct step {
	char op;
	int64_t by;
};

static int64_t step_apply(const struct step *step, int64_t value)
{
	switch (step->op) {
	case '+':
		return value + step->by;
	case '-':
		return value - step->by;
	case '*':
		return value * step->by;
	case '/':
		return value / step->by;
	case '%':
		return value % step->by;
	case '^':
		return value ^ step->by;
	default:
		return value < step->by;
	}
}

/* "i*8%100"; how many steps, or -1 */
static int parse_steps(const char *text, struct step steps[STEPS_MAX])
{
	int count = 0;

	if (*text++ != 'i')
		return -1;
	while (*text != '\0' && *text != ':') {
		char *end;

		if (count == STEPS_MAX || strchr("+-*/%^<", *text) == NULL ||
		    !isdigit((unsigned char)text[1]))
			return -1;
		steps[count].op = *text;
		steps[count].by = strtoll(text + 1, &end, 10);
		if (steps[count].by == 0 && (*text == '/' || *text == '%'))
			return -1;
		count++;
		text = end;
	}
	return count;
}

static void store(uint8_t *at, struct type type, int64_t value)
{
	float real = (float)value;
	double wide = (double)value;

	if (type.scalar == SCALAR_FLOAT)
		memcpy(at, &real, sizeof real);
	else if (type.scalar == SCALAR_DOUBLE)
		memcpy(at, &wide, sizeof wide);
	else
		memcpy(at, &value, type_bytes(type)); /* the low bytes come first */
}

enum status golden_data(const char *text, uint64_t size_bytes, struct sample **sample,
                        struct error *error)
{
	struct step steps[STEPS_MAX];
	char name[16] = "";
	size_t length = strcspn(text, "=");
	struct type type;
	uint8_t *data;
	int count = -1;

	if (length < sizeof name && text[length] == '=') {
		memcpy(name, text, length);
		count = parse_steps(text + length + 1, steps);
	}
	if (count < 0 || !type_parse(name, &type) || type.width != 1 ||
	    type.scalar == SCALAR_HALF || type_bytes(type) == 0)
		return error_set(error, STATUS_INVALID, "want TYPE=FORMULA, have \"%.100s\"", text);
	data = calloc(size_bytes / type_bytes(type) + 1, type_bytes(type));
	if (data == NULL)
		return error_set(error, STATUS_NO_MEMORY, "no memory for \"%.100s\"", text);
	for (uint64_t i = 0; i < size_bytes / type_bytes(type); i++) {
		int64_t value = (int64_t)i;

		for (int k = 0; k < count; k++)
			value = step_apply(&steps[k], value);
		store(data + i * type_bytes(type), type, value);
	}
	enum status status = sample_try(data, size_bytes, (enum scalar)type.scalar, sample, error);
	free(data);
	return status;
}
