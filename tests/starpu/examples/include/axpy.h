/* SPDX-License-Identifier: Apache-2.0 */
/* What axpy_opencl_kernel.cl includes and Debian's starpu-examples does not install. */
#define TYPE float
