/* SPDX-License-Identifier: Apache-2.0 */
/* The most operations a second: eight independent chains of a multiplication, a subtraction from a constant and
   a multiplication, twenty steps of each in a row. */
#define STEP(s) s = (3.75f - 0.355f * s) * s;
#define STEPS STEP(s0) STEP(s1) STEP(s2) STEP(s3) STEP(s4) STEP(s5) STEP(s6) STEP(s7)
#define STEPS5 STEPS STEPS STEPS STEPS STEPS

__kernel void mul_madd8(__global float *data, const int iterations)
{
    const int gid = get_global_id(0);
    float s0 = data[gid];
    float s1 = 10.0f - s0, s2 = 9.0f - s0, s3 = 8.0f - s0, s4 = 7.0f - s0, s5 = 6.0f - s0, s6 = 5.0f - s0,
          s7 = 4.0f - s0;

    for (int j = 0; j < iterations; j++) {
        STEPS5
        STEPS5
        STEPS5
        STEPS5
    }
    data[gid] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
}
