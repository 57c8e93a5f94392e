// SPDX-License-Identifier: Apache-2.0
// How many moves white has on each board, not asking about check, and what the best capture takes. A board is 32
// bytes, two squares in each; of a square's four bits three are the piece (0 and 7: none), 8 is black.

enum { EMPTY, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, BLACK = 8 };

__constant char steps[16] = {1, -1, 16, -16, 17, 15, -15, -17, 33, 31, 18, 14, -33, -31, -18, -14};
__constant uchar worth[8] = {0, 1, 3, 3, 5, 9, 100, 0};

inline int piece_at(const uchar *board, int square)
{
    return board[(square & 7) + (square >> 4) * 8];
}

__kernel void chess_mobility(__global const uchar *boards, __global ushort *mobility, __global uchar *prize,
                             const int count)
{
    const int id = get_global_id(0);
    if (id >= count)
        return;

    uchar board[64];
    for (int k = 0; k < 8; ++k) {
        const uchar4 packed = vload4(8 * id + k, boards);
        const uchar both[4] = {packed.x, packed.y, packed.z, packed.w};
        for (int j = 0; j < 4; ++j) {
            const int low = both[j] & 15, high = both[j] >> 4;
            board[8 * k + 2 * j] = (low & 7) % 7 == 0 ? EMPTY : low;
            board[8 * k + 2 * j + 1] = (high & 7) % 7 == 0 ? EMPTY : high;
        }
    }

    int moves = 0, best = 0;
    for (int s = 0; s < 64; ++s) {
        const int piece = board[s];
        if (piece == EMPTY || piece >= BLACK)
            continue;
        const int from = s + (s & ~7);    // rank * 16 + file

        if (piece == PAWN) {
            const int ahead = from + 16;
            if (ahead & 0x88)
                continue;
            if (piece_at(board, ahead) == EMPTY) {
                ++moves;
                if (from >> 4 == 1 && piece_at(board, ahead + 16) == EMPTY)
                    ++moves;
            }
            for (int aside = -1; aside <= 1; aside += 2) {
                const int to = ahead + aside;
                if (!(to & 0x88) && piece_at(board, to) > BLACK) {
                    ++moves;
                    best = max(best, (int)worth[piece_at(board, to) & 7]);
                }
            }
            continue;
        }

        int first, last, reach;
        switch (piece) {
        case KNIGHT: first = 8; last = 16; reach = 1; break;
        case BISHOP: first = 4; last = 8; reach = 7; break;
        case ROOK: first = 0; last = 4; reach = 7; break;
        case QUEEN: first = 0; last = 8; reach = 7; break;
        default: first = 0; last = 8; reach = 1; break;
        }
        for (int d = first; d < last; ++d) {
            int to = from;
            for (int far = 0; far < reach; ++far) {
                to += steps[d];
                if (to & 0x88)
                    break;
                const int there = piece_at(board, to);
                if (there != EMPTY && there < BLACK)
                    break;
                ++moves;
                if (there != EMPTY) {
                    best = max(best, (int)worth[there & 7]);
                    break;
                }
            }
        }
    }
    mobility[id] = (ushort)moves;
    prize[id] = (uchar)best;
}
