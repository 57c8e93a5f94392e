/* SPDX-License-Identifier: Apache-2.0 */
/* The index, key and name of each OpenCL device as predictd knows it, found by its cl_device_id. */
#define CL_TARGET_OPENCL_VERSION 120
#include "client/opencl/predictd_opencl.h"

int main(void)
{
	predictd_connection *connection;
	predictd_opencl_devices list;
	if (predictd_open(NULL, &connection) != PREDICTD_OK ||
	    predictd_opencl_list(&list) != PREDICTD_OK) {
		(void)fprintf(stderr, "opencl_devices: %s\n", predictd_error_text());
		return 1;
	}
	for (size_t i = 0; i < list.count; i++) {
		char name[256], key[PREDICTD_KEY_BYTES] = "";
		cl_device_id same = NULL;
		uint32_t index = 0;
		predictd_opencl_text(list.devices[i], CL_DEVICE_NAME, name, sizeof name);
		if (predictd_opencl_find(connection, list.devices[i], &index) != PREDICTD_OK ||
		    predictd_opencl_key(list.devices[i], key) != PREDICTD_OK ||
		    predictd_opencl_device(key, &same) != PREDICTD_OK || same != list.devices[i])
			(void)printf("-\t%s\t%s\n", key, name);
		else
			(void)printf("%u\t%s\t%s\n", index, key, name);
	}
	predictd_close(connection);
	return 0;
}
