/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every program sees first: libclang's base header, and as_type() with a
 * marker. Through the C API as_type() looks like a conversion (both are
 * unexposed casts); the marker in front of it, joined by a comma, tells them apart.
 */
#include "/virt/ocl.h"

#ifndef __OPENCL_VERSION__
#define __OPENCL_VERSION__ __OPENCL_C_VERSION__
#endif

/* what some drivers accept without asking */
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

enum __predictd_marker { __predictd_as };

/* a call of a function that nobody declared, by its name */
int __predictd_unknown(const constant char *name);

#undef as_char
#define as_char(x) (__predictd_as, __builtin_astype((x), char))
#undef as_char2
#define as_char2(x) (__predictd_as, __builtin_astype((x), char2))
#undef as_char3
#define as_char3(x) (__predictd_as, __builtin_astype((x), char3))
#undef as_char4
#define as_char4(x) (__predictd_as, __builtin_astype((x), char4))
#undef as_char8
#define as_char8(x) (__predictd_as, __builtin_astype((x), char8))
#undef as_char16
#define as_char16(x) (__predictd_as, __builtin_astype((x), char16))
#undef as_uchar
#define as_uchar(x) (__predictd_as, __builtin_astype((x), uchar))
#undef as_uchar2
#define as_uchar2(x) (__predictd_as, __builtin_astype((x), uchar2))
#undef as_uchar3
#define as_uchar3(x) (__predictd_as, __builtin_astype((x), uchar3))
#undef as_uchar4
#define as_uchar4(x) (__predictd_as, __builtin_astype((x), uchar4))
#undef as_uchar8
#define as_uchar8(x) (__predictd_as, __builtin_astype((x), uchar8))
#undef as_uchar16
#define as_uchar16(x) (__predictd_as, __builtin_astype((x), uchar16))
#undef as_short
#define as_short(x) (__predictd_as, __builtin_astype((x), short))
#undef as_short2
#define as_short2(x) (__predictd_as, __builtin_astype((x), short2))
#undef as_short3
#define as_short3(x) (__predictd_as, __builtin_astype((x), short3))
#undef as_short4
#define as_short4(x) (__predictd_as, __builtin_astype((x), short4))
#undef as_short8
#define as_short8(x) (__predictd_as, __builtin_astype((x), short8))
#undef as_short16
#define as_short16(x) (__predictd_as, __builtin_astype((x), short16))
#undef as_ushort
#define as_ushort(x) (__predictd_as, __builtin_astype((x), ushort))
#undef as_ushort2
#define as_ushort2(x) (__predictd_as, __builtin_astype((x), ushort2))
#undef as_ushort3
#define as_ushort3(x) (__predictd_as, __builtin_astype((x), ushort3))
#undef as_ushort4
#define as_ushort4(x) (__predictd_as, __builtin_astype((x), ushort4))
#undef as_ushort8
#define as_ushort8(x) (__predictd_as, __builtin_astype((x), ushort8))
#undef as_ushort16
#define as_ushort16(x) (__predictd_as, __builtin_astype((x), ushort16))
#undef as_int
#define as_int(x) (__predictd_as, __builtin_astype((x), int))
#undef as_int2
#define as_int2(x) (__predictd_as, __builtin_astype((x), int2))
#undef as_int3
#define as_int3(x) (__predictd_as, __builtin_astype((x), int3))
#undef as_int4
#define as_int4(x) (__predictd_as, __builtin_astype((x), int4))
#undef as_int8
#define as_int8(x) (__predictd_as, __builtin_astype((x), int8))
#undef as_int16
#define as_int16(x) (__predictd_as, __builtin_astype((x), int16))
#undef as_uint
#define as_uint(x) (__predictd_as, __builtin_astype((x), uint))
#undef as_uint2
#define as_uint2(x) (__predictd_as, __builtin_astype((x), uint2))
#undef as_uint3
#define as_uint3(x) (__predictd_as, __builtin_astype((x), uint3))
#undef as_uint4
#define as_uint4(x) (__predictd_as, __builtin_astype((x), uint4))
#undef as_uint8
#define as_uint8(x) (__predictd_as, __builtin_astype((x), uint8))
#undef as_uint16
#define as_uint16(x) (__predictd_as, __builtin_astype((x), uint16))
#undef as_long
#define as_long(x) (__predictd_as, __builtin_astype((x), long))
#undef as_long2
#define as_long2(x) (__predictd_as, __builtin_astype((x), long2))
#undef as_long3
#define as_long3(x) (__predictd_as, __builtin_astype((x), long3))
#undef as_long4
#define as_long4(x) (__predictd_as, __builtin_astype((x), long4))
#undef as_long8
#define as_long8(x) (__predictd_as, __builtin_astype((x), long8))
#undef as_long16
#define as_long16(x) (__predictd_as, __builtin_astype((x), long16))
#undef as_ulong
#define as_ulong(x) (__predictd_as, __builtin_astype((x), ulong))
#undef as_ulong2
#define as_ulong2(x) (__predictd_as, __builtin_astype((x), ulong2))
#undef as_ulong3
#define as_ulong3(x) (__predictd_as, __builtin_astype((x), ulong3))
#undef as_ulong4
#define as_ulong4(x) (__predictd_as, __builtin_astype((x), ulong4))
#undef as_ulong8
#define as_ulong8(x) (__predictd_as, __builtin_astype((x), ulong8))
#undef as_ulong16
#define as_ulong16(x) (__predictd_as, __builtin_astype((x), ulong16))
#undef as_float
#define as_float(x) (__predictd_as, __builtin_astype((x), float))
#undef as_float2
#define as_float2(x) (__predictd_as, __builtin_astype((x), float2))
#undef as_float3
#define as_float3(x) (__predictd_as, __builtin_astype((x), float3))
#undef as_float4
#define as_float4(x) (__predictd_as, __builtin_astype((x), float4))
#undef as_float8
#define as_float8(x) (__predictd_as, __builtin_astype((x), float8))
#undef as_float16
#define as_float16(x) (__predictd_as, __builtin_astype((x), float16))
#undef as_double
#define as_double(x) (__predictd_as, __builtin_astype((x), double))
#undef as_double2
#define as_double2(x) (__predictd_as, __builtin_astype((x), double2))
#undef as_double3
#define as_double3(x) (__predictd_as, __builtin_astype((x), double3))
#undef as_double4
#define as_double4(x) (__predictd_as, __builtin_astype((x), double4))
#undef as_double8
#define as_double8(x) (__predictd_as, __builtin_astype((x), double8))
#undef as_double16
#define as_double16(x) (__predictd_as, __builtin_astype((x), double16))
#undef as_half
#define as_half(x) (__predictd_as, __builtin_astype((x), half))
#undef as_half2
#define as_half2(x) (__predictd_as, __builtin_astype((x), half2))
#undef as_half3
#define as_half3(x) (__predictd_as, __builtin_astype((x), half3))
#undef as_half4
#define as_half4(x) (__predictd_as, __builtin_astype((x), half4))
#undef as_half8
#define as_half8(x) (__predictd_as, __builtin_astype((x), half8))
#undef as_half16
#define as_half16(x) (__predictd_as, __builtin_astype((x), half16))
