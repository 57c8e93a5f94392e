/* SPDX-License-Identifier: Apache-2.0 */
/* On the headers of ViennaCL: conjugate gradients on a grid, and a product of matrices. */
#define VIENNACL_WITH_OPENCL
#include "viennacl/compressed_matrix.hpp"
#include "viennacl/linalg/cg.hpp"
#include "viennacl/linalg/inner_prod.hpp"
#include "viennacl/linalg/norm_2.hpp"
#include "viennacl/linalg/prod.hpp"
#include "viennacl/matrix.hpp"
#include "viennacl/vector.hpp"
#include <cstdio>
#include <map>
#include <vector>
int main()
{
	const std::size_t side = 64, n = side * side;
	std::vector<std::map<unsigned, float>> rows(n);
	std::vector<float> ones(n, 1.0f);
	for (std::size_t i = 0; i < n; i++) {
		rows[i][i] = 4.5f;
		if (i % side > 0)
			rows[i][i - 1] = -1;
		if (i % side < side - 1)
			rows[i][i + 1] = -1;
		if (i >= side)
			rows[i][i - side] = -1;
		if (i + side < n)
			rows[i][i + side] = -1;
	}
	viennacl::compressed_matrix<float> a(n, n);
	viennacl::copy(rows, a);
	viennacl::vector<float> b(n);
	viennacl::copy(ones, b);
	viennacl::linalg::cg_tag tag(1e-5, 50);
	viennacl::vector<float> x = viennacl::linalg::solve(a, b, tag);
	viennacl::vector<float> r = b - viennacl::vector<float>(viennacl::linalg::prod(a, x));
	std::printf("residual is small: %d\n", viennacl::linalg::norm_2(r) < 1e-2f);
	viennacl::matrix<float> m(256, 256), k(256, 256), p;
	m = viennacl::scalar_matrix<float>(256, 256, 0.5f);
	k = viennacl::scalar_matrix<float>(256, 256, 2.0f);
	for (int i = 0; i < 12; i++)
		p = viennacl::linalg::prod(m, k);
	std::printf("corner %g\n", float(p(0, 0)));
	return 0;
}
