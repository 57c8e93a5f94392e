/* SPDX-License-Identifier: Apache-2.0 */
/* Language profiles: packed, checked, assumed, and told to people. */
#include "tests/test.h"

#include "daemon/codec/language.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct device device; /* large */

static Predictd__Language *unpack(void)
{
	Predictd__Language *language = NULL;
	struct error error = {.text = ""};
	if (language_unpack(device.language, device.language_bytes, &language, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return language;
}

static const Predictd__LanguageStandard *standard(const Predictd__Language *language,
                                                  const char *option)
{
	for (size_t i = 0; i < language->n_standards; i++)
		if (strcmp(language->standards[i]->option, option) == 0)
			return language->standards[i];
	fail_msg("no standard \"%s\"", option);
	return NULL;
}

static const char *among(Predictd__LanguageMacro *const *macros, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(macros[i]->name, name) == 0)
			return macros[i]->value;
	return NULL;
}

/* What a macro is in a standard, NULL: not defined. */
static const char *value(const Predictd__Language *language, const char *option, const char *name)
{
	const Predictd__LanguageStandard *in = standard(language, option);
	const char *found = among(in->macros, in->n_macros, name);
	return found != NULL ? found : among(language->macros, language->n_macros, name);
}

static bool is_undefined(const Predictd__Language *language, const char *name)
{
	for (size_t i = 0; i < language->n_undefined; i++)
		if (strcmp(language->undefined[i], name) == 0)
			return true;
	return false;
}

/* ---- packing -------------------------------------------------------------------------------- */

static const struct language_macro of_1_2[] = {{"b", "2"}, {"VERSION", "120"}, {"a", "1"}},
                                   of_3_0[] = {{"VERSION", "300"},
                                               {"a", "1"},
                                               {"c", ""},
                                               {"b", "2"},
                                               {"a", "other"}};
static const struct language_option options[] = {{"-w", false}, {"-O3", true}, {"-w", true}};
static const char *const asked[] = {"z", "a", "c", "y", "z"};

static struct language_answers answers(struct language_standard standards[3])
{
	standards[0] = (struct language_standard){"-cl-std=CL3.0", false, of_3_0, 5};
	standards[1] = (struct language_standard){"-cl-std=CL1.0", true, NULL, 0};
	standards[2] = (struct language_standard){"", false, of_1_2, 3};
	return (struct language_answers){LANGUAGE_ASKED, standards, 3, asked, 5, options, 3};
}

static void what_standards_share_stands_once_and_lists_are_sorted(void **state)
{
	struct language_standard standards[3];
	struct language_answers given = answers(standards);
	struct error error = {.text = ""};
	(void)state;
	assert_int_equal(language_pack(&given, &device, &error), STATUS_OK);
	Predictd__Language *language = unpack();
	assert_int_equal(language->origin, LANGUAGE_ASKED);
	assert_int_equal(language->n_macros, 2);
	assert_string_equal(language->macros[0]->name, "a");
	assert_string_equal(language->macros[0]->value, "1");
	assert_string_equal(language->macros[1]->name, "b");
	assert_int_equal(language->n_standards, 3);
	assert_string_equal(language->standards[0]->option, "");
	assert_string_equal(language->standards[1]->option, "-cl-std=CL1.0");
	assert_true(language->standards[1]->is_refused);
	assert_int_equal(language->standards[1]->n_macros, 0);
	assert_int_equal(language->standards[0]->n_macros, 1);
	assert_int_equal(language->standards[2]->n_macros, 2);
	assert_string_equal(value(language, "", "VERSION"), "120");
	assert_string_equal(value(language, "-cl-std=CL3.0", "VERSION"), "300");
	assert_string_equal(value(language, "-cl-std=CL3.0", "c"), "");
	assert_null(value(language, "", "c"));
	assert_int_equal(language->n_undefined, 2);
	assert_string_equal(language->undefined[0], "y");
	assert_string_equal(language->undefined[1], "z");
	assert_int_equal(language->n_options, 2);
	assert_string_equal(language->options[0]->name, "-O3");
	assert_true(language->options[0]->is_refused && !language->options[1]->is_refused);
	predictd__language__free_unpacked(language, NULL);
}

/* The same compiler has the same profile, in whatever order its answers came. */
static void the_order_of_answers_changes_nothing(void **state)
{
	struct language_standard standards[3];
	struct language_answers given = answers(standards);
	const struct language_standard first = standards[0];
	struct error error = {.text = ""};
	(void)state;
	assert_int_equal(language_pack(&given, &device, &error), STATUS_OK);
	uint64_t id = language_id(device.language, device.language_bytes);
	assert_true(id != 0);
	standards[0] = standards[2];
	standards[2] = first;
	assert_int_equal(language_pack(&given, &device, &error), STATUS_OK);
	assert_true(language_id(device.language, device.language_bytes) == id);
	given.option_count = 1;
	assert_int_equal(language_pack(&given, &device, &error), STATUS_OK);
	assert_true(language_id(device.language, device.language_bytes) != id);
}

static void what_is_no_profile_leaves_the_one_before(void **state)
{
	struct language_standard standards[3];
	struct language_answers given = answers(standards);
	struct error error = {.text = ""};
	static char long_value[LANGUAGE_VALUE_MAX + 1];
	static struct language_macro many[200], bad;
	static char names[200][8];
	(void)state;
	assert_int_equal(language_pack(&given, &device, &error), STATUS_OK);
	uint64_t id = language_id(device.language, device.language_bytes);

	memset(long_value, 'x', LANGUAGE_VALUE_MAX);
	static const struct {
		struct language_macro macro;
		const char *says;
	} bads[] = {{{"1a", "1"}, "macro's name"},       {{"a b", "1"}, "macro's name"},
	            {{"", "1"}, "macro's name"},         {{"a", "1\n2"}, "macro's value"},
	            {{"a", "1\\"}, "macro's value"},     {{"a", long_value}, "macro's value"},
	            {{"a", "\xff\xfe"}, "macro's value"}};
	for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
		bad = bads[i].macro;
		standards[0].macros = &bad;
		standards[0].count = 1;
		assert_int_equal(language_pack(&given, &device, &error), STATUS_CORRUPT);
		if (strstr(error.text, bads[i].says) == NULL)
			fail_msg("want \"%s\", got \"%s\"", bads[i].says, error.text);
	}
	long_value[LANGUAGE_VALUE_MAX - 1] = '\0';
	for (size_t i = 0; i < 200; i++) {
		(void)snprintf(names[i], sizeof names[i], "m%zu", i);
		many[i] = (struct language_macro){names[i], long_value};
	}
	standards[0].macros = many;
	standards[0].count = 200;
	assert_int_equal(language_pack(&given, &device, &error), STATUS_LIMIT);
	assert_non_null(strstr(error.text, "want at most 16384 bytes, got"));
	standards[0].is_refused = standards[2].is_refused = true;
	assert_int_equal(language_pack(&given, &device, &error), STATUS_INVALID);
	assert_non_null(strstr(error.text, "all 3 standards are refused"));
	assert_true(language_id(device.language, device.language_bytes) == id);
}

static void bytes_of_another_origin_are_checked(void **state)
{
	static const uint8_t garbage[] = {0xff, 0xff, 0xff, 1};
	Predictd__Language language = PREDICTD__LANGUAGE__INIT;
	Predictd__LanguageOption option = PREDICTD__LANGUAGE_OPTION__INIT;
	Predictd__LanguageOption *list[] = {&option};
	struct error error = {.text = ""};
	uint8_t bytes[64];
	(void)state;
	assert_int_equal(language_check(garbage, sizeof garbage, &error), STATUS_CORRUPT);
	assert_int_equal(language_check(bytes, DEVICE_LANGUAGE_MAX + 1, &error), STATUS_CORRUPT);
	assert_int_equal(language_id(bytes, 0), 0);
	language.origin = LANGUAGE_ORIGINS;
	size_t size = predictd__language__pack(&language, bytes);
	assert_int_equal(language_check(bytes, size, &error), STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "unknown origin 4"));
	language.origin = LANGUAGE_LISTED;
	language.n_options = 1;
	language.options = list;
	option.name = (char *)(uintptr_t)"-D X";
	size = predictd__language__pack(&language, bytes);
	assert_int_equal(language_check(bytes, size, &error), STATUS_OK);
	option.name = (char *)(uintptr_t)"word";
	size = predictd__language__pack(&language, bytes);
	assert_int_equal(language_check(bytes, size, &error), STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "no option: \"word\""));
}

/* ---- assuming ------------------------------------------------------------------------------- */

static void set_device(const char *platform, const char *version)
{
	memset(&device, 0, sizeof device);
	strcpy(device.platform, platform);
	strcpy(device.version, version);
}

static void assert_text(const char *want)
{
	char text[LANGUAGE_TEXT_MAX];
	Predictd__Language *language = unpack();
	language_describe(language, text);
	predictd__language__free_unpacked(language, NULL);
	assert_string_equal(text, want);
}

static void a_version_tells_standards_and_what_is_the_default(void **state)
{
	static const struct {
		const char *platform, *version;
		int macros;
		const char *text;
	} cases[] = {
	        {"Some", "OpenCL 3.0 some", 2, "OpenCL C 1.2 by default, CL1.1 CL1.2 CL3.0"},
	        {"NVIDIA CUDA", "OpenCL 3.0 CUDA", 5, "OpenCL C 3.0 by default, CL1.1 CL1.2 CL3.0"},
	        {"Portable Computing Language", "OpenCL 3.0 PoCL HSTR: pthread", 2,
	         "OpenCL C 3.0 by default, CL1.1 CL1.2 CL3.0"},
	        {"AMD", "OpenCL 2.1 AMD-APP (3380)", 2,
	         "OpenCL C 1.2 by default, CL1.1 CL1.2 CL2.0"},
	        {"Old", "OpenCL 1.1 old", 2, "OpenCL C 1.1 by default, CL1.1"},
	        {"Oldest", "OpenCL 1.0 old", 2, "OpenCL C 1.0 by default"},
	};
	struct error error = {.text = ""};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		set_device(cases[i].platform, cases[i].version);
		assert_int_equal(language_assume(NULL, &device, &error), STATUS_OK);
		assert_int_equal(language_origin(&device), LANGUAGE_VERSION);
		char text[LANGUAGE_TEXT_MAX];
		(void)snprintf(text, sizeof text,
		               "%s, %d macros, assumed from the device's version", cases[i].text,
		               cases[i].macros);
		assert_text(text);
	}
}

static void a_version_alone_says_little_of_extensions(void **state)
{
	struct error error = {.text = ""};
	(void)state;
	set_device("Some", "OpenCL 3.0 some");
	device.has_double = true;
	assert_int_equal(language_assume(NULL, &device, &error), STATUS_OK);
	Predictd__Language *language = unpack();
	assert_string_equal(value(language, "", "__OPENCL_VERSION__"), "300");
	assert_string_equal(value(language, "", "__OPENCL_C_VERSION__"), "120");
	assert_string_equal(value(language, "-cl-std=CL3.0", "__OPENCL_C_VERSION__"), "300");
	assert_string_equal(value(language, "", "cl_khr_fp64"), "1");
	assert_true(is_undefined(language, "cl_khr_fp16"));
	/* nobody knows */
	assert_null(value(language, "", "cl_khr_subgroups"));
	assert_false(is_undefined(language, "cl_khr_subgroups"));
	assert_false(is_undefined(language, "__IMAGE_SUPPORT__"));
	assert_int_equal(language->n_options, 0);
	predictd__language__free_unpacked(language, NULL);
}

/* As the compiler of an H100 answered; PoCL's tells the device's version in each standard. */
static void versions_are_those_that_drivers_were_seen_to_tell(void **state)
{
	static const struct {
		const char *platform, *of_1_2;
	} cases[] = {{"NVIDIA CUDA", "120"}, {"Portable Computing Language", "300"}};
	struct error error = {.text = ""};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		set_device(cases[i].platform, "OpenCL 3.0");
		assert_int_equal(language_assume(NULL, &device, &error), STATUS_OK);
		Predictd__Language *language = unpack();
		assert_string_equal(value(language, "", "__OPENCL_VERSION__"), "300");
		assert_string_equal(value(language, "-cl-std=CL3.0", "__OPENCL_VERSION__"), "300");
		assert_string_equal(value(language, "-cl-std=CL1.2", "__OPENCL_VERSION__"),
		                    cases[i].of_1_2);
		assert_string_equal(value(language, "-cl-std=CL1.2", "__OPENCL_C_VERSION__"),
		                    "120");
		assert_true(standard(language, "-cl-std=CL1.0")->is_refused);
		assert_true(is_undefined(language, "__SPIR__"));
		const char *own = value(language, "-cl-std=CL1.2", "__NV_CL_C_VERSION");
		assert_int_equal(own != NULL, i == 0);
		assert_true(own == NULL || strcmp(own, "120") == 0);
		assert_int_equal(value(language, "", "cl_nv_pragma_unroll") != NULL, i == 0);
		predictd__language__free_unpacked(language, NULL);
	}
}

static void lists_tell_extensions_features_and_standards(void **state)
{
	static const unsigned versions[] = {120, 300};
	const struct language_lists lists = {
	        .extensions = "cl_khr_fp16 cl_khr_fp16  9bad cl_my_own also-bad",
	        .features = " __opencl_c_int64",
	        .versions = versions,
	        .version_count = 2};
	struct error error = {.text = ""};
	(void)state;
	set_device("Some", "OpenCL 3.0 some");
	device.has_images = true;
	assert_int_equal(language_assume(&lists, &device, &error), STATUS_OK);
	assert_int_equal(language_origin(&device), LANGUAGE_LISTED);
	Predictd__Language *language = unpack();
	assert_string_equal(value(language, "", "cl_khr_fp16"), "1");
	assert_string_equal(value(language, "", "cl_my_own"), "1");
	assert_string_equal(value(language, "", "__IMAGE_SUPPORT__"), "1");
	assert_true(is_undefined(language, "cl_khr_fp64"));
	assert_true(is_undefined(language, "cl_intel_subgroups"));
	assert_true(standard(language, "-cl-std=CL1.1")->is_refused);
	assert_true(standard(language, "-cl-std=CL2.0")->is_refused);
	/* features are OpenCL C 3.0's */
	assert_null(value(language, "", "__opencl_c_int64"));
	assert_string_equal(value(language, "-cl-std=CL3.0", "__opencl_c_int64"), "1");
	assert_false(is_undefined(language, "__opencl_c_int64"));
	assert_true(is_undefined(language, "__opencl_c_fp64"));
	predictd__language__free_unpacked(language, NULL);

	device.has_images = false;
	assert_int_equal(language_assume(&lists, &device, &error), STATUS_OK);
	language = unpack();
	assert_true(is_undefined(language, "__IMAGE_SUPPORT__"));
	predictd__language__free_unpacked(language, NULL);
}

static void what_tells_nothing_leaves_a_device_without_profile(void **state)
{
	static const char *const versions[] = {"", "none at all", "OpenCL", "OpenCL 0.9",
	                                       "OpenCL x.y"};
	struct error error = {.text = ""};
	(void)state;
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		set_device("Some", versions[i]);
		device.language_bytes = 7;
		assert_int_equal(language_assume(NULL, &device, &error), STATUS_OK);
		assert_int_equal(device.language_bytes, 0);
		assert_int_equal(language_origin(&device), LANGUAGE_NONE);
	}
	/* lists that no profile has room for */
	char *extensions = malloc(64 << 10);
	size_t used = 0;
	assert_non_null(extensions);
	for (unsigned i = 0; i < 700; i++)
		used += (size_t)sprintf(extensions + used, "cl_vendor_extension_of_a_long_name_%u ",
		                        i);
	const struct language_lists lists = {.extensions = extensions, .features = ""};
	set_device("Some", "OpenCL 3.0 some");
	assert_int_equal(language_assume(&lists, &device, &error), STATUS_OK);
	assert_int_equal(device.language_bytes, 0);
	free(extensions);
}

/* ---- telling -------------------------------------------------------------------------------- */

static void people_read_what_is_refused_and_whether_it_was_asked(void **state)
{
	struct language_standard standards[3];
	struct language_answers given = answers(standards);
	Predictd__Device message = PREDICTD__DEVICE__INIT, none = PREDICTD__DEVICE__INIT;
	struct error error = {.text = ""};
	static const struct language_macro odd[] = {{"__OPENCL_C_VERSION__", "CLC"}};
	(void)state;
	standards[0].macros = standards[2].macros = odd;
	standards[0].count = standards[2].count = 1;
	assert_int_equal(language_pack(&given, &device, &error), STATUS_OK);
	assert_true(language_tell(&device, &message));
	assert_string_equal(message.language_text, "OpenCL C of unknown version by default, CL3.0, "
	                                           "1 macros, asked of the device's compiler");
	assert_int_equal(message.n_refused_options, 1);
	assert_string_equal(message.refused_options[0], "-O3");
	assert_false(message.is_language_assumed);
	free(message.language_text);
	free(message.refused_options[0]);
	free(message.refused_options);
	device.language_bytes = 0;
	assert_true(language_tell(&device, &none));
	assert_string_equal(none.language_text, "");
}

/* What the calibrator asks can be packed, and no name stands in two lists. */
static void names_are_names_and_stand_once(void **state)
{
	static const char *all[1024];
	size_t count = 0;
	(void)state;
	for (int kind = 0; kind <= LANGUAGE_NAMES_OTHER; kind++)
		for (const char *const *name = language_names((enum language_names)kind);
		     *name != NULL; name++) {
			for (size_t i = 0; i < count; i++)
				if (strcmp(all[i], *name) == 0)
					fail_msg("%s stands twice", *name);
			all[count++] = *name;
		}
	const struct language_standard none = {"", false, NULL, 0};
	const struct language_answers every = {.origin = LANGUAGE_ASKED,
	                                       .standards = &none,
	                                       .standard_count = 1,
	                                       .asked = all,
	                                       .asked_count = count};
	struct error error = {.text = ""};
	if (language_pack(&every, &device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	/* half of the room is left for values and for what a driver lists */
	assert_true(device.language_bytes < DEVICE_LANGUAGE_MAX / 2);
	for (const char *const *option = language_names(LANGUAGE_NAMES_OPTION); *option != NULL;
	     option++)
		assert_true((*option)[0] == '-' && strchr(*option, ' ') == NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_standards_share_stands_once_and_lists_are_sorted),
	        cmocka_unit_test(the_order_of_answers_changes_nothing),
	        cmocka_unit_test(what_is_no_profile_leaves_the_one_before),
	        cmocka_unit_test(bytes_of_another_origin_are_checked),
	        cmocka_unit_test(a_version_tells_standards_and_what_is_the_default),
	        cmocka_unit_test(a_version_alone_says_little_of_extensions),
	        cmocka_unit_test(versions_are_those_that_drivers_were_seen_to_tell),
	        cmocka_unit_test(lists_tell_extensions_features_and_standards),
	        cmocka_unit_test(what_tells_nothing_leaves_a_device_without_profile),
	        cmocka_unit_test(people_read_what_is_refused_and_whether_it_was_asked),
	        cmocka_unit_test(names_are_names_and_stand_once),
	};
	return cmocka_run_group_tests_name("language", tests, NULL, NULL);
}
