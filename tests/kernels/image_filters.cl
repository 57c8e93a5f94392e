/* SPDX-License-Identifier: Apache-2.0 */
/* Filters as image programs have them: a window, a rotation, a gradient of a volume, luminance. */
constant sampler_t nearest =
	CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t mixed =
	CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// expect: kernel gauss
// launch: global=512,512 local=16,16 args=image:512x512:rgba8:r,image:512x512:rgba8:w,buffer:100:r,int:2
// expect: accesses 3
// expect: trips 23 5
// expect: trips 24 5
// expect: written mul.float 100
// expect: load in coalesced
// expect: store out coalesced
kernel void gauss(read_only image2d_t in, write_only image2d_t out, constant float *weight,
		  int radius)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	int side = 2 * radius + 1;
	float4 sum = 0;

	for (int j = -radius; j <= radius; j++)
		for (int i = -radius; i <= radius; i++)
			sum += weight[(j + radius) * side + i + radius] *
			       read_imagef(in, nearest, at + (int2)(i, j));
	write_imagef(out, at, sum);
}

// expect: kernel spin
// launch: global=512,512 local=16,16 args=image:512x512:rgba8:r,image:512x512:rgba8:w,float:0.8,float:0.6
// expect: accesses 2
// expect: written mul.float 4
// expect: store out coalesced
kernel void spin(read_only image2d_t in, write_only image2d_t out, float c, float s)
{
	float x = get_global_id(0), y = get_global_id(1);
	float2 from = (float2)(c * x - s * y, s * x + c * y);

	write_imagef(out, (int2)(x, y), read_imagef(in, mixed, from));
}

// expect: kernel gradient
// launch: global=64,64,64 local=16,4,1 args=image:64x64x64:r32f:r,buffer:4M:w
// expect: accesses 7
// expect: load in coalesced
// expect: store out coalesced
kernel void gradient(read_only image3d_t in, global float4 *out)
{
	int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
	float x = read_imagef(in, nearest, at + (int4)(1, 0, 0, 0)).x -
		  read_imagef(in, nearest, at - (int4)(1, 0, 0, 0)).x;
	float y = read_imagef(in, nearest, at + (int4)(0, 1, 0, 0)).x -
		  read_imagef(in, nearest, at - (int4)(0, 1, 0, 0)).x;
	float z = read_imagef(in, nearest, at + (int4)(0, 0, 1, 0)).x -
		  read_imagef(in, nearest, at - (int4)(0, 0, 1, 0)).x;

	out[(at.z * get_global_size(1) + at.y) * get_global_size(0) + at.x] = (float4)(x, y, z, 0);
}

// expect: kernel luminance
// launch: global=512,512 local=64,1 args=image:512x512:rgba8ui:r,image:512x512:r32f:w
// expect: accesses 2
// expect: written mul.float 3
// expect: load in coalesced
// expect: store out coalesced
kernel void luminance(read_only image2d_t in, write_only image2d_t out)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	uint4 pixel = read_imageui(in, at);

	write_imagef(out, at, 0.299f * pixel.x + 0.587f * pixel.y + 0.114f * pixel.z);
}

// expect: kernel turn
// launch: global=512,512 local=16,16 args=image:512x512:r32f:r,image:512x512:r32f:w
// expect: accesses 2
// expect: load in uncoalesced
// expect: store out coalesced
kernel void turn(read_only image2d_t in, write_only image2d_t out)
{
	int x = get_global_id(0), y = get_global_id(1);

	write_imagef(out, (int2)(x, y), read_imagef(in, nearest, (int2)(y, x)));
}
