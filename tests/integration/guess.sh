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

expect "without sizes they are guessed, and said as options" 0 \
	'guessed: tile: --global 256,256 --local 16,16 --arg buffer:256K:r:rand_float --arg buffer:256K:rw:rand_float --arg int:256' \
	ctl predict "$inputs/tile.cl" --device 0
eval "set -- $(sed -n 's/^guessed: tile: //p' "$scratch/err")"
expect "which can be given as they are" 0 '^tile ' ctl predict "$inputs/tile.cl" --device 0 "$@"
expect "for every kernel of a file" 0 '^negate ' ctl predict "$kernels/two_kernels.cl" --device 0
expect "or for the one that is named" 0 '^fill ' ctl predict "$kernels/two_kernels.cl:fill" --device 0
grep -q negate "$scratch/out" && not_ok "and for no other" || ok "and for no other"
expect "it is measured with them, too" 0 'split.65536 .*[0-9] [um]s ' ctl measure "$inputs/rgb.cl" --device 0
expect "arguments alone are not enough" 2 'want --global' ctl predict "$inputs/rgb.cl" --device 0 --arg buffer:4K
expect "nor is a kernel's file without a daemon" 3 'want --global.* or a daemon' \
	env PREDICTD_SOCKET="$scratch/nobody" "$PREDICTCTL" measure "$inputs/rgb.cl" --device 0

# What memory decides stays within it.
cat >"$scratch/data.cl" <<'K'
kernel void looked_up(global const int *data, constant float *table, global float *out)
{ size_t i = get_global_id(0); out[i] = table[data[i]]; }
kernel void twice(global const uchar *data, global float *table, global float *out)
{ size_t i = get_global_id(0); out[i] = table[(data[i] & 15) * 1024 * 8 + 3]; }
kernel void chased(global const int *next, global int *out)
{ int at = get_global_id(0); while (next[at] > 0) at = next[at] + 1; out[get_global_id(0)] = at; }
kernel void strided(global const float *in, global float *out, int width, int height)
{ global const float *p = in + get_global_id(0); float sum = 0;
  for (int k = 0; k < height; k++) { sum += *p; p += width; }
  out[get_global_id(0)] = sum; }
K
# case_has SENTENCE KERNEL WANT: of the guessed case, on one line
case_has() {
	local have
	have=$(ctl cases "$scratch/data.cl:$2" 2>/dev/null | tr -d ' \n')
	if [[ $have == *"$3"* ]]; then ok "$1"; else not_ok "$1: want $3, have $have"; fi
}
case_has "what looks up holds numbers" looked_up '"init":"rand_index:256"'
case_has "a table is as large as what is looked up in it" twice '"buffer":491536'
case_has "what is chased is not drawn" chased '"init":"zero"'
case_has "what a pointer reaches grows by the answer" strided '"buffer":524288'
expect "which is said" 0 'guessed: strided: argument 0 (in): want at least' ctl cases "$scratch/data.cl:strided"
cat >"$scratch/led.cl" <<'K'
kernel void led(global const int *a, global float *b)
{ size_t i = get_global_id(0); for (int k = 0; k != a[i]; k++) b[i] += 1; }
K
expect "what may be reached where data lead is told with --explain" 0 'warning: argument 1 (b): want at least 4096 bytes, as line 2 reaches where data lead there, got 64' \
	ctl predict "$scratch/led.cl" --device 0 --global 1024 --local 64 --arg buffer:4K --arg buffer:64 --explain

# A scalar of another size is CL error -51 to a driver, and one of the same size nothing at all.
walk=(--device 0 --global 65536 --local 64 --arg buffer:512K --arg buffer:512K --arg buffer:8K --arg local:512)
expect "a scalar of the wrong type is named before it is run" 1 'argument 4 (n): want scalar long, got scalar int' \
	ctl measure "$inputs/walkbuf.cl" "${walk[@]}" --arg int:65536
expect "and with the right one it is run" 0 'walkbuf.cl' ctl measure "$inputs/walkbuf.cl" "${walk[@]}" --arg long:65536
alone() {
	PREDICTD_SOCKET=$scratch/nobody ctl "$@"
}
expect "without a daemon it is named, too" 1 'argument 4 (n): want scalar long, got scalar int' \
	alone measure "$inputs/walkbuf.cl" "${walk[@]}" --arg int:65536
expect "also one of the same size" 1 'argument 2 (f): want scalar float, got scalar int' \
	alone measure "$inputs/guard.cl" --device 0 --global 64 --arg buffer:4K --arg ulong:64 --arg int:1
expect "and another kind" 1 'argument 0 (v): want buffer, got local memory of 64 bytes' \
	alone measure "$inputs/guard.cl" --device 0 --global 64 --arg local:64 --arg ulong:64 --arg float:1
cat >"$scratch/kinds.cl" <<'K'
struct pair { int a, b; };
kernel void kinds(struct pair p, local int *t, read_only image2d_t i, sampler_t s, unsigned int u, global int *o)
{ t[get_local_id(0)] = p.a + u + (int)read_imagef(i, s, (int2)(0, 0)).x; o[get_global_id(0)] = t[0]; }
K
# wrong PLACE ARGUMENT WANT: that argument in place of the right one
wrong() {
	local all=(bytes:8 local:256 image:8x8 sampler uint:1 buffer:256) list=() one
	all[$1]=$2
	for one in "${all[@]}"; do list+=(--arg "$one"); done
	expect "a wrong argument $1 is named, beside a daemon" 1 "argument $1 (.): want $3" \
		ctl measure "$scratch/kinds.cl" --device 0 --global 64 --local 64 "${list[@]}"
	expect "and without" 1 "argument $1 (.): want $4" \
		alone measure "$scratch/kinds.cl" --device 0 --global 64 --local 64 "${list[@]}"
}
wrong 0 buffer:8 'struct of 8 bytes, got buffer of 8 bytes' '.*pair, got buffer of 8 bytes'
wrong 1 int:1 'local memory, got scalar int' 'local memory, got scalar int'
wrong 2 buffer:256 'image of kind 2d, got buffer' 'image of kind image2d_t, got buffer'
wrong 3 int:1 'sampler, got scalar int' 'sampler, got scalar int'
wrong 4 float:1 'scalar uint, got scalar float' 'scalar .*, got scalar float'

cat >"$scratch/beyond.cl" <<'K'
kernel void before(global const float *a, global float *b) { b[get_global_id(0)] = a[get_global_id(0) - 1]; }
kernel void within(global const float *a, global float *b)
{ size_t i = get_global_id(0); if (i > 0 && i < get_global_size(0) - 1) b[i] = a[i - 1] + a[i + 1]; }
kernel void tile(global float *a, local float *t)
{ size_t l = get_local_id(0);
  t[l] = a[l];
  barrier(CLK_LOCAL_MEM_FENCE); a[l] = t[63 - l]; }
K
two=(--device 0 --global 1024 --local 64 --arg buffer:4K:r --arg)
expect "a buffer that is overrun is a warning" 0 'warning: argument 1 (b): want at least 4096 bytes, as line 1 reaches, got 2048' \
	ctl predict "$scratch/beyond.cl:before" "${two[@]}" buffer:2K
expect "one that is read before its beginning, too" 0 'warning: argument 0 (a): line 1 reaches 4 bytes before its beginning' \
	ctl predict "$scratch/beyond.cl:before" "${two[@]}" buffer:4K
expect "and local memory" 0 'warning: argument 1 (t): want at least 256 bytes, as line 6 reaches, got 128' \
	ctl predict "$scratch/beyond.cl:tile" "${two[@]}" local:128
ctl predict "$scratch/beyond.cl:within" "${two[@]}" buffer:4K >/dev/null 2>"$scratch/err"
if [ -s "$scratch/err" ]; then not_ok "a guard is believed: $(cat "$scratch/err")"; else ok "a guard is believed"; fi
said=$(ctl predict "$scratch/beyond.cl:before" "${two[@]}" buffer:2K --json 2>/dev/null |
	python3 -c 'import json, sys; print(len(json.load(sys.stdin)["predictions"][0]["warnings"]))')
if [ "$said" = 2 ]; then ok "JSON has a list of them"; else not_ok "JSON has a list of them: $said"; fi
expect "CSV has them in its note" 0 ',"warning: argument 0 (a): .*; warning: argument 1 (b): want at least' \
	ctl predict "$scratch/beyond.cl:before" "${two[@]}" buffer:2K --csv
expect "measuring says it first" 0 'warning: argument 1 (t): want' ctl measure "$scratch/beyond.cl:tile" "${two[@]}" local:128
finish
