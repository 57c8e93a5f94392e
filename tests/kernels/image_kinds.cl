/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of image, without samplers, and what asks for their sizes. */
// launch: global=64,32,4 local=16,4,1 args=image:64:r32f:r,image:64x32:r32f:r,image:8192:r32f:r,image:64x32x4:r32f:r,image:64x32x4:r32f:r,image:64x32x4:r32i:w
// expect: kernel kinds
// expect: argument line image
// expect: argument lines image
// expect: argument linear image
// expect: argument planes image
// expect: argument volume image
// expect: argument out image
// expect: accesses 6
// expect: load line interval
// expect: load volume coalesced
// expect: store out coalesced
// expect: ir kernel kinds(image 1d line, image 1d_array lines, image 1d_buffer linear, image 2d_array planes, image 3d volume, image 2d_array out)
kernel void kinds(read_only image1d_t line, read_only image1d_array_t lines,
		  read_only image1d_buffer_t linear, read_only image2d_array_t planes,
		  read_only image3d_t volume, write_only image2d_array_t out)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	int w = get_image_width(volume), h = get_image_height(volume);
	float sum = read_imagef(line, x).x + read_imagef(lines, (int2)(x, y)).x;

	sum += read_imagef(linear, (z * h + y) * w + x).x;
	sum += read_imagef(planes, (int4)(x, y, z, 0)).x;
	sum += read_imagef(volume, (int4)(x, y, z, 0)).x;
	if (x < get_image_dim(volume).x && z < get_image_depth(volume) &&
	    z < (int)get_image_array_size(planes))
		write_imagei(out, (int4)(x, y, z, 0), (int4)(sum));
}
