/* SPDX-License-Identifier: Apache-2.0 */
typedef struct node { int keys[ORDER + 1]; int n; } node;
kernel void k(global node* t, global int* o) { o[get_global_id(0)] = t[get_global_id(0)].keys[0]; }
