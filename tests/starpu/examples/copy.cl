// SPDX-License-Identifier: Apache-2.0
// Stands for the two clEnqueueCopyBuffer of a task of stencil's that saves a boundary.
kernel void copy(global const uchar *from, global uchar *to)
{
	to[get_global_id(0)] = from[get_global_id(0)];
}
