/* SPDX-License-Identifier: Apache-2.0 */
/* Non-maximum suppression, first half: a byte for each pair of detections says that the first outlives the second.
   Detections are squares: left, top, side and score. */
__kernel void nms_bitmap(__global const int4 *squares, __global uchar *bitmap, const int count, const float overlap)
{
    const int i = get_global_id(0);
    const int j = get_global_id(1);

    if (i < count && j < count) {
        if (squares[i].w < squares[j].w) {
            const float area = (squares[j].z + 1.0f) * (squares[j].z + 1.0f);
            const float w = max(0.0f, min(squares[i].x + squares[i].z, squares[j].x + squares[j].z) -
                                          max(squares[i].x, squares[j].x) + 1.0f);
            const float h = max(0.0f, min(squares[i].y + squares[i].z, squares[j].y + squares[j].z) -
                                          max(squares[i].y, squares[j].y) + 1.0f);
            bitmap[i * count + j] = w * h / area < overlap && squares[j].z != 0;
        }
    }
}
