// SPDX-License-Identifier: Apache-2.0
// Space-time adaptive processing of one Doppler bin: for each range gate the covariance of N channels is estimated from
// gates around it, loaded on its diagonal, and factored as L L^H. The matched adaptive weights follow from two
// triangular solves with the steering vector.
#ifndef N
#define N 6
#endif

typedef float2 cfloat;

cfloat c_mul(cfloat a, cfloat b) { return (cfloat)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
cfloat c_mul_conj(cfloat a, cfloat b) { return (cfloat)(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y); } // a b*

__kernel void stap_weights(__global const cfloat *snapshots, __constant cfloat *steering, const int train,
                           const int guard, const float loading, __global cfloat *weights, __global float *power,
                           const int gates)
{
    const int g = get_global_id(0);
    if (g >= gates) return;

    cfloat low[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            low[i][j] = (cfloat)(0.0f);

    int used = 0;
    for (int t = g - guard - train; t <= g + guard + train; t++) {
        if (t < 0 || t >= gates || abs(t - g) <= guard) continue;
        cfloat x[N];
        for (int i = 0; i < N; i++)
            x[i] = snapshots[t * N + i];
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++)
                low[i][j] += c_mul_conj(x[i], x[j]);
        used++;
    }
    const float scale = used > 0 ? 1.0f / used : 0.0f;

    // Cholesky in place
    for (int j = 0; j < N; j++) {
        float pivot = low[j][j].x * scale + loading;
        for (int k = 0; k < j; k++)
            pivot -= dot(low[j][k], low[j][k]);
        const float root = sqrt(fmax(pivot, 1e-12f));
        low[j][j] = (cfloat)(root, 0.0f);
        for (int i = j + 1; i < N; i++) {
            cfloat sum = low[i][j] * scale;
            for (int k = 0; k < j; k++)
                sum -= c_mul_conj(low[i][k], low[j][k]);
            low[i][j] = sum / root;
        }
    }

    cfloat w[N];
    for (int i = 0; i < N; i++) {
        cfloat sum = steering[i];
        for (int k = 0; k < i; k++)
            sum -= c_mul(low[i][k], w[k]);
        w[i] = sum / low[i][i].x;
    }
    for (int i = N - 1; i >= 0; i--) {
        cfloat sum = w[i];
        for (int k = i + 1; k < N; k++)
            sum -= c_mul_conj(w[k], low[k][i]);
        w[i] = sum / low[i][i].x;
    }

    float norm = 0.0f;
    cfloat out = (cfloat)(0.0f);
    for (int i = 0; i < N; i++) {
        norm += c_mul_conj(w[i], steering[i]).x;
        out += c_mul_conj(snapshots[g * N + i], w[i]);
        weights[g * N + i] = w[i];
    }
    power[g] = dot(out, out) / norm;
}
