#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sizes that are guessed, and what a source lacks: each input stands for a kind.
. "$SOURCE_ROOT/tests/integration/common.sh"
inputs=$SOURCE_ROOT/tests/inputs
start_calibrated

# guessed SENTENCE FILE WANT...: `cases` says each of them
guessed() {
	local sentence=$1 file=$2 said want
	shift 2
	said=$(ctl cases "$inputs/$file" 2>&1 >"$scratch/cases.json")
	for want; do
		if ! grep -q -- "$want" <<<"$said"; then
			not_ok "$sentence: want $want, have $said"
			return
		fi
	done
	ok "$sentence"
}
guessed "a guard bounds a scalar of any integer type" guard.cl 'nx = 65536'
guessed "of an int, too" guard2.cl 'count = 65536'
guessed "a group is as large as the tile that it indexes" tile.cl 'local 16 x 16'
guessed "a pixel of three values takes three elements" rgb.cl 'src of 196608 bytes' 'pixels = 65536'

expect "what is defined nowhere is named, with the option that would" 0 "ORDER is defined nowhere: build options '-DORDER=' would" \
	ctl cases "$inputs/undefmacro.cl"
expect "where it is predicted, too" 0 'fallback: line 3: ORDER is defined nowhere: -DORDER= would define it' \
	ctl predict "$inputs/undefmacro.cl" --device 0 --global 64 --local 64 --arg buffer:4K --arg buffer:4K
expect "with the option it is analysed" 0 '^k ' ctl predict "$inputs/undefmacro.cl" --options -DORDER=3 --device 0 \
	--global 64 --local 64 --arg buffer:4K --arg buffer:4K
cat >"$scratch/two.cl" <<'K'
kernel void a(global real *x) { for (int i = 0; i < ORDER; i++) x[i] = TBX; }
#ifdef cl_khr_none
kernel void b(global float *x) { x[0] = 1; }
#endif
K
expect "all of them at once" 0 "real, ORDER, TBX are defined nowhere: build options '-Dreal= -DORDER= -DTBX=' would" \
	ctl cases "$scratch/two.cl"
expect "a kernel that the preprocessor left out is named, with its condition's line" 1 \
	'the source has no kernel: the preprocessor left out conv (line 2)' ctl cases "$inputs/nokernel.cl"
expect "where it is predicted, too" 1 'the preprocessor left out conv (line 2)' \
	ctl predict "$inputs/nokernel.cl" --device 0 --global 64 --arg buffer:4K
expect "and one of several" 1 'kernel "b": the preprocessor left it out (line 2); the source has a' \
	ctl predict "$scratch/two.cl:b" --device 0 --global 64 --arg buffer:4K
expect "with the option it is there" 0 '^conv ' ctl predict "$inputs/nokernel.cl" --options -DTBX=1 --device 0 \
	--global 64 --local 64 --arg buffer:4K
finish
