// SPDX-License-Identifier: Apache-2.0
// Matrix factorisation by stochastic gradients, without locks (Hogwild): each work-item takes one rating and moves
// its user and its item, 32 factors and a bias each. Ratings are in half stars.

#define VECTORS 8 /* of float4 */

__kernel void mf_sgd(__global const int *users, __global const int *items, __global const uchar *stars,
                     __global float4 *user_factors, __global float4 *item_factors, __global float *user_bias,
                     __global float *item_bias, const float mean, const float rate, const float decay, const int ratings)
{
    const int k = get_global_id(0);
    if (k >= ratings)
        return;

    const int user = users[k], item = items[k];
    __global float4 *p = user_factors + user * VECTORS;
    __global float4 *q = item_factors + item * VECTORS;

    float4 sum = (float4)(0.0f);
    for (int v = 0; v < VECTORS; ++v)
        sum += p[v] * q[v];
    const float guess = mean + user_bias[user] + item_bias[item] + sum.x + sum.y + sum.z + sum.w;
    const float error = 0.5f * (stars[k] % 11) - guess;

    user_bias[user] += rate * (error - decay * user_bias[user]);
    item_bias[item] += rate * (error - decay * item_bias[item]);
    for (int v = 0; v < VECTORS; ++v) {
        const float4 u = p[v], i = q[v];
        p[v] = u + rate * (error * i - decay * u);
        q[v] = i + rate * (error * u - decay * i);
    }
}
