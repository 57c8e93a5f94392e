/* SPDX-License-Identifier: Apache-2.0 */
/* Convective adjustment. Where a layer is warmer than the one above it, water from both is mixed; again until a column is
   stable or the passes are used up. Layer 0 is on top, arrays are [layer][column]. */

__kernel void convective_adjust(__global float *theta, __global float *salt, __global const float *thickness,
                                __global int *passes, int columns, int layers, int max_passes)
{
  int col = get_global_id(0);
  if (col >= columns) return;

  int pass = 0;
  bool unstable;
  do {
    unstable = false;
    float above = theta[col];
    for (int k = 1; k < layers; ++k) {
      float below = theta[k * columns + col];
      if (below > above + 1e-4f) {
        float h0 = thickness[k - 1], h1 = thickness[k];
        float mixed = (above * h0 + below * h1) / (h0 + h1);
        float s = (salt[(k - 1) * columns + col] * h0 + salt[k * columns + col] * h1) / (h0 + h1);
        theta[(k - 1) * columns + col] = mixed;
        theta[k * columns + col] = mixed;
        salt[(k - 1) * columns + col] = s;
        salt[k * columns + col] = s;
        below = mixed;
        unstable = true;
      }
      above = below;
    }
    ++pass;
  } while (unstable && pass < max_passes);
  passes[col] = pass;
}
