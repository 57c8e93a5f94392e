/* SPDX-License-Identifier: Apache-2.0 */
/* Language profiles of devices whose compiler was not asked, and what any profile says to people.
 */
#include "daemon/codec/language.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARDS = 6, MACROS_MAX = 768, ASKED_MAX = 512, WORD_SIZE = LANGUAGE_NAME_MAX };

/* Strings of a driver's lists, and what is made of them. */
struct assumed {
	unsigned version; /* of OpenCL: 120 */
	char version_text[12], c_version_text[STANDARDS][12];
	char (*words)[WORD_SIZE];
	size_t word_count;
	struct language_macro (*macros)[MACROS_MAX]; /* by standard */
	struct language_standard standards[STANDARDS];
	const char *asked[ASKED_MAX];
	size_t asked_count;
};

/* "OpenCL 3.0 CUDA" is 300; 0 is no version. */
static unsigned version_of(const char *text)
{
	unsigned major = 0, minor = 0;
	if (sscanf(text, "OpenCL %2u.%1u", &major, &minor) != 2 || major < 1 || major > 9)
		return 0;
	return 100 * major + 10 * minor;
}

/* "-cl-std=CL1.2" is 120. */
static unsigned version_of_option(const char *option)
{
	unsigned major = 0, minor = 0;
	(void)sscanf(option, "-cl-std=CL%1u.%1u", &major, &minor);
	return 100 * major + 10 * minor;
}

static bool is_word(const char *word, size_t length)
{
	if (length == 0 || length >= WORD_SIZE || isdigit((unsigned char)word[0]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)word[i]) && word[i] != '_')
			return false;
	return true;
}

static void define(struct assumed *assumed, size_t standard, const char *name, const char *value)
{
	struct language_standard *to = &assumed->standards[standard];
	if (to->count < MACROS_MAX)
		assumed->macros[standard][to->count++] = (struct language_macro){name, value};
}

static void define_all(struct assumed *assumed, const char *name, const char *value)
{
	for (size_t i = 0; i < STANDARDS; i++)
		define(assumed, i, name, value);
}

static void ask(struct assumed *assumed, const char *name)
{
	if (assumed->asked_count < ASKED_MAX)
		assumed->asked[assumed->asked_count++] = name;
}

static void ask_all(struct assumed *assumed, enum language_names kind)
{
	for (const char *const *name = language_names(kind); *name != NULL; name++)
		ask(assumed, *name);
}

/* Each name of a list is a macro of value 1, of every standard or of OpenCL C 3.0 alone. */
static void define_words(struct assumed *assumed, const char *list, bool since_3)
{
	for (const char *at = list; *at != '\0' && assumed->word_count < LANGUAGE_LIST_MAX;) {
		at += strspn(at, " ");
		size_t length = strcspn(at, " ");
		if (is_word(at, length)) {
			char *word = assumed->words[assumed->word_count++];
			memcpy(word, at, length);
			word[length] = '\0';
			for (size_t i = 0; i < STANDARDS; i++)
				if (!since_3 || strcmp(assumed->c_version_text[i], "300") >= 0)
					define(assumed, i, word, "1");
		}
		at += length;
	}
}

static bool has_version(const struct language_lists *lists, unsigned version)
{
	for (size_t i = 0; i < lists->version_count; i++)
		if (lists->versions[i] == version)
			return true;
	return false;
}

/*
 * Without a list: every OpenCL C up to the device's version; of an OpenCL 3.0 device 2.0 is
 * optional (OpenCL API Specification 3.0, "OpenCL 3.0 Backwards Compatibility"). No option
 * chooses 1.0.
 */
static bool is_taken(const struct assumed *assumed, const struct language_lists *lists,
                     unsigned version)
{
	if (version == 100)
		return false;
	if (lists != NULL && lists->version_count > 0)
		return has_version(lists, version);
	return version <= assumed->version && (version != 200 || assumed->version < 300);
}

/* What compilers of drivers were seen to do, otherwise than the specification says or beyond it. */
static const struct habit {
	const char *platform;
	bool takes_highest;         /* a build without -cl-std is of the highest OpenCL C of all */
	bool has_one_version;       /* __OPENCL_VERSION__ is what __OPENCL_C_VERSION__ is */
	bool has_no_spir;           /* they compile for their target at once */
	const char *c_version_name; /* its own name of __OPENCL_C_VERSION__, or NULL */
	const char *names[2];       /* that it defines as 1 */
} habits[] = {
        /* 3.1 and 5.0 */
        {"Portable Computing Language", true, false, true, NULL, {NULL}},
        /* of an H100, OpenCL 3.0 */
        {"NVIDIA CUDA",
         true,
         true,
         true,
         "__NV_CL_C_VERSION",
         {"__NVPTX__", "cl_nv_pragma_unroll"}},
        {"", false, false, false, NULL, {NULL}},
};

/* What clang defines where it compiles for SPIR, as the front-end does. */
static const char *const of_spir[] = {"__SPIR", "__SPIR64", "__SPIR64__", "__SPIR__"};

static const struct habit *habit_of(const struct device *device)
{
	const struct habit *habit = habits;
	while (habit->platform[0] != '\0' && strcmp(habit->platform, device->platform) != 0)
		habit++;
	return habit;
}

/*
 * The OpenCL C of a build without -cl-std is the device's highest 1.x (OpenCL API
 * Specification 3.0, "Options Controlling the OpenCL C version").
 */
static unsigned default_version(const struct assumed *assumed, const struct habit *habit)
{
	unsigned best = 100;
	for (size_t i = 1; i < STANDARDS; i++) {
		unsigned version = version_of_option(assumed->standards[i].option);
		if (!assumed->standards[i].is_refused && version > best &&
		    (habit->takes_highest || version < 200))
			best = version;
	}
	return best;
}

static void assume_standards(struct assumed *assumed, const struct language_lists *lists,
                             const struct device *device)
{
	const char *const *option = language_names(LANGUAGE_NAMES_STANDARD);
	const struct habit *habit = habit_of(device);
	(void)snprintf(assumed->version_text, sizeof assumed->version_text, "%u", assumed->version);
	for (size_t i = 0; i < STANDARDS; i++) {
		unsigned version = version_of_option(option[i]);
		assumed->standards[i] = (struct language_standard){
		        .option = option[i],
		        .is_refused = i > 0 && !is_taken(assumed, lists, version),
		        .macros = assumed->macros[i],
		};
	}
	for (size_t i = 0; i < STANDARDS; i++) {
		unsigned version =
		        i == 0 ? default_version(assumed, habit) : version_of_option(option[i]);
		(void)snprintf(assumed->c_version_text[i], sizeof assumed->c_version_text[i], "%u",
		               version);
		define(assumed, i, "__OPENCL_C_VERSION__", assumed->c_version_text[i]);
		define(assumed, i, "__OPENCL_VERSION__",
		       habit->has_one_version ? assumed->c_version_text[i] : assumed->version_text);
		if (habit->c_version_name != NULL)
			define(assumed, i, habit->c_version_name, assumed->c_version_text[i]);
	}
	for (size_t i = 0; i < 2 && habit->names[i] != NULL; i++)
		define_all(assumed, habit->names[i], "1");
	for (size_t i = 0; habit->has_no_spir && i < sizeof of_spir / sizeof *of_spir; i++)
		ask(assumed, of_spir[i]);
	/* a calibration that is kept or of an earlier version does not say that there are none */
	if (device->has_images)
		define_all(assumed, "__IMAGE_SUPPORT__", "1");
	else if (lists != NULL)
		ask(assumed, "__IMAGE_SUPPORT__");
}

/* OpenCL C Specification, "Preprocessor Directives and Macros": a macro for each extension. */
static void assume_extensions(struct assumed *assumed, const struct language_lists *lists,
                              const struct device *device)
{
	if (lists != NULL) {
		define_words(assumed, lists->extensions, false);
		define_words(assumed, lists->features, true);
		ask_all(assumed, LANGUAGE_NAMES_EXTENSION);
		ask_all(assumed, LANGUAGE_NAMES_FEATURE);
		ask_all(assumed, LANGUAGE_NAMES_VENDOR);
		return;
	}
	ask(assumed, "cl_khr_fp16");
	ask(assumed, "cl_khr_fp64");
	if (device->has_half)
		define_all(assumed, "cl_khr_fp16", "1");
	if (device->has_double)
		define_all(assumed, "cl_khr_fp64", "1");
}

enum status language_assume(const struct language_lists *lists, struct device *device,
                            struct error *error)
{
	unsigned version = version_of(device->version);
	enum status status = STATUS_OK;
	device->language_bytes = 0;
	if (version == 0)
		return STATUS_OK;
	struct assumed *assumed = calloc(1, sizeof *assumed);
	if (assumed != NULL) {
		assumed->version = version;
		assumed->words = calloc(LANGUAGE_LIST_MAX, sizeof *assumed->words);
		assumed->macros = calloc(STANDARDS, sizeof *assumed->macros);
	}
	if (assumed == NULL || assumed->words == NULL || assumed->macros == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "language: no memory");
		goto out;
	}
	assume_standards(assumed, lists, device);
	assume_extensions(assumed, lists, device);
	const struct language_answers answers = {
	        .origin = lists != NULL ? LANGUAGE_LISTED : LANGUAGE_VERSION,
	        .standards = assumed->standards,
	        .standard_count = STANDARDS,
	        .asked = assumed->asked,
	        .asked_count = assumed->asked_count,
	};
	status = language_pack(&answers, device, error);
	if (status == STATUS_LIMIT)
		status = STATUS_OK;
out:
	if (assumed != NULL) {
		free(assumed->words);
		free(assumed->macros);
	}
	free(assumed);
	return status;
}
