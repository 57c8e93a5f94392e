/* SPDX-License-Identifier: Apache-2.0 */
/* A detector's output to boxes. logits: [anchors][5 + CLASSES][height][width]. Cells below the threshold get class -1
   and keep what the buffers hold. */

#define CLASSES 20
#define SIGMOID(x) (1.0f / (1.0f + exp(-(x))))
#define AT(channel) logits[((a * (5 + CLASSES) + (channel)) * h + y) * w + x]

typedef struct { float cx, cy, bw, bh; } Box;

__kernel void decode_boxes(__global const float *logits, __constant float2 *anchors, __global Box *boxes,
                           __global float *scores, __global char *labels, float threshold, float stride)
{
    int x = get_global_id(0), y = get_global_id(1), a = get_global_id(2);
    int w = get_global_size(0), h = get_global_size(1);
    int cell = (a * h + y) * w + x;

    float objectness = SIGMOID(AT(4));
    if (objectness < threshold) {
        labels[cell] = -1;
        return;
    }

    int best = 0;
    float logit = AT(5);
    for (int c = 1; c < CLASSES; c++) {
        float other = AT(5 + c);
        if (other > logit) {
            logit = other;
            best = c;
        }
    }

    float score = objectness * SIGMOID(logit);
    if (score < threshold) {
        labels[cell] = -1;
        return;
    }

    Box b;
    b.cx = (2.0f * SIGMOID(AT(0)) - 0.5f + x) * stride;
    b.cy = (2.0f * SIGMOID(AT(1)) - 0.5f + y) * stride;
    b.bw = anchors[a].x * pown(2.0f * SIGMOID(AT(2)), 2);
    b.bh = anchors[a].y * pown(2.0f * SIGMOID(AT(3)), 2);
    boxes[cell] = b;
    scores[cell] = score;
    labels[cell] = best;
}
