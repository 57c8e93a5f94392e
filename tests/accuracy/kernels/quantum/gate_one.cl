// SPDX-License-Identifier: Apache-2.0
// A gate on one qubit of a state vector: amplitudes whose numbers differ in the qubit's bit alone are mixed by the 2
// x 2 matrix (rows of real and imaginary parts). One work-item a pair.

inline float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__kernel void gate_one(__global float2 *state, const uint qubit, const float8 gate)
{
    const uint pair = get_global_id(0);
    const uint bit = 1u << qubit;
    const uint zero = ((pair & ~(bit - 1)) << 1) | (pair & (bit - 1));
    const uint one = zero | bit;

    const float2 a = state[zero];
    const float2 b = state[one];
    state[zero] = times(gate.s01, a) + times(gate.s23, b);
    state[one] = times(gate.s45, a) + times(gate.s67, b);
}
