#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Samples of buffers: of files and generators, of two users, beyond quotas, over a restart, refused.
. "$SOURCE_ROOT/tests/integration/common.sh"

recorded=$SOURCE_ROOT/tests/accuracy/short/pocl-16/device.calibration
write_config 'socket_mode = 0666' '[samples]' 'count_per_user = 4'
start_daemon
check "a recorded calibration is imported" ctl import "$recorded"
yes "nobody else reads this" | head -c 65536 >"$scratch/numbers"
install -m 644 "$kernels/copy.cl" "$scratch/copy.cl"

copy() {
	ctl predict "$scratch/copy.cl" --device cpu-skylake-avx512-Intel --global 16384 --local 64 \
		--arg "buffer:64K:r:$1" --arg buffer:64K:w "${@:2}"
}

expect "what a generator makes is sampled" 0 'sampled: from' copy rand_float --sample
expect "what a file holds is sampled" 0 'sampled: from' copy "@$scratch/numbers" --sample
copy "@$scratch/numbers" >"$scratch/plain"
check "without being asked for nothing is" bash -c '! grep -q sampled "$1"' - "$scratch/plain"
expect "a file that is not there is said" 1 "init '@.*nothing': No such file" \
	copy "@$scratch/nothing" --sample
expect "the environment switches samples off" 0 bottleneck \
	env PREDICTD_SAMPLES=no "$PREDICTCTL" predict "$scratch/copy.cl" --device cpu-skylake-avx512-Intel \
	--global 16384 --arg buffer:64K:r:iota --arg buffer:64K:w --sample
PREDICTD_SAMPLES=no copy iota --sample >"$scratch/off"
check "so that no answer names any" bash -c '! grep -q sampled "$1"' - "$scratch/off"

expect "a kernel runs on what a file holds" 0 'copy' ctl measure "$scratch/copy.cl" --global 16384 \
	--arg "buffer:64K:r:@$scratch/numbers" --arg buffer:64K:w --budget 0.1
: >"$scratch/empty"
mkfifo "$scratch/pipe"
expect "an empty file is said" 1 'have an empty one' copy "@$scratch/empty" --sample
expect "a folder is said" 1 'have a folder' copy "@$scratch" --sample
expect "a pipe is said, not waited for" 1 'have a pipe' copy "@$scratch/pipe" --sample
expect "measure says so as well" 1 'have an empty one' ctl measure "$scratch/copy.cl" \
	--global 16384 --arg "buffer:64K:r:@$scratch/empty" --arg buffer:64K:w --sample
expect "so does place" 1 'have a folder' ctl place "$scratch/copy.cl" --global 16384 --sample \
	--arg "buffer:64K:r:@$scratch" --arg buffer:64K:w
head -c 100 "$scratch/numbers" >"$scratch/few"
expect "a file that is shorter than the buffer is repeated" 0 'sampled: from' \
	copy "@$scratch/few" --sample

# basis CASE...: what its answer rests on
basis() {
	ctl predict "$@" --device cpu-skylake-avx512-Intel --csv |
		python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))["basis"])'
}
iota=("$scratch/copy.cl" --global 16384 --local 64 --arg buffer:64K:r:iota --arg buffer:64K:w)
expect "what was observed on data is kept" 0 '3 of 3 observations kept' \
	ctl observe "${iota[@]}" --device cpu-skylake-avx512-Intel --sample \
	--time-s 4ms --time-s 4ms --time-s 4ms
is "for launches on these data" observed "$(basis "${iota[@]}" --sample)"
check "not for the launch of which no data are known" test "$(basis "${iota[@]}")" != observed
printf '[{"id": "copy.iota", "file": "copy.cl", "global": [16384], "local": [64], "args": [%s, %s]}]' \
	'{"buffer": 65536, "init": "iota", "access": "r", "sample": true}' \
	'{"buffer": 65536, "access": "w"}' >"$scratch/iota.json"
is "a case that says so asks about the same" observed "$(basis --cases "$scratch/iota.json")"
printf 'case,kernel_time_s\ncopy.iota,0.004\n' >"$scratch/iota.csv"
expect "and is observed under the same" 0 '1 of 1 observations kept' ctl observe \
	--cases "$scratch/iota.json" --measured "$scratch/iota.csv" --device cpu-skylake-avx512-Intel
runs() {
	ctl history "$@" --device cpu-skylake-avx512-Intel --json |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["total"])'
}
is "as its history says" 4 "$(runs "${iota[@]}" --sample)"
is "which knows of none without" 0 "$(runs "${iota[@]}")"
expect "the launch forgets them" 0 . ctl forget --all

# of more launches with data of their own than the daemon keeps samples for
python3 - "$scratch" <<'PYTHON'
import json, sys
cases = [{"id": f"copy.{i}", "file": "copy.cl", "global": [16384 << i % 4],
          "args": [{"buffer": 65536 << i % 4, "init": f"rand_float:0:{i + 1}", "sample": True, "access": "r"},
                   {"buffer": 65536 << i % 4, "access": "w"}]} for i in range(20)]
cases.append({"id": "copy.file", "file": "copy.cl", "global": [16384],
              "args": [{"buffer": 65536, "init": "@numbers", "sample": True}, {"buffer": 65536}]})
json.dump(cases, open(f"{sys.argv[1]}/cases.json", "w"))
PYTHON
ctl predict --cases "$scratch/cases.json" --device cpu-skylake-avx512-Intel --csv >"$scratch/answers.csv"
check "beyond a quota every question is answered with its samples" \
	test "$(grep -c 'sampled: from' "$scratch/answers.csv")" = 21

if let_others_ask; then
	chmod 644 "$scratch/copy.cl" "$scratch/numbers"
	others() {
		as "$1" "$1" '' predict "$scratch/copy.cl" --device cpu-skylake-avx512-Intel --global 16384 --local 64 \
			--arg "buffer:64K:r:@$scratch/numbers" --arg buffer:64K:w --sample
	}
	expect "another user samples the same data for himself" 0 'sampled: from' others 65534
	expect "and a third" 0 'sampled: from' others 65533
	expect "one forgets his own" 0 . as 65533 65533 '' forget --all
	expect "and is answered again" 0 'sampled: from' others 65533
	expect "as the others are" 0 'sampled: from' others 65534
else
	ok "other users have their own # SKIP needs root and setpriv"
fi

stop_daemon
check "nothing of a sample is in the state folder" \
	bash -c '! grep -rqaF "nobody else reads this" "$1"' - "$scratch/state"
start_daemon
expect "after a restart samples are sent again" 0 'sampled: from' copy "@$scratch/numbers" --sample
stop_daemon

write_config '[samples]' 'keep = yes'
start_daemon
expect "one that is kept is asked about" 0 'sampled: from' copy "@$scratch/numbers" --sample
stop_daemon
in_state() {
	grep -rqaF "nobody else reads this" "$scratch/state"
}
check "and is in the state folder" in_state
start_daemon
expect "until it is forgotten" 0 . ctl forget --all
check "at once" bash -c '! grep -rqaF "nobody else reads this" "$1"' - "$scratch/state"
stop_daemon
write_config '[samples]' 'accept = no'
start_daemon
expect "where none are accepted the answer says so" 0 'samples are not accepted here' \
	copy iota --sample
expect "evaluate goes without as well" 0 . ctl predict --cases "$scratch/cases.json" --device cpu-skylake-avx512-Intel
stop_daemon
write_config '[samples]' 'accept = maybe'
expect "accept is yes or no" 1 'accept: want yes or no, got "maybe"' \
	"$PREDICTD" --config "$scratch/predictd.conf" --check-config
finish
