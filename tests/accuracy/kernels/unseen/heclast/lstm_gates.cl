/* SPDX-License-Identifier: Apache-2.0 */
/* A long short-term memory's cells after the products of matrices: a work-item adds up its four gates with their biases,
   and gates the cell's state. */
float sigmoid(const float x)
{
    return 1.0f / (1.0f + exp(-x));
}

__kernel void lstm_gates(const int hidden, const int batch, __global const float *from_h, __global const float *from_i,
                         __global const float *bias, __global float *linear, __global float *h_out,
                         __global float *i_out, __global const float *c_in, __global float *c_out)
{
    const int index = get_global_id(0);
    if (index >= batch * hidden)
        return;

    const int unit = index % hidden;
    const int gate = unit + 4 * (index / hidden) * hidden;
    float g[4];

    for (int k = 0; k < 4; k++) {
        g[k] = from_i[k * hidden + gate] + from_h[k * hidden + gate];
        g[k] += bias[k * hidden + unit] + bias[(k + 4) * hidden + unit];
        linear[gate + k * hidden] = g[k];
    }

    const float in_gate = sigmoid(g[0]);
    const float forget_gate = sigmoid(g[1]);
    const float in_gate2 = tanh(g[2]);
    const float out_gate = sigmoid(g[3]);

    float value = forget_gate * c_in[index] + in_gate * in_gate2;
    c_out[index] = value;
    value = out_gate * tanh(value);
    h_out[index] = value;
    i_out[index] = value;
}
