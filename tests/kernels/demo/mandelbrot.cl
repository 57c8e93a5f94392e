/* SPDX-License-Identifier: Apache-2.0 */
/* The Mandelbrot set: iterations until escape, a loop whose length the position decides. */
// launch: global=512,512 local=32,8 args=buffer:1M:w,int:512,int:512,int:64
// expect: kernel mandelbrot
// expect: argument limit scalar int
// expect: written div.float 2
// expect: accesses 1
// expect: store out coalesced
// expect: segments out 4
// expect: barriers 0
kernel void mandelbrot(global int *out, int width, int height, int limit)
{
	int px = get_global_id(0);
	int py = get_global_id(1);
	float cx = 3.0f * px / width - 2.0f;
	float cy = 2.0f * py / height - 1.0f;
	float zx = 0.0f;
	float zy = 0.0f;
	int i = 0;

	while (i < limit && zx * zx + zy * zy < 4.0f) {
		float next = zx * zx - zy * zy + cx;

		zy = 2.0f * zx * zy + cy;
		zx = next;
		i++;
	}
	out[py * width + px] = i;
}
