/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the OpenCL programs that ViennaCL's headers compose at run time, for float: each into a
 * file of the folder that the command names. No OpenCL runs: what builds a program is defined here
 * and writes its source, and what else is called does nothing.
 */
#define VIENNACL_WITH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <viennacl/linalg/opencl/kernels/amg.hpp>
#include <viennacl/linalg/opencl/kernels/bisect.hpp>
#include <viennacl/linalg/opencl/kernels/compressed_compressed_matrix.hpp>
#include <viennacl/linalg/opencl/kernels/compressed_matrix.hpp>
#include <viennacl/linalg/opencl/kernels/coordinate_matrix.hpp>
#include <viennacl/linalg/opencl/kernels/ell_matrix.hpp>
#include <viennacl/linalg/opencl/kernels/fft.hpp>
#include <viennacl/linalg/opencl/kernels/hyb_matrix.hpp>
#include <viennacl/linalg/opencl/kernels/ilu.hpp>
#include <viennacl/linalg/opencl/kernels/iterative.hpp>
#include <viennacl/linalg/opencl/kernels/matrix.hpp>
#include <viennacl/linalg/opencl/kernels/matrix_element.hpp>
#include <viennacl/linalg/opencl/kernels/matrix_solve.hpp>
#include <viennacl/linalg/opencl/kernels/nmf.hpp>
#include <viennacl/linalg/opencl/kernels/scan.hpp>
#include <viennacl/linalg/opencl/kernels/sliced_ell_matrix.hpp>
#include <viennacl/linalg/opencl/kernels/spai.hpp>
#include <viennacl/linalg/opencl/kernels/svd.hpp>
#include <viennacl/linalg/opencl/kernels/vector.hpp>
#include <viennacl/linalg/opencl/kernels/vector_element.hpp>

namespace kernels = viennacl::linalg::opencl::kernels;

static std::string path; /* of the program that is composed */

extern "C" {
cl_program clCreateProgramWithSource(cl_context, cl_uint, const char **text, const size_t *length,
                                     cl_int *error)
{
	std::ofstream(path).write(text[0], std::streamsize(length[0]));
	*error = CL_SUCCESS;
	return reinterpret_cast<cl_program>(&path);
}

cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                      void (*)(cl_program, void *), void *)
{
	return CL_SUCCESS;
}

cl_int clCreateKernelsInProgram(cl_program, cl_uint, cl_kernel *, cl_uint *count)
{
	if (count)
		*count = 0;
	return CL_SUCCESS;
}

/* Of a device that no vendor made: kernels for all of them. */
cl_int clGetDeviceInfo(cl_device_id, cl_device_info, size_t bytes, void *value, size_t *wanted)
{
	if (value)
		std::memset(value, 0, bytes);
	if (wanted)
		*wanted = 0;
	return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program)
{
	return CL_SUCCESS;
}
}

int main(int count, char **words)
{
	viennacl::ocl::context context;

	if (count != 2) {
		std::fprintf(stderr, "usage: viennacl FOLDER\n");
		return 2;
	}
	context.add_device(reinterpret_cast<cl_device_id>(&path));
#define WRITE(name, ...)                                                                           \
	path = std::string(words[1]) + "/" name ".cl";                                             \
	kernels::__VA_ARGS__::init(context)
	WRITE("amg", amg<float>);
	WRITE("bisect", bisect_kernel<float>);
	WRITE("compressed_compressed_matrix", compressed_compressed_matrix<float>);
	WRITE("compressed_matrix", compressed_matrix<float>);
	WRITE("compressed_matrix_solve", compressed_matrix_solve<float>);
	WRITE("coordinate_matrix", coordinate_matrix<float>);
	WRITE("ell_matrix", ell_matrix<float>);
	WRITE("fft", fft<float>);
	WRITE("hyb_matrix", hyb_matrix<float>);
	WRITE("ilu", ilu<float>);
	WRITE("iterative", iterative<float>);
	WRITE("matrix_row", matrix_legacy<float, viennacl::row_major>);
	WRITE("matrix_column", matrix_legacy<float, viennacl::column_major>);
	WRITE("matrix_element", matrix_element<float, viennacl::row_major>);
	WRITE("matrix_solve", matrix_solve<float, viennacl::row_major, viennacl::row_major>);
	WRITE("nmf", nmf<float>);
	WRITE("scan", scan<float>);
	WRITE("sliced_ell_matrix", sliced_ell_matrix<float, unsigned int>);
	WRITE("spai", spai<float>);
	WRITE("svd", svd<float, viennacl::row_major>);
	WRITE("vector", vector<float>);
	WRITE("vector_multi_inner_prod", vector_multi_inner_prod<float>);
	WRITE("vector_element", vector_element<float>);
	return 0;
}
