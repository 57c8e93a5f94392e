/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes that a network of pillars found: a work-group is a place of its map, a work-item one of the anchors there. The
   best class' score lets it through, and the box is decoded from its anchor to where a counter says. */
#define BOX_VALUES 7
#define OUT_VALUES 9

float sigmoid(const float x)
{
    return 1.0f / (1.0f + exp(-x));
}

__kernel void pillar_boxes(__global const float *classes, __global const float *boxes,
                           __global const float *directions, __global const float *anchors,
                           __global const float *bottoms, __global float *found, __global int *counter,
                           const float4 range, const int2 map, const int anchor_count, const int class_count,
                           const float threshold, const float direction_offset)
{
    const int place = get_group_id(0);
    const int a = get_local_id(0);
    if (a >= anchor_count)
        return;

    const int column = place % map.x;
    const int row = place / map.x;
    const float x_offset = range.x + column * (range.y - range.x) / (map.x - 1);
    const float y_offset = range.z + row * (range.w - range.z) / (map.y - 1);

    __global const float *scores = classes + (place * anchor_count + a) * class_count;
    float best = sigmoid(scores[0]);
    int id = 0;
    for (int k = 1; k < class_count; k++) {
        const float score = sigmoid(scores[k]);
        if (score > best) {
            best = score;
            id = k;
        }
    }

    if (best >= threshold) {
        __global const float *box = boxes + (place * anchor_count + a) * BOX_VALUES;
        __global const float *direction = directions + (place * anchor_count + a) * 2;
        __global const float *anchor = anchors + 4 * a;
        const float z_offset = anchor[2] / 2 + bottoms[a / 2];
        const float diagonal = sqrt(anchor[0] * anchor[0] + anchor[1] * anchor[1]);
        const float x = box[0] * diagonal + x_offset;
        const float y = box[1] * diagonal + y_offset;
        const float z = box[2] * anchor[2] + z_offset;
        const float length = exp(box[3]) * anchor[0];
        const float width = exp(box[4]) * anchor[1];
        const float height = exp(box[5]) * anchor[2];
        const float yaw = box[6] + anchor[3];

        const int label = direction[0] > direction[1] ? 0 : 1;
        const float period = M_PI_F;
        const float value = yaw - direction_offset;
        const float turned = value - floor(value / (period + 1e-8f)) * period;

        const int at = atomic_inc(counter);
        found[0] = at + 1;
        __global float *to = found + 1 + at * OUT_VALUES;
        to[0] = x;
        to[1] = y;
        to[2] = z;
        to[3] = length;
        to[4] = width;
        to[5] = height;
        to[6] = turned + direction_offset + period * label;
        to[7] = id;
        to[8] = best;
    }
}
