# SPDX-License-Identifier: Apache-2.0
"""A program on pyopencl: arrays, a reduction and a kernel of its own. Its second run takes binaries
from pyopencl's cache."""
import numpy
import pyopencl
import pyopencl.array
import pyopencl.reduction

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
values = pyopencl.array.to_device(queue, numpy.arange(1 << 16, dtype=numpy.float32))
program = pyopencl.Program(context, """
#include <pyopencl-complex.h>
__kernel void shifted(__global float *a, float by) { a[get_global_id(0)] += by; }
""").build()
for step in range(8):
    program.shifted(queue, values.shape, None, values.data, numpy.float32(1))
dot = pyopencl.reduction.ReductionKernel(context, numpy.float32, neutral="0", reduce_expr="a+b",
                                         map_expr="x[i]*y[i]", arguments="__global float *x, __global float *y")
ones = pyopencl.array.zeros(queue, values.shape, numpy.float32) + 1
for step in range(8):
    values = values * 0.5 + ones
print(values.get()[:4], float(dot(values, ones).get()))
