/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels built by hand, launches and a device, for the tests of the prediction. */
#ifndef PREDICTD_TESTS_PREDICT_KERNELS_H
#define PREDICTD_TESTS_PREDICT_KERNELS_H

#include "model/device/device.h"
#include "model/device/launch.h"
#include "model/ir/ir.h"

/* Each returns a sealed kernel, the caller's to free. */

/* c[i] = a[i] + b[i] */
struct ir_kernel *kernel_vector_add(void);
/* b[i] = a[i], of which the square root was taken so often */
struct ir_kernel *kernel_roots(unsigned count);
/* the example of the paper: m, n are uint arguments 2 and 3 */
struct ir_kernel *kernel_sq_mod(void);
/* b[i] = a[i * stride + offset]: stride and offset are int arguments 2 and 3 */
struct ir_kernel *kernel_strided(void);
/* b[x] = a[(x + literal) & mask] where x is gid as a `type`; literal 0, mask 0: without */
struct ir_kernel *kernel_indexed(enum scalar type, int64_t literal, uint64_t mask);
/* b[x] = a[dividend % (x + 1)], in 64 bits; 0: n, a uint argument 2; has_long: n + x instead */
struct ir_kernel *kernel_rest(uint64_t dividend, bool has_long);
/* b[i] = a[index[i >> 5]] */
struct ir_kernel *kernel_shared_index(void);
/* b[i] = a[low] + a[low + 256], low = 2 i - (i & 255) */
struct ir_kernel *kernel_pairs(void);
/* out[i] = sum of a[i], a[i + all], ... below n; i is an int, all work-items a size_t */
struct ir_kernel *kernel_rounds(void);
/* b[x] = a[x / n * n + x % n], x an int, n an int argument 2 */
struct ir_kernel *kernel_recomposed(void);
/* b[i] = a[i] + a[i + offset] */
struct ir_kernel *kernel_apart(int64_t offset);
/* b[i] = a[index[i]] */
struct ir_kernel *kernel_gather(void);
/* out[gid] = in[index[gid]].x + in[index[gid]].y, floats `apart` bytes of a structure of 1024 */
struct ir_kernel *kernel_fields(int64_t apart);
/* out[x * n + y] = in[y * n + x], n an int argument 2 */
struct ir_kernel *kernel_transpose(void);
/* five points of a row-major grid, n an int argument 2 */
struct ir_kernel *kernel_stencil(void);
/* c[y * n + x] = sum over k < n of a[y * n + k] * b[k * n + x]; n an int argument 3 */
struct ir_kernel *kernel_matmul(void);
/* out[i] = sum over start[i] <= k < start[i + 1] of value[k] */
struct ir_kernel *kernel_rows(void);
/* local_memory[lid * stride] stored and read back; stride an int argument 1 */
struct ir_kernel *kernel_banks(void);
/* tile[lid * stride] = in[lid * 64], the tile in local memory */
struct ir_kernel *kernel_filled(int64_t stride);
/* if (gid < n) b[gid] = 1; n an int argument 1 */
struct ir_kernel *kernel_guarded(void);
/* out[gid] = (a[gid] & 1) + a[0], masked: if (a[gid] & 1) */
struct ir_kernel *kernel_marked_first(bool is_masked);
/* for (i = 0; i < trips; i++) sum += a[i]; for (i = 0; i < 12; i++) out[65536 * i + gid] = sum */
struct ir_kernel *kernel_columns(unsigned trips);
/* for (i = 0; i < 9; i++) out[4096 * table[i] + gid] = 1; by_lane: table[gid + i] */
struct ir_kernel *kernel_tabled(bool by_lane);
/* (void)a[0]; out[gid] = a[gid], the first where it is loaded */
struct ir_kernel *kernel_unused(bool is_loaded);
/* two of fmax(fmin(fmin(x, a), b), c), or of three fmins, multiplied */
struct ir_kernel *kernel_chains(bool alternate);
/* four elements of a, at places from n that are clamped, or else multiplied, summed */
struct ir_kernel *kernel_places(bool is_clamped);
/* 100 times x += 1 (2, 4, ... `before` of them), then four times x *= x; out[gid] = x */
struct ir_kernel *kernel_nested(unsigned before);
/* out[gid] = sin(sin(... a[gid])) */
struct ir_kernel *kernel_sines(unsigned count);
/* for (i = first; i < last; i += step) sum += a[i]; long arguments 2, 3, 4 */
struct ir_kernel *kernel_counted(void);
/* for (i = 0; i < n; i++) sum += a[i]: numbers of a `type`; n a long argument 2 */
struct ir_kernel *kernel_summed(enum scalar type);
/* for (s = 128; s > 0; s >>= 1) a[s] stored */
struct ir_kernel *kernel_halving(void);
/* for (i = 0; i < n; i++) if (a[i] == 0) break; n an int argument 1 */
struct ir_kernel *kernel_search(void);
/* while (a[x] != 0) x = x + 1 */
struct ir_kernel *kernel_chase(void);
/* x = x * 3 + 1 until x == 0, from a ulong argument 1: nobody knows when */
struct ir_kernel *kernel_endless(void);
/* if (gid & 1) a[gid] = 1; else b[gid] = 1 */
struct ir_kernel *kernel_divergent(void);
/* if (a[gid] & 1) out[gid] = 1, which is a byte */
struct ir_kernel *kernel_marked(void);
/* if (a[gid] < least[gid]) least[gid] = a[gid] */
struct ir_kernel *kernel_least(void);
/* if (keys[gid + 4096] < keys[gid]) swap the two */
struct ir_kernel *kernel_swapped(void);
/* a[0] += 1 atomically */
struct ir_kernel *kernel_counter(void);
/* a[0] = max(a[0], 1) atomically */
struct ir_kernel *kernel_greatest(void);
/* the same by (compare and) exchange */
struct ir_kernel *kernel_exchange(void);
/* do old = a[gid & mask]; while (exchanged(a[gid & mask], old, 1) != old); mask as below */
struct ir_kernel *kernel_retry(void);
/* a[gid & mask] += 1 atomically; mask a ulong argument 1 */
struct ir_kernel *kernel_masked_counter(void);
/* counts[lid & mask] += 1 atomically, in local memory; mask a ulong argument 0 */
struct ir_kernel *kernel_local_counter(void);
/* if (lid == 0) a[0] += 1 atomically */
struct ir_kernel *kernel_group_counter(void);
/* a[b[gid]] += 1 atomically */
struct ir_kernel *kernel_histogram(void);

/* A launch of `items` work-items in groups of `group`, with no arguments yet. */
struct launch launch_1d(uint64_t items, uint64_t group);
struct launch launch_2d(uint64_t x, uint64_t y, uint64_t group_x, uint64_t group_y);
void launch_buffer(struct launch *launch, uint64_t bytes);
void launch_integer(struct launch *launch, enum scalar scalar, int64_t value);

/* A GPU of round numbers: 32 lanes, 10 units, L1 of 64 KB each, L2 of 4 MB. */
struct device *device_gpu(void);
/* A CPU of 4 units: L1 32 KB, L2 256 KB each, L3 8 MB. */
struct device *device_cpu(void);
void device_set(struct device *device, unsigned id, double value);
/* It makes no vectors: straight-line code takes as long as a loop. */
void device_make_scalar(struct device *device);

#endif
