/* SPDX-License-Identifier: Apache-2.0 */
/* A switch on an argument, with a case that falls through. */
// launch: global=65536 local=64 args=buffer:256K:rw,int:1
// expect: kernel choose
// expect: argument kind scalar int
// expect: written sqrt.float 1
// expect: written exp.float 1
// expect: written sin.float 0
// expect: written log.float 0
// expect: store x coalesced
kernel void choose(global float *x, int kind)
{
	size_t i = get_global_id(0);
	float value = x[i];

	switch (kind) {
	case 0:
		value = sin(value);
		break;
	case 1:
		value = sqrt(value);
		/* falls through */
	case 2:
		value = exp(value);
		break;
	default:
		value = log(value);
	}
	x[i] = value;
}
