/* SPDX-License-Identifier: Apache-2.0 */
/* One of many precise built-ins. */
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:w
// expect: kernel precise
// expect: written sin.float 2
// expect: written tan.float 1
// expect: written exp.float 1
// expect: written exp2.float 1
// expect: written log.float 1
// expect: written log2.float 1
// expect: written pow.float 1
// expect: written atan2.float 1
// expect: written asin.float 1
// expect: written round.float 1
// expect: written sqrt.float 1
// expect: accesses 2
kernel void precise(global const float *in, global float *out)
{
	size_t i = get_global_id(0);
	float x = in[i];
	float y = sin(x) + cos(x) + tan(x);
	float z = exp(y) + exp2(x) + log(y) + log2(x);

	out[i] = pow(z, x) + atan2(y, z) + asin(x) + floor(z) + sqrt(z);
}
