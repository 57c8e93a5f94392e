/* SPDX-License-Identifier: Apache-2.0 */
/* What dot_product_opencl_kernels.cl includes and Debian's starpu-examples does not install. */
#define DOT_TYPE double
