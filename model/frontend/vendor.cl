/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-ins of extensions that libclang does not declare, as the operations that they are.
 * Put before a program that mentions one of them (parse.c), and left out again where the
 * program defines such a name itself.
 *
 * cl_amd_media_ops, cl_amd_media_ops2, cl_intel_subgroups (and _short, _char, _long),
 * cl_khr_extended_async_copies; of those of Khronos that a lower language version hides,
 * what the front-end lowers by name.
 */
#define __PREDICTD_OVERLOAD __attribute__((overloadable))

#ifdef cl_khr_fp16
#define __PREDICTD_HALF(F) F(half)
#else
#define __PREDICTD_HALF(F)
#endif
#ifdef cl_khr_fp64
#define __PREDICTD_DOUBLE(F) F(double)
#else
#define __PREDICTD_DOUBLE(F)
#endif

/* F of one work-item's scalar for each lane of a vector */
#define __PREDICTD_LANES_1(R, F, A)                                                        \
	__PREDICTD_OVERLOAD R##2 F(A##2 a) { return (R##2)(F(a.s0), F(a.s1)); }                \
	__PREDICTD_OVERLOAD R##3 F(A##3 a) { return (R##3)(F(a.s0), F(a.s1), F(a.s2)); }       \
	__PREDICTD_OVERLOAD R##4 F(A##4 a) { return (R##4)(F(a.lo), F(a.hi)); }                \
	__PREDICTD_OVERLOAD R##8 F(A##8 a) { return (R##8)(F(a.lo), F(a.hi)); }                \
	__PREDICTD_OVERLOAD R##16 F(A##16 a) { return (R##16)(F(a.lo), F(a.hi)); }
#define __PREDICTD_LANES_3(T, F)                                                           \
	__PREDICTD_OVERLOAD T##2 F(T##2 a, T##2 b, T##2 c)                                     \
	{ return (T##2)(F(a.s0, b.s0, c.s0), F(a.s1, b.s1, c.s1)); }                           \
	__PREDICTD_OVERLOAD T##3 F(T##3 a, T##3 b, T##3 c)                                     \
	{ return (T##3)(F(a.s0, b.s0, c.s0), F(a.s1, b.s1, c.s1), F(a.s2, b.s2, c.s2)); }      \
	__PREDICTD_OVERLOAD T##4 F(T##4 a, T##4 b, T##4 c)                                     \
	{ return (T##4)(F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi)); }                           \
	__PREDICTD_OVERLOAD T##8 F(T##8 a, T##8 b, T##8 c)                                     \
	{ return (T##8)(F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi)); }                           \
	__PREDICTD_OVERLOAD T##16 F(T##16 a, T##16 b, T##16 c)                                 \
	{ return (T##16)(F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi)); }
/* an expression that is the same of scalars and vectors */
#define __PREDICTD_EACH_3(T, F, X)                                                         \
	__PREDICTD_OVERLOAD T F(T a, T b, T c) { return X; }                                   \
	__PREDICTD_OVERLOAD T##2 F(T##2 a, T##2 b, T##2 c) { return X; }                       \
	__PREDICTD_OVERLOAD T##3 F(T##3 a, T##3 b, T##3 c) { return X; }                       \
	__PREDICTD_OVERLOAD T##4 F(T##4 a, T##4 b, T##4 c) { return X; }                       \
	__PREDICTD_OVERLOAD T##8 F(T##8 a, T##8 b, T##8 c) { return X; }                       \
	__PREDICTD_OVERLOAD T##16 F(T##16 a, T##16 b, T##16 c) { return X; }

#ifdef __PREDICTD_AMD
/* ---- cl_amd_media_ops ---- */
__PREDICTD_OVERLOAD uint amd_pack(float4 v)
{
	uint4 b = convert_uint4(v) << (uint4)(0, 8, 16, 24);
	return b.x | b.y | b.z | b.w;
}
__PREDICTD_OVERLOAD float amd_unpack0(uint a) { return (float)(a & 255u); }
__PREDICTD_OVERLOAD float amd_unpack1(uint a) { return (float)((a >> 8) & 255u); }
__PREDICTD_OVERLOAD float amd_unpack2(uint a) { return (float)((a >> 16) & 255u); }
__PREDICTD_OVERLOAD float amd_unpack3(uint a) { return (float)(a >> 24); }
__PREDICTD_LANES_1(float, amd_unpack0, uint)
__PREDICTD_LANES_1(float, amd_unpack1, uint)
__PREDICTD_LANES_1(float, amd_unpack2, uint)
__PREDICTD_LANES_1(float, amd_unpack3, uint)
__PREDICTD_EACH_3(uint, amd_bitalign, (a << (32u - (c & 31u))) | (b >> (c & 31u)))
__PREDICTD_EACH_3(uint, amd_bytealign, (a << (32u - 8u * (c & 3u))) | (b >> (8u * (c & 3u))))
__PREDICTD_OVERLOAD uint amd_lerp(uint a, uint b, uint c)
{
	ushort4 sum = convert_ushort4(as_uchar4(a)) + convert_ushort4(as_uchar4(b)) +
	              (convert_ushort4(as_uchar4(c)) & (ushort4)(1));
	return as_uint(convert_uchar4(sum >> (ushort4)(1)));
}
__PREDICTD_OVERLOAD uint amd_sad(uint a, uint b, uint c)
{
	uint4 d = convert_uint4(abs_diff(as_uchar4(a), as_uchar4(b)));
	return c + d.x + d.y + d.z + d.w;
}
__PREDICTD_OVERLOAD uint amd_sadhi(uint a, uint b, uint c)
{
	return (amd_sad(a, b, 0u) << 16) + c;
}
__PREDICTD_LANES_3(uint, amd_lerp)
__PREDICTD_LANES_3(uint, amd_sad)
__PREDICTD_LANES_3(uint, amd_sadhi)
__PREDICTD_OVERLOAD uint amd_sad4(uint4 a, uint4 b, uint c)
{
	return amd_sad(a.w, b.w, amd_sad(a.z, b.z, amd_sad(a.y, b.y, amd_sad(a.x, b.x, c))));
}

/* ---- cl_amd_media_ops2 ---- */
__PREDICTD_OVERLOAD uint amd_msad(uint a, uint b, uint c)
{
	uint4 x = convert_uint4(as_uchar4(a)), y = convert_uint4(as_uchar4(b));
	uint4 d = select((uint4)(0), abs_diff(x, y), y != (uint4)(0));
	return c + d.x + d.y + d.z + d.w;
}
__PREDICTD_LANES_3(uint, amd_msad)
__PREDICTD_OVERLOAD ulong amd_qsad(ulong a, uint b, ulong c)
{
	return c + amd_sad((uint)a, b, 0u) + ((ulong)amd_sad((uint)(a >> 8), b, 0u) << 16) +
	       ((ulong)amd_sad((uint)(a >> 16), b, 0u) << 32) +
	       ((ulong)amd_sad((uint)(a >> 24), b, 0u) << 48);
}
__PREDICTD_OVERLOAD ulong amd_mqsad(ulong a, uint b, ulong c)
{
	return c + amd_msad((uint)a, b, 0u) + ((ulong)amd_msad((uint)(a >> 8), b, 0u) << 16) +
	       ((ulong)amd_msad((uint)(a >> 16), b, 0u) << 32) +
	       ((ulong)amd_msad((uint)(a >> 24), b, 0u) << 48);
}
__PREDICTD_EACH_3(uint, amd_sadw, abs_diff(a & 65535u, b & 65535u) + abs_diff(a >> 16, b >> 16) + c)
__PREDICTD_EACH_3(uint, amd_sadd, abs_diff(a, b) + c)
__PREDICTD_OVERLOAD uint amd_bfm(uint a, uint b) { return ((1u << (a & 31u)) - 1u) << (b & 31u); }
__PREDICTD_OVERLOAD uint2 amd_bfm(uint2 a, uint2 b)
{
	return (((uint2)(1u) << (a & 31u)) - 1u) << (b & 31u);
}
__PREDICTD_OVERLOAD uint4 amd_bfm(uint4 a, uint4 b)
{
	return (((uint4)(1u) << (a & 31u)) - 1u) << (b & 31u);
}
__PREDICTD_OVERLOAD uint amd_bfe(uint a, uint b, uint c)
{
	return (a >> (b & 31u)) & ((1u << (c & 31u)) - 1u);
}
__PREDICTD_OVERLOAD int amd_bfe(int a, uint b, uint c)
{
	return (a << (32u - (b & 31u) - (c & 31u))) >> (32u - (c & 31u));
}
__PREDICTD_LANES_3(uint, amd_bfe)
__PREDICTD_EACH_3(uint, amd_median3, max(min(a, b), min(max(a, b), c)))
__PREDICTD_EACH_3(int, amd_median3, max(min(a, b), min(max(a, b), c)))
__PREDICTD_EACH_3(float, amd_median3, fmax(fmin(a, b), fmin(fmax(a, b), c)))
__PREDICTD_EACH_3(uint, amd_min3, min(min(a, b), c))
__PREDICTD_EACH_3(int, amd_min3, min(min(a, b), c))
__PREDICTD_EACH_3(float, amd_min3, fmin(fmin(a, b), c))
__PREDICTD_EACH_3(uint, amd_max3, max(max(a, b), c))
__PREDICTD_EACH_3(int, amd_max3, max(max(a, b), c))
__PREDICTD_EACH_3(float, amd_max3, fmax(fmax(a, b), c))
#endif

#ifdef __PREDICTD_INTEL
/* ---- cl_intel_subgroups and those of other element types ---- */
#define __PREDICTD_SHUFFLES(T)                                                             \
	__PREDICTD_OVERLOAD T intel_sub_group_shuffle(T a, uint i);                            \
	__PREDICTD_OVERLOAD T intel_sub_group_shuffle_down(T a, T b, uint i);                  \
	__PREDICTD_OVERLOAD T intel_sub_group_shuffle_up(T a, T b, uint i);                    \
	__PREDICTD_OVERLOAD T intel_sub_group_shuffle_xor(T a, uint i);
#define __PREDICTD_SHUFFLED(T)                                                             \
	__PREDICTD_SHUFFLES(T) __PREDICTD_SHUFFLES(T##2) __PREDICTD_SHUFFLES(T##3)             \
	__PREDICTD_SHUFFLES(T##4) __PREDICTD_SHUFFLES(T##8) __PREDICTD_SHUFFLES(T##16)
__PREDICTD_SHUFFLED(char) __PREDICTD_SHUFFLED(uchar)
__PREDICTD_SHUFFLED(short) __PREDICTD_SHUFFLED(ushort)
__PREDICTD_SHUFFLED(int) __PREDICTD_SHUFFLED(uint) __PREDICTD_SHUFFLED(float)
__PREDICTD_SHUFFLES(long) __PREDICTD_SHUFFLES(ulong)
__PREDICTD_HALF(__PREDICTD_SHUFFLES) __PREDICTD_DOUBLE(__PREDICTD_SHUFFLES)

/* of buffers: lowered by name; of images: rows below one another */
#define __PREDICTD_BLOCK(T, S, N)                                                          \
	__PREDICTD_OVERLOAD T##N intel_sub_group_block_read##S##N(const global T *p);          \
	__PREDICTD_OVERLOAD void intel_sub_group_block_write##S##N(global T *p, T##N a);       \
	__PREDICTD_OVERLOAD T##N intel_sub_group_block_read##S##N(const local T *p);           \
	__PREDICTD_OVERLOAD void intel_sub_group_block_write##S##N(local T *p, T##N a);
#define __PREDICTD_BLOCKS(T, S)                                                            \
	__PREDICTD_BLOCK(T, S, ) __PREDICTD_BLOCK(T, S, 2) __PREDICTD_BLOCK(T, S, 4)           \
	__PREDICTD_BLOCK(T, S, 8)                                                              \
	__PREDICTD_OVERLOAD T intel_sub_group_block_read##S(read_only image2d_t i, int2 c)     \
	{ return (T)read_imageui(i, c).x; }                                                    \
	__PREDICTD_OVERLOAD T##2 intel_sub_group_block_read##S##2(read_only image2d_t i, int2 c) \
	{ return (T##2)(intel_sub_group_block_read##S(i, c),                                   \
	                intel_sub_group_block_read##S(i, c + (int2)(0, 1))); }                 \
	__PREDICTD_OVERLOAD T##4 intel_sub_group_block_read##S##4(read_only image2d_t i, int2 c) \
	{ return (T##4)(intel_sub_group_block_read##S##2(i, c),                                \
	                intel_sub_group_block_read##S##2(i, c + (int2)(0, 2))); }              \
	__PREDICTD_OVERLOAD T##8 intel_sub_group_block_read##S##8(read_only image2d_t i, int2 c) \
	{ return (T##8)(intel_sub_group_block_read##S##4(i, c),                                \
	                intel_sub_group_block_read##S##4(i, c + (int2)(0, 4))); }              \
	__PREDICTD_OVERLOAD void intel_sub_group_block_write##S(write_only image2d_t i, int2 c, T a) \
	{ write_imageui(i, c, (uint4)((uint)a, 0, 0, 0)); }                                    \
	__PREDICTD_OVERLOAD void intel_sub_group_block_write##S##2(write_only image2d_t i, int2 c, T##2 a) \
	{ intel_sub_group_block_write##S(i, c, a.s0);                                          \
	  intel_sub_group_block_write##S(i, c + (int2)(0, 1), a.s1); }                         \
	__PREDICTD_OVERLOAD void intel_sub_group_block_write##S##4(write_only image2d_t i, int2 c, T##4 a) \
	{ intel_sub_group_block_write##S##2(i, c, a.lo);                                       \
	  intel_sub_group_block_write##S##2(i, c + (int2)(0, 2), a.hi); }                      \
	__PREDICTD_OVERLOAD void intel_sub_group_block_write##S##8(write_only image2d_t i, int2 c, T##8 a) \
	{ intel_sub_group_block_write##S##4(i, c, a.lo);                                       \
	  intel_sub_group_block_write##S##4(i, c + (int2)(0, 4), a.hi); }
__PREDICTD_BLOCKS(uint, ) __PREDICTD_BLOCKS(uint, _ui)
__PREDICTD_BLOCKS(ushort, _us) __PREDICTD_BLOCK(ushort, _us, 16)
__PREDICTD_BLOCKS(uchar, _uc) __PREDICTD_BLOCK(uchar, _uc, 16)
__PREDICTD_BLOCK(ulong, _ul, ) __PREDICTD_BLOCK(ulong, _ul, 2) __PREDICTD_BLOCK(ulong, _ul, 4)
__PREDICTD_BLOCK(ulong, _ul, 8)
#endif

#ifdef __PREDICTD_COPY
/* ---- cl_khr_extended_async_copies: a line at a time, in words where they are so wide ---- */
#define __PREDICTD_COPIES(TO, FROM)                                                        \
	__PREDICTD_OVERLOAD event_t async_work_group_copy_2D2D(                                \
	        TO void *to, size_t to_at, const FROM void *from, size_t from_at, size_t bytes, \
	        size_t elements, size_t lines, size_t from_line, size_t to_line, event_t event) \
	{                                                                                      \
		for (size_t l = 0; l < lines; l++)                                                 \
			if (bytes % 4 == 0)                                                            \
				event = async_work_group_copy(                                             \
				        (TO uint *)to + (to_at + l * to_line) * (bytes / 4),               \
				        (const FROM uint *)from + (from_at + l * from_line) * (bytes / 4), \
				        elements * (bytes / 4), event);                                    \
			else                                                                           \
				event = async_work_group_copy(                                             \
				        (TO uchar *)to + (to_at + l * to_line) * bytes,                    \
				        (const FROM uchar *)from + (from_at + l * from_line) * bytes,      \
				        elements * bytes, event);                                          \
		return event;                                                                      \
	}                                                                                      \
	__PREDICTD_OVERLOAD event_t async_work_group_copy_3D3D(                                \
	        TO void *to, size_t to_at, const FROM void *from, size_t from_at, size_t bytes, \
	        size_t elements, size_t lines, size_t planes, size_t from_line,                \
	        size_t from_plane, size_t to_line, size_t to_plane, event_t event)             \
	{                                                                                      \
		for (size_t p = 0; p < planes; p++)                                                \
			event = async_work_group_copy_2D2D(to, to_at + p * to_plane, from,             \
			                                   from_at + p * from_plane, bytes, elements,  \
			                                   lines, from_line, to_line, event);          \
		return event;                                                                      \
	}
__PREDICTD_COPIES(local, global)
__PREDICTD_COPIES(global, local)
#endif

/* ---- what the front-end lowers by name, where libclang hides it from this language ---- */
#define __PREDICTD_SCALARS(F) F(int) F(uint) F(long) F(ulong) F(float)
#define __PREDICTD_SMALL(F)                                                                \
	F(char) F(uchar) F(short) F(ushort) __PREDICTD_HALF(F) __PREDICTD_DOUBLE(F)

#if defined(__PREDICTD_LINEAR_ID) && __OPENCL_C_VERSION__ < 200
size_t get_global_linear_id(void);
size_t get_local_linear_id(void);
#endif

#if defined(__PREDICTD_WORK_GROUP) && __OPENCL_C_VERSION__ < 200
#define __PREDICTD_WORK_GROUP_OF(T)                                                        \
	__PREDICTD_OVERLOAD T work_group_broadcast(T a, size_t x);                             \
	__PREDICTD_OVERLOAD T work_group_broadcast(T a, size_t x, size_t y);                   \
	__PREDICTD_OVERLOAD T work_group_broadcast(T a, size_t x, size_t y, size_t z);         \
	T __PREDICTD_OVERLOAD work_group_reduce_add(T a);                                      \
	T __PREDICTD_OVERLOAD work_group_reduce_min(T a);                                      \
	T __PREDICTD_OVERLOAD work_group_reduce_max(T a);                                      \
	T __PREDICTD_OVERLOAD work_group_scan_inclusive_add(T a);                              \
	T __PREDICTD_OVERLOAD work_group_scan_inclusive_min(T a);                              \
	T __PREDICTD_OVERLOAD work_group_scan_inclusive_max(T a);                              \
	T __PREDICTD_OVERLOAD work_group_scan_exclusive_add(T a);                              \
	T __PREDICTD_OVERLOAD work_group_scan_exclusive_min(T a);                              \
	T __PREDICTD_OVERLOAD work_group_scan_exclusive_max(T a);
__PREDICTD_SCALARS(__PREDICTD_WORK_GROUP_OF)
__PREDICTD_HALF(__PREDICTD_WORK_GROUP_OF) __PREDICTD_DOUBLE(__PREDICTD_WORK_GROUP_OF)
int work_group_all(int a);
int work_group_any(int a);
#endif

#ifdef __PREDICTD_WORK_GROUP /* cl_khr_work_group_uniform_arithmetic */
#define __PREDICTD_UNIFORM(T, OP)                                                          \
	T __PREDICTD_OVERLOAD work_group_reduce_##OP(T a);                                     \
	T __PREDICTD_OVERLOAD work_group_scan_inclusive_##OP(T a);                             \
	T __PREDICTD_OVERLOAD work_group_scan_exclusive_##OP(T a);
#define __PREDICTD_UNIFORM_OF(T) __PREDICTD_UNIFORM(T, mul)
#define __PREDICTD_UNIFORM_BITS(T)                                                         \
	__PREDICTD_UNIFORM(T, and) __PREDICTD_UNIFORM(T, or) __PREDICTD_UNIFORM(T, xor)
__PREDICTD_SCALARS(__PREDICTD_UNIFORM_OF)
__PREDICTD_HALF(__PREDICTD_UNIFORM_OF) __PREDICTD_DOUBLE(__PREDICTD_UNIFORM_OF)
__PREDICTD_UNIFORM_BITS(int) __PREDICTD_UNIFORM_BITS(uint)
__PREDICTD_UNIFORM_BITS(long) __PREDICTD_UNIFORM_BITS(ulong)
__PREDICTD_UNIFORM(int, logical_and) __PREDICTD_UNIFORM(int, logical_or)
__PREDICTD_UNIFORM(int, logical_xor)
#endif

#ifdef __PREDICTD_SUB_GROUP
#define __PREDICTD_THREE(T, WHAT, OP)                                                      \
	T __PREDICTD_OVERLOAD sub_group_##WHAT##reduce_##OP(T a);                              \
	T __PREDICTD_OVERLOAD sub_group_##WHAT##scan_inclusive_##OP(T a);                      \
	T __PREDICTD_OVERLOAD sub_group_##WHAT##scan_exclusive_##OP(T a);
#define __PREDICTD_ARITHMETIC(T, WHAT)                                                     \
	__PREDICTD_THREE(T, WHAT, add) __PREDICTD_THREE(T, WHAT, min)                          \
	__PREDICTD_THREE(T, WHAT, max)
#if __OPENCL_C_VERSION__ < 200 || !(defined(cl_khr_subgroups) || defined(__opencl_c_subgroups))
uint get_sub_group_size(void);
uint get_max_sub_group_size(void);
uint get_num_sub_groups(void);
uint get_enqueued_num_sub_groups(void);
uint get_sub_group_id(void);
uint get_sub_group_local_id(void);
void __PREDICTD_OVERLOAD sub_group_barrier(uint flags);
void __PREDICTD_OVERLOAD sub_group_barrier(uint flags, int scope);
int sub_group_all(int a);
int sub_group_any(int a);
#define __PREDICTD_SUB_GROUP_OF(T)                                                         \
	T __PREDICTD_OVERLOAD sub_group_broadcast(T a, uint i);                                \
	__PREDICTD_ARITHMETIC(T, )
__PREDICTD_SCALARS(__PREDICTD_SUB_GROUP_OF)
__PREDICTD_SMALL(__PREDICTD_SUB_GROUP_OF)
#endif
#ifndef cl_khr_subgroup_non_uniform_vote
int sub_group_elect(void);
int sub_group_non_uniform_all(int a);
int sub_group_non_uniform_any(int a);
#define __PREDICTD_EQUAL(T) int __PREDICTD_OVERLOAD sub_group_non_uniform_all_equal(T a);
__PREDICTD_SCALARS(__PREDICTD_EQUAL) __PREDICTD_SMALL(__PREDICTD_EQUAL)
#endif
#ifndef cl_khr_subgroup_ballot
uint4 sub_group_ballot(int a);
int sub_group_inverse_ballot(uint4 a);
int sub_group_ballot_bit_extract(uint4 a, uint i);
uint sub_group_ballot_bit_count(uint4 a);
uint sub_group_ballot_inclusive_scan(uint4 a);
uint sub_group_ballot_exclusive_scan(uint4 a);
uint sub_group_ballot_find_lsb(uint4 a);
uint sub_group_ballot_find_msb(uint4 a);
uint4 get_sub_group_eq_mask(void);
uint4 get_sub_group_ge_mask(void);
uint4 get_sub_group_gt_mask(void);
uint4 get_sub_group_le_mask(void);
uint4 get_sub_group_lt_mask(void);
#define __PREDICTD_BALLOT(T)                                                               \
	T __PREDICTD_OVERLOAD sub_group_non_uniform_broadcast(T a, uint i);                    \
	T __PREDICTD_OVERLOAD sub_group_broadcast_first(T a);
__PREDICTD_SCALARS(__PREDICTD_BALLOT) __PREDICTD_SMALL(__PREDICTD_BALLOT)
#endif
#ifndef cl_khr_subgroup_non_uniform_arithmetic
#define __PREDICTD_NON_UNIFORM(T)                                                          \
	__PREDICTD_ARITHMETIC(T, non_uniform_) __PREDICTD_THREE(T, non_uniform_, mul)
#define __PREDICTD_NON_UNIFORM_BITS(T)                                                     \
	__PREDICTD_THREE(T, non_uniform_, and) __PREDICTD_THREE(T, non_uniform_, or)           \
	__PREDICTD_THREE(T, non_uniform_, xor)
__PREDICTD_SCALARS(__PREDICTD_NON_UNIFORM) __PREDICTD_SMALL(__PREDICTD_NON_UNIFORM)
__PREDICTD_NON_UNIFORM_BITS(int) __PREDICTD_NON_UNIFORM_BITS(uint)
__PREDICTD_NON_UNIFORM_BITS(long) __PREDICTD_NON_UNIFORM_BITS(ulong)
#endif
#ifndef cl_khr_subgroup_shuffle
#define __PREDICTD_SHUFFLE(T)                                                              \
	T __PREDICTD_OVERLOAD sub_group_shuffle(T a, uint i);                                  \
	T __PREDICTD_OVERLOAD sub_group_shuffle_xor(T a, uint i);
__PREDICTD_SCALARS(__PREDICTD_SHUFFLE) __PREDICTD_SMALL(__PREDICTD_SHUFFLE)
#endif
#ifndef cl_khr_subgroup_shuffle_relative
#define __PREDICTD_RELATIVE(T)                                                             \
	T __PREDICTD_OVERLOAD sub_group_shuffle_up(T a, uint i);                               \
	T __PREDICTD_OVERLOAD sub_group_shuffle_down(T a, uint i);
__PREDICTD_SCALARS(__PREDICTD_RELATIVE) __PREDICTD_SMALL(__PREDICTD_RELATIVE)
#endif
#ifndef cl_khr_subgroup_rotate
#define __PREDICTD_ROTATE(T)                                                               \
	T __PREDICTD_OVERLOAD sub_group_rotate(T a, int i);                                    \
	T __PREDICTD_OVERLOAD sub_group_clustered_rotate(T a, int i, uint n);
__PREDICTD_SCALARS(__PREDICTD_ROTATE) __PREDICTD_SMALL(__PREDICTD_ROTATE)
#endif
#ifndef cl_khr_subgroup_clustered_reduce
#define __PREDICTD_CLUSTERED(T)                                                            \
	T __PREDICTD_OVERLOAD sub_group_clustered_reduce_add(T a, uint n);                     \
	T __PREDICTD_OVERLOAD sub_group_clustered_reduce_mul(T a, uint n);                     \
	T __PREDICTD_OVERLOAD sub_group_clustered_reduce_min(T a, uint n);                     \
	T __PREDICTD_OVERLOAD sub_group_clustered_reduce_max(T a, uint n);
#define __PREDICTD_CLUSTERED_BITS(T)                                                       \
	T __PREDICTD_OVERLOAD sub_group_clustered_reduce_and(T a, uint n);                     \
	T __PREDICTD_OVERLOAD sub_group_clustered_reduce_or(T a, uint n);                      \
	T __PREDICTD_OVERLOAD sub_group_clustered_reduce_xor(T a, uint n);
__PREDICTD_SCALARS(__PREDICTD_CLUSTERED) __PREDICTD_SMALL(__PREDICTD_CLUSTERED)
__PREDICTD_CLUSTERED_BITS(int) __PREDICTD_CLUSTERED_BITS(uint)
__PREDICTD_CLUSTERED_BITS(long) __PREDICTD_CLUSTERED_BITS(ulong)
#endif
#endif

#if defined(__PREDICTD_BITS) && !defined(cl_khr_extended_bit_ops)
#define __PREDICTD_BIT_OPS(T)                                                              \
	T __PREDICTD_OVERLOAD bitfield_insert(T a, T b, uint offset, uint count);              \
	T __PREDICTD_OVERLOAD bit_reverse(T a);
#define __PREDICTD_BIT_FIELDS(S, U)                                                        \
	S __PREDICTD_OVERLOAD bitfield_extract_signed(S a, uint offset, uint count);           \
	S __PREDICTD_OVERLOAD bitfield_extract_signed(U a, uint offset, uint count);           \
	U __PREDICTD_OVERLOAD bitfield_extract_unsigned(S a, uint offset, uint count);         \
	U __PREDICTD_OVERLOAD bitfield_extract_unsigned(U a, uint offset, uint count);         \
	__PREDICTD_BIT_OPS(S) __PREDICTD_BIT_OPS(U)
#define __PREDICTD_BIT_WIDTHS(S, U)                                                        \
	__PREDICTD_BIT_FIELDS(S, U) __PREDICTD_BIT_FIELDS(S##2, U##2)                          \
	__PREDICTD_BIT_FIELDS(S##3, U##3) __PREDICTD_BIT_FIELDS(S##4, U##4)                    \
	__PREDICTD_BIT_FIELDS(S##8, U##8) __PREDICTD_BIT_FIELDS(S##16, U##16)
__PREDICTD_BIT_WIDTHS(char, uchar) __PREDICTD_BIT_WIDTHS(short, ushort)
__PREDICTD_BIT_WIDTHS(int, uint) __PREDICTD_BIT_WIDTHS(long, ulong)
#endif

#if defined(__PREDICTD_DOT) && !defined(cl_khr_integer_dot_product)
uint dot_4x8packed_uu_uint(uint a, uint b);
int dot_4x8packed_ss_int(uint a, uint b);
int dot_4x8packed_us_int(uint a, uint b);
int dot_4x8packed_su_int(uint a, uint b);
uint dot_acc_sat_4x8packed_uu_uint(uint a, uint b, uint c);
int dot_acc_sat_4x8packed_ss_int(uint a, uint b, int c);
int dot_acc_sat_4x8packed_us_int(uint a, uint b, int c);
int dot_acc_sat_4x8packed_su_int(uint a, uint b, int c);
uint __PREDICTD_OVERLOAD dot_acc_sat(uchar4 a, uchar4 b, uint c);
int __PREDICTD_OVERLOAD dot_acc_sat(char4 a, char4 b, int c);
int __PREDICTD_OVERLOAD dot_acc_sat(uchar4 a, char4 b, int c);
int __PREDICTD_OVERLOAD dot_acc_sat(char4 a, uchar4 b, int c);
#endif
