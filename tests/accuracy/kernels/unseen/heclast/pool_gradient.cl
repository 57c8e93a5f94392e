/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient of average pooling: a work-item is an element of the input and adds up what it gave to the outputs whose
   windows hold it. */
__kernel void pool_gradient(const int count, __global const float *output_gradient, const int channels,
                            const int height, const int width, const int output_height, const int output_width,
                            const int window, const int stride, const int padding, const int exclusive,
                            __global float *input_gradient)
{
    const int index = get_global_id(0);
    if (index >= count)
        return;

    const int x = index % width + padding;
    const int y = index / width % height + padding;
    const int c = index / width / height % channels;
    const int image = index / width / height / channels;
    const int first_y = y < window ? 0 : (y - window) / stride + 1;
    const int first_x = x < window ? 0 : (x - window) / stride + 1;
    const int end_y = min(y / stride + 1, output_height);
    const int end_x = min(x / stride + 1, output_width);
    __global const float *plane = output_gradient + (image * channels + c) * output_height * output_width;
    float gradient = 0.0f;

    for (int py = first_y; py < end_y; py++)
        for (int px = first_x; px < end_x; px++) {
            int top = py * stride - padding;
            int left = px * stride - padding;
            const int bottom = min(top + window, height);
            const int right = min(left + window, width);
            top = max(top, 0);
            left = max(left, 0);
            const int size = exclusive ? (bottom - top) * (right - left) : window * window;
            gradient += 1.0f / size * plane[py * output_width + px];
        }
    input_gradient[index] = gradient;
}
