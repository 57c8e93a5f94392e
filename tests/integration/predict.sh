#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Questions with answers: kernels, options, headers, models, cases.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_calibrated

sq_mod() {
	ctl predict "$kernels/demo/sq_mod.cl" --global 16777216 --local 256 --arg buffer:64M:r \
		--arg buffer:64M:w --arg uint:4096 --arg uint:4096 "$@"
}

expect "sq_mod is predicted" 0 . sq_mod
expect "its breakdown has a row for the floats' arithmetic" 0 'float fma\|float mul' sq_mod --explain
expect "its breakdown counts the accesses by pattern" 0 'interval' sq_mod --explain
expect "its breakdown has a row for the launch" 0 'launch' sq_mod --explain
expect "its IR can be read" 0 'kernel sq_mod' sq_mod --explain=ir
expect "its source has the cost of each line beside it" 0 ' %  .*[mun]s  [a-zA-Z0-9 ]*  27  *unsigned int current_row' sq_mod --explain=lines
expect "what belongs to no line is said" 0 'no line: the launch' sq_mod --explain=lines
expect "how the launch fills the device is said" 0 'occupancy [0-9]* %: a unit has [0-9]* work-group' sq_mod --explain=lines
expect "lines are in the JSON" 0 '"elsewhere_s":' sq_mod --explain=lines --json
# a source whose lines a terminal would act upon, that is shown as text; and files that cannot be read again
printf '%b' '// \x1b[31m \xc2\x9b31m \xe9 \xe2\x80\xae \0 end\r\n#define LONG "' >"$scratch/shown.cl"
head -c 100000 /dev/zero | tr '\0' x >>"$scratch/shown.cl"
printf '"\r\nkernel void f(global float *a) { a[get_global_id(0)] *= 2.0f; } // \x9b31m' >>"$scratch/shown.cl"
lines() {
	timeout 20 "$PREDICTCTL" predict "$1" --global 4096 --local 64 --arg buffer:16K --explain=lines
}
expect "its source is shown without what a terminal acts upon" 0 \
	'  1  // ?\[31m ??31m ? ? ? end$' lines "$scratch/shown.cl"
expect "long lines of it are cut" 0 '  2  #define LONG "x*\.\.\.$' lines "$scratch/shown.cl"
lines "$scratch/shown.cl" >"$scratch/shown" 2>&1
check "no control character is among what was printed" \
	sh -c "! LC_ALL=C grep -q '[^[:print:]	]' '$scratch/shown'"
check "no line of it is longer than a screen" sh -c "test \"\$(wc -L <'$scratch/shown')\" -lt 240"
mkfifo "$scratch/once.cl"
cat "$scratch/shown.cl" >"$scratch/once.cl" &
expect "a source that came from a pipe has the numbers of its lines" 0 ' %  .*  line 3$' lines "$scratch/once.cl"
wait $!
expect "only the default model has lines" 0 'only the default model' sq_mod --explain=lines --model pattern
expect "the answer comes as JSON" 0 '"kernel_time_s"' sq_mod --json
expect "the JSON has an interval" 0 '"high_s"' sq_mod --json
for model in default pattern uncached; do
	expect "the model $model answers" 0 . sq_mod --model $model
done
# states that were measured without a disturbance, of 16 cores that are not here
check "a recorded calibration is imported" \
	ctl import "$SOURCE_ROOT/tests/accuracy/short/pocl-16/device.calibration"
recorded=cpu-skylake-avx512-Intel
empty() {
	ctl predict "$kernels/copy.cl" --device $recorded --global 64 --local 64 --arg buffer:256:r \
		--arg buffer:256:w "$@"
}

# in_interval: of an answer that does not say its pause, those after every pause lie in its interval
in_interval() {
	empty --json >"$scratch/unsaid.json" || return 1
	for pause in 10us 1ms 0.1; do
		empty --idle $pause --json >"$scratch/after-$pause.json" || return 1
	done
	python3 - "$scratch" <<'PYTHON'
import json, sys
def answer(name):
    return json.load(open(f"{sys.argv[1]}/{name}.json"))["predictions"][0]
unsaid = answer("unsaid")
each = [answer(f"after-{pause}") for pause in ("10us", "1ms", "0.1")]
for one in each:
    assert unsaid["low_s"] <= one["kernel_time_s"] <= unsaid["high_s"], (unsaid, one)
assert len({one["launch_time_s"] for one in each}) == 3, each
PYTHON
}
check "a launch after a pause has an answer of its own, in the interval of who says none" in_interval
cat >"$scratch/paused.json" <<EOF
[{"id": "paused", "file": "$kernels/copy.cl", "global": [64], "local": [64], "idle_s": 0.1,
  "args": [{"buffer": 256, "access": "r"}, {"buffer": 256, "access": "w"}]}]
EOF
said=$(ctl predict --device $recorded --cases "$scratch/paused.json" --json)
time_of() {
	python3 -c 'import json, sys; print(json.load(sys.stdin)["predictions"][0]["kernel_time_s"])'
}
if [ "$(time_of <<<"$said")" = "$(time_of <"$scratch/after-0.1.json")" ]; then
	ok "a cases file says the same of a launch"
else
	not_ok "a cases file says the same of a launch: $said"
fi
expect "a pause that is no time is a usage error" 2 'want a time such as' empty --idle soon
expect "one that is too long for any device is refused" 1 'idle time: want 0 to 1e+06' empty --idle 1e7
measured=(ctl measure "$kernels/copy.cl" --device 0 --global 64 --local 64 --arg buffer:256:r
	--arg buffer:256:w)
expect "measure pauses before every run" 0 '"runs": [5-9]' "${measured[@]}" --idle 100ms \
	--budget 0.3 --json
expect "but not for ever" 1 'idle time: want 0 to 60 s' "${measured[@]}" --idle 61

expect "an unknown model is a usage error" 2 'model' sq_mod --model crystal
expect "transfers are predicted on request" 0 'transfer\|h2d\|device' sq_mod --transfers
expect "and say of which memory" 0 'transfers of pageable memory' sq_mod --transfers --json
expect "pinned memory is another" 0 'pinned' sq_mod --pinned --json
expect "and measured as such" 0 '"h2d_time_s": [0-9.e-]*[1-9]' ctl measure "$kernels/copy.cl" --device 0 --pinned \
	--global 65536 --local 64 --arg buffer:256K:r --arg buffer:256K:w --json
expect "a local size that is left out is assumed, and the answer says so" 0 'work-group\|local' \
	ctl predict "$kernels/copy.cl" --global 1048576 --arg buffer:4M:r --arg buffer:4M:w
expect "one of two kernels is chosen by name" 0 . ctl predict "$kernels/two_kernels.cl:negate" \
	--global 1048576 --arg buffer:4M:rw
expect "build options reach the analysis" 0 . ctl predict "$kernels/macros.cl:fold" \
	--options "-DUNROLL=4 -DTYPE=int -DOP=max" --global 262144 --local 64 --arg buffer:4M:r \
	--arg buffer:1M:w

mkdir -p "$scratch/src/include"
printf '#include "factor.h"\nkernel void k(global float *x) { x[get_global_id(0)] *= FACTOR; }\n' \
	>"$scratch/src/k.cl"
printf '#define FACTOR 2.0f\n' >"$scratch/src/include/factor.h"
expect "a header beside -I is sent along" 0 . ctl predict "$scratch/src/k.cl" \
	--options "-I $scratch/src/include" --global 1024 --arg buffer:4K
printf '#include "../src/include/factor.h"\nkernel void k(global float *x) { x[get_global_id(0)] *= FACTOR; }\n' \
	>"$scratch/src/up.cl"
expect "a header above the source is sent along too" 0 . ctl predict "$scratch/src/up.cl" \
	--global 1024 --arg buffer:4K
expect "a header that is nowhere is named" 1 'factor.h' ctl predict "$scratch/src/k.cl" \
	--global 1024 --arg buffer:4K

expect "what data decide is said" 0 'data\|assum\|trips by' ctl predict "$kernels/spmv_csr.cl" --global 16384 \
	--local 64 --arg buffer:65540:r --arg buffer:1M:r:0..16383 --arg buffer:1M:r \
	--arg buffer:64K:r --arg buffer:64K:w
expect "reads of an image have a row" 0 'image read of in' ctl predict "$kernels/image_read.cl" --explain \
	--global 512,512 --local 16,16 --arg image:512x512:rgba8:r --arg buffer:1M:w

expect "a file of cases gives a row for each" 0 'demo.sq_mod.512x512' \
	ctl predict --cases "$SOURCE_ROOT/tests/accuracy/cases/demo.json" --device 0 --csv
rows=$(wc -l <"$scratch/out")
[ "$rows" -eq 46 ] && ok "and a header" || not_ok "and a header: want 46 lines, got $rows"
head -n 1 "$scratch/out" | grep -qx 'case,kernel,model,kernel_time_s,low_s,high_s,h2d_time_s,d2h_time_s,launch_time_s,basis,bottleneck,note,error,task_time_s,task_low_s,task_high_s' &&
	ok "whose columns are those of the documentation" ||
	not_ok "whose columns are those of the documentation: $(head -n 1 "$scratch/out")"
cp "$scratch/out" "$scratch/first.csv"
ctl predict --cases "$SOURCE_ROOT/tests/accuracy/cases/demo.json" --device 0 --csv >"$scratch/second.csv"
check "the same questions give the same bytes" cmp "$scratch/first.csv" "$scratch/second.csv"
stop_daemon
start_daemon
ctl predict --cases "$SOURCE_ROOT/tests/accuracy/cases/demo.json" --device 0 --csv >"$scratch/third.csv"
check "also after a restart" cmp "$scratch/first.csv" "$scratch/third.csv"
(cd "$SOURCE_ROOT/tests/accuracy/cases" && ctl predict --cases - --device 0 --csv <demo.json >"$scratch/fourth.csv")
check "and from standard input, with sources found from the working folder" cmp "$scratch/first.csv" "$scratch/fourth.csv"

{
	printf '[{"id": "a.b", "file": "%s", "kernel": "copy", "global": [1024], "colour": 1,' "$kernels/copy.cl"
	printf ' "args": [{"buffer": 4096, "access": "r"}, {"buffer": 4096, "access": "w"}]}]\n'
} >"$scratch/bad.json"
sed 's/"colour": 1/"pinned": true/' "$scratch/bad.json" >"$scratch/pinned.json"
expect "a case may say that its memory is pinned" 0 'pinned' \
	ctl predict --cases "$scratch/pinned.json" --device 0 --transfers --csv
expect "a key of a case that is not known is named, and the case" 1 'colour' \
	ctl predict --cases "$scratch/bad.json" --device 0 --csv
cat >"$scratch/guess.cl" <<'K'
typedef struct { float4 position; float4 speed; int id; } body;
kernel void move(global body *bodies, float dt) { bodies[get_global_id(0)].position += dt * bodies[get_global_id(0)].speed; }
kernel void blur(read_only image2d_t in, global uint4 *out) { out[get_global_id(0)] = read_imageui(in, (int2)(0)); }
int deep(int n) { return n > 0 ? deep(n - 1) : 0; }
kernel void jump(global int *a) { a[0] = deep(a[1]); }
kernel void softmax(global const float *in, global float *out, int n)
{
	int row = get_global_id(0);
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += exp(in[row * n + i]);
	for (int i = 0; i < n; i++)
		out[row * n + i] = exp(in[row * n + i]) / sum;
}
K
expect "sizes are guessed for a buffer of structs" 0 'bodies of 3145728 bytes' ctl cases "$scratch/guess.cl"
expect "and for an image" 0 'in of 256 x 256 pixels of rgba8ui' ctl cases "$scratch/guess.cl:blur"
expect "and a fallback is announced" 0 'fallback.*recursion' ctl cases "$scratch/guess.cl:jump"
ctl cases "$scratch/guess.cl:move" >"$scratch/guess.json" 2>/dev/null
expect "what was guessed can be run" 0 'move.65536' ctl measure --cases "$scratch/guess.json" --device 0
from_stdin() {
	ctl "$@" --cases - --device 0 <"$scratch/guess.json"
}
expect "from standard input, too" 0 'move.65536' from_stdin measure
expect "and compared with what is predicted" 0 'cases compared' from_stdin evaluate
ctl cases "$scratch/guess.cl:softmax" >"$scratch/rows.json" 2>"$scratch/said"
check "rows and their length fit the buffers" grep -q 'global 256; in of 262144 bytes; .*; n = 256' "$scratch/said"
expect "and do not reach beyond them" 0 'softmax.65536' ctl measure --cases "$scratch/rows.json" --device 0
expect "the breakdown's work-group size has the dimensions that it needs" 0 'work-group size *64  ' \
	ctl predict "$kernels/copy.cl" --global 16384,1 --local 64,1 --arg buffer:64K:r --arg buffer:64K:w --explain
expect "measure runs a kernel and compares" 0 . ctl measure "$kernels/copy.cl" --device 0 \
	--global 65536 --local 64 --arg buffer:256K:r --arg buffer:256K:w
# doctor says so where other tests disturbed the calibration, or the kernel has no Landlock
ctl doctor >"$scratch/doctor" 2>&1
check "doctor finds its way about" grep -q '^ok  *analyser  *kernels are analysed' "$scratch/doctor"
grep '^problem' "$scratch/doctor" | grep -vE 'in use by others while it was calibrated|no Landlock' >"$scratch/problems"
check "and has nothing to mend" test ! -s "$scratch/problems"
stop_daemon
finish
