/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry of the layer: the loader hands over the functions below and gets those that take their
 * place (cl_loader_layers extension). Functions that nobody here names stay the target's.
 */
#include "client/opencl/layer/layer.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "client/opencl/layer/exit.h"

struct _cl_icd_dispatch layer_target;
layer_mode layer_wanted;
seen_losses layer_losses;
_Atomic bool layer_is_following;

static struct _cl_icd_dispatch own;

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value,
                                               size_t *size_ret)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	static const char title[] = "predictd";
	const void *from = name == CL_LAYER_API_VERSION ? (const void *)&version : title;
	const size_t wanted = name == CL_LAYER_API_VERSION ? sizeof version : sizeof title;
	if (name != CL_LAYER_API_VERSION && name != CL_LAYER_NAME)
		return CL_INVALID_VALUE;
	if (value != NULL && size < wanted)
		return CL_INVALID_VALUE;
	if (value != NULL)
		memcpy(value, from, wanted);
	if (size_ret != NULL)
		*size_ret = wanted;
	return CL_SUCCESS;
}

/* Another user's rights, which the environment must not put to use: the layer is off. */
static layer_mode mode_of_environment(void)
{
	const char *word = getauxval(AT_SECURE) != 0 ? "off" : getenv("PREDICTD_LAYER");
	if (word != NULL && strcmp(word, "off") == 0)
		return LAYER_OFF;
	return word != NULL && strcmp(word, "times") == 0 ? LAYER_TIMES : LAYER_ALL;
}

/* Has the library that the code is of stay until the process ends. */
static bool keep_library(const void *code)
{
	Dl_info info;
	struct link_map *map = NULL;
	if (code == NULL || dladdr1(code, &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
		return false;
	return map->l_name[0] == '\0' || /* the program itself */
	       dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != NULL;
}

/*
 * A program that unloads the loader would take the target from the harvesting thread.
 *
 * caller   code of the loader; the target may be another layer
 */
static bool keep_target(const void *caller)
{
	const void *function = NULL;
	memcpy(&function, &layer_target.clGetPlatformIDs, sizeof function);
	return keep_library(function) && keep_library(caller);
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                            cl_uint *count_ret, const cl_icd_dispatch **dispatch)
{
	static atomic_flag is_entered = ATOMIC_FLAG_INIT;
	const cl_uint known = sizeof own / sizeof(void *);
	if (target == NULL || count_ret == NULL || dispatch == NULL)
		return CL_INVALID_VALUE;
	if (atomic_flag_test_and_set(&is_entered)) /* named twice: its target would be itself */
		return CL_INVALID_OPERATION;
	if (count > known)
		count = known;
	memcpy(&layer_target, target, count * sizeof(void *));
	own = layer_target;
	layer_wanted = mode_of_environment();
	if (layer_wanted != LAYER_OFF && keep_target(__builtin_return_address(0)) && exit_init()) {
		atomic_store(&layer_is_following, true);
		queues_enter(&own);
		programs_enter(&own);
		kernels_enter(&own);
		memory_enter(&own);
		launch_enter(&own);
		transfer_enter(&own);
	}
	*count_ret = count;
	*dispatch = &own;
	return CL_SUCCESS;
}
