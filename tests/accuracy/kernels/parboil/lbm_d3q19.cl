/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a lattice-Boltzmann flow in a box, 19 directions (D3Q19), an array each. A work-group has a row of cells;
   a cell relaxes what it holds and pushes it to its neighbours. Obstacles send it back, some cells drive the flow. */
#define OBSTACLE 1
#define DRIVEN 2
#define OMEGA 1.95f
#define AT_REST (1.0f / 3.0f)
#define STRAIGHT (1.0f / 18.0f)
#define DIAGONAL (1.0f / 36.0f)

enum direction { C, N, S, E, W, T, B, NE, NW, SE, SW, NT, NB, ST, SB, ET, EB, WT, WB };

__kernel void lbm_d3q19(__global const float *from, __global float *to, __global const uint *flags)
{
    const int x = get_local_id(0), y = get_group_id(0), z = get_group_id(1);
    const int row = PADDED_X, plane = PADDED_X * (int)get_num_groups(0);
    const int cells = plane * ((int)get_num_groups(1) + 2); /* a layer before, one behind */
    const int here = (z + 1) * plane + y * row + x;
    const float fc = from[C * cells + here];
    const float fn = from[N * cells + here];
    const float fs = from[S * cells + here];
    const float fe = from[E * cells + here];
    const float fw = from[W * cells + here];
    const float ft = from[T * cells + here];
    const float fb = from[B * cells + here];
    const float fne = from[NE * cells + here];
    const float fnw = from[NW * cells + here];
    const float fse = from[SE * cells + here];
    const float fsw = from[SW * cells + here];
    const float fnt = from[NT * cells + here];
    const float fnb = from[NB * cells + here];
    const float fst = from[ST * cells + here];
    const float fsb = from[SB * cells + here];
    const float fet = from[ET * cells + here];
    const float feb = from[EB * cells + here];
    const float fwt = from[WT * cells + here];
    const float fwb = from[WB * cells + here];

    if (flags[here] & OBSTACLE) {
        to[C * cells + here] = fc;
        to[N * cells + here + row] = fs;
        to[S * cells + here - row] = fn;
        to[E * cells + here + 1] = fw;
        to[W * cells + here - 1] = fe;
        to[T * cells + here + plane] = fb;
        to[B * cells + here - plane] = ft;
        to[NE * cells + here + 1 + row] = fsw;
        to[NW * cells + here - 1 + row] = fse;
        to[SE * cells + here + 1 - row] = fnw;
        to[SW * cells + here - 1 - row] = fne;
        to[NT * cells + here + row + plane] = fsb;
        to[NB * cells + here + row - plane] = fst;
        to[ST * cells + here - row + plane] = fnb;
        to[SB * cells + here - row - plane] = fnt;
        to[ET * cells + here + 1 + plane] = fwb;
        to[EB * cells + here + 1 - plane] = fwt;
        to[WT * cells + here - 1 + plane] = feb;
        to[WB * cells + here - 1 - plane] = fet;
        return;
    }

    const float rho = fc + fn + fs + fe + fw + ft + fb + fne + fnw + fse +
                      fsw + fnt + fnb + fst + fsb + fet + feb + fwt + fwb;
    float ux = (fe - fw + fne - fnw + fse - fsw + fet + feb - fwt - fwb) / rho;
    float uy = (fn - fs + fne + fnw - fse - fsw + fnt + fnb - fst - fsb) / rho;
    float uz = (ft - fb + fnt - fnb + fst - fsb + fet - feb + fwt - fwb) / rho;
    if (flags[here] & DRIVEN) {
        ux = 0.005f;
        uy = 0.002f;
        uz = 0.0f;
    }
    const float square = 1.5f * (ux * ux + uy * uy + uz * uz);
    const float kept = 1.0f - OMEGA;
    const float rest = AT_REST * OMEGA * rho, straight = STRAIGHT * OMEGA * rho, diagonal = DIAGONAL * OMEGA * rho;

    to[C * cells + here] = kept * fc + rest * (1.0f - square);
    to[N * cells + here + row] =
        kept * fn + straight * (1.0f + uy * (4.5f * uy + 3.0f) - square);
    to[S * cells + here - row] =
        kept * fs + straight * (1.0f + (-uy) * (4.5f * (-uy) + 3.0f) - square);
    to[E * cells + here + 1] =
        kept * fe + straight * (1.0f + ux * (4.5f * ux + 3.0f) - square);
    to[W * cells + here - 1] =
        kept * fw + straight * (1.0f + (-ux) * (4.5f * (-ux) + 3.0f) - square);
    to[T * cells + here + plane] =
        kept * ft + straight * (1.0f + uz * (4.5f * uz + 3.0f) - square);
    to[B * cells + here - plane] =
        kept * fb + straight * (1.0f + (-uz) * (4.5f * (-uz) + 3.0f) - square);
    to[NE * cells + here + 1 + row] =
        kept * fne + diagonal * (1.0f + (ux + uy) * (4.5f * (ux + uy) + 3.0f) - square);
    to[NW * cells + here - 1 + row] =
        kept * fnw + diagonal * (1.0f + (-ux + uy) * (4.5f * (-ux + uy) + 3.0f) - square);
    to[SE * cells + here + 1 - row] =
        kept * fse + diagonal * (1.0f + (ux - uy) * (4.5f * (ux - uy) + 3.0f) - square);
    to[SW * cells + here - 1 - row] =
        kept * fsw + diagonal * (1.0f + (-ux - uy) * (4.5f * (-ux - uy) + 3.0f) - square);
    to[NT * cells + here + row + plane] =
        kept * fnt + diagonal * (1.0f + (uy + uz) * (4.5f * (uy + uz) + 3.0f) - square);
    to[NB * cells + here + row - plane] =
        kept * fnb + diagonal * (1.0f + (uy - uz) * (4.5f * (uy - uz) + 3.0f) - square);
    to[ST * cells + here - row + plane] =
        kept * fst + diagonal * (1.0f + (-uy + uz) * (4.5f * (-uy + uz) + 3.0f) - square);
    to[SB * cells + here - row - plane] =
        kept * fsb + diagonal * (1.0f + (-uy - uz) * (4.5f * (-uy - uz) + 3.0f) - square);
    to[ET * cells + here + 1 + plane] =
        kept * fet + diagonal * (1.0f + (ux + uz) * (4.5f * (ux + uz) + 3.0f) - square);
    to[EB * cells + here + 1 - plane] =
        kept * feb + diagonal * (1.0f + (ux - uz) * (4.5f * (ux - uz) + 3.0f) - square);
    to[WT * cells + here - 1 + plane] =
        kept * fwt + diagonal * (1.0f + (-ux + uz) * (4.5f * (-ux + uz) + 3.0f) - square);
    to[WB * cells + here - 1 - plane] =
        kept * fwb + diagonal * (1.0f + (-ux - uz) * (4.5f * (-ux - uz) + 3.0f) - square);
}
