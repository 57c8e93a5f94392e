#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs that link libpredictd, with the real daemon: answers kept in several processes,
# devices by cl_device_id, and the worked examples.
. "$SOURCE_ROOT/tests/integration/common.sh"

predictions() {
	ctl status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["predictions"])'
}

# ask_all: one line of the watcher in $seen
ask_all() {
	printf 'ask\n' >&"${watcher[1]}"
	read -r -t 60 seen <&"${watcher[0]}" || seen="the watcher is gone"
}

# told SENTENCE COMMAND...: by its exit status alone
told() {
	local sentence=$1
	shift
	if "$@"; then ok "$sentence"; else not_ok "$sentence: saw $seen"; fi
}

start_calibrated
ctl export 0 "$scratch/calibration" >/dev/null

"$OPENCL_DEVICES" >"$scratch/found" 2>&1
ctl devices --json >"$scratch/devices.json"
check "each cl_device_id is found as the device of its key and name" python3 - "$scratch" <<'PYTHON'
import json, sys
known = {str(d["index"]): [d["key"], d["name"]] for d in json.load(open(sys.argv[1] + "/devices.json"))["devices"]}
found = [line.rstrip("\n").split("\t") for line in open(sys.argv[1] + "/found")]
assert found, "no device"
for index, *names in found:
    assert known[index] == names, (index, names, known)
PYTHON

closed="a plugin's dlclose leaves the library, whose thread may be at work"
if grep -q __asan_init "$BUILD_ROOT/client/libpredictd.so.0"; then
	ok "$closed # SKIP Python does not open a library with sanitizers"
else
	check "$closed" "$PYTHON" - <<'PYTHON'
import _ctypes, ctypes
library = ctypes.CDLL("libpredictd.so.0")
connection = ctypes.c_void_p()
assert library.predictd_open(None, ctypes.byref(connection)) == 0
_ctypes.dlclose(library._handle)
assert "libpredictd.so" in open("/proc/self/maps").read()
assert library.predictd_get_status(connection, ctypes.byref(ctypes.c_void_p())) == 0
PYTHON
fi

coproc watcher { "$WATCHER" "$kernels/copy.cl" copy 4 2>"$scratch/watcher.err"; }
ask_all
first=$seen
[[ $first =~ ^[0-9]+\ [0-9.e+-]+$ ]] && ok "four processes get the same answer" || not_ok "four processes get the same answer: $first"
asked=$(predictions)
for _ in 1 2 3; do ask_all; done
told "a repeated question has the same answer" [ "$seen" = "$first" ]
told "and the daemon is not asked" [ "$(predictions)" = "$asked" ]

ctl import "$scratch/calibration" >/dev/null
ask_all
told "an imported calibration is seen by the next call in every process" [ "${seen% differ}" = "$seen" ]
told "which has its epoch" [ "${seen%% *}" -gt "${first%% *}" ]
asked=$(predictions)
ask_all
told "and is kept in its turn" [ "$(predictions)" = "$asked" ]

before=$seen
check "a measured time is reported" ctl observe "$kernels/copy.cl" --device 0 --global 1048576 --local 64 \
	--arg buffer:4M:r --arg buffer:4M:w --time-s 0.5 --time-s 0.5 --time-s 0.5
ask_all
told "and the correction is seen by the next call in every process" [ "${seen% differ}" = "$seen" ]
told "which gives another time" [ "$seen" != "$before" ]
asked=$(predictions)
ask_all
told "and is kept, too" [ "$(predictions)" = "$asked" ]

second=$seen
kill -HUP "$daemon"
for _ in $(seq 100); do
	ask_all
	[ "$(predictions)" = "$asked" ] || break
	sleep 0.05
done
told "a configuration that is read again makes every process ask again" [ "$(predictions)" -gt "$asked" ]
told "with the same answer" [ "$seen" = "$second" ]

stop_daemon KILL
start_daemon
for _ in $(seq 100); do
	ask_all
	[ "${seen% differ}" != "$seen" ] || break
	sleep 0.05
done
told "a daemon that was killed and started again is asked anew" [ "$seen" = "$second" ]
told "which it has answered" [ "$(predictions)" -gt 0 ]
exec {watcher[1]}>&-

expect "the example schedule places tasks" 0 'after two runs: predicted .* 24 tasks on' "$EXAMPLES/schedule" 3
expect "and takes a number" 2 usage "$EXAMPLES/schedule" none
expect "the example split_run computes in parts what a device does alone" 0 'in all: predicted .* measured' \
	"$EXAMPLES/split_run" 65536
expect "and takes whole work-groups" 2 usage "$EXAMPLES/split_run" 65
expect "the example tune_online is tuned while it works" 0 'the choice is kept' "$EXAMPLES/tune_online"
cp "$scratch/out" "$scratch/first"
sed 's/^/# /' "$scratch/first"
check "and finds no earlier choice" grep -q '^no earlier choice: .*none of "tune_online: smooth' "$scratch/first"
check "its variants are predicted" [ "$(grep -c '^not predicted' "$scratch/first")" -eq 0 ]
stop_daemon
start_daemon
expect "a second start finds the choice" 0 'an earlier choice was found' "$EXAMPLES/tune_online" 60
cp "$scratch/out" "$scratch/second"
sed 's/^/# /' "$scratch/second"
options=$(sed -n 's/^best: \(.*\): .*/\1/p' "$scratch/first")
if grep -q 'the search is over' "$scratch/first"; then
	check "and begins with it" grep -qxF -- "launch 1: $options" "$scratch/second"
fi
ctl forget --all >/dev/null 2>&1
expect "forgetting takes it along" 0 'no earlier choice' "$EXAMPLES/tune_online" 3
expect "and takes a number" 2 usage "$EXAMPLES/tune_online" none
printf '1024\n65536\n1048576\n' | "$EXAMPLES/events" "$kernels/copy.cl" copy >"$scratch/events" 2>&1
check "the example events prints an answer a line" [ "$(grep -c 'work-items: [0-9.e-]* ms' "$scratch/events")" -eq 3 ]
check "the example ask answers" "$EXAMPLES/ask" "$SOURCE_ROOT/tests/integration/library.cl" scale 65536
stop_daemon
printf '1024\n' | "$EXAMPLES/events" "$kernels/copy.cl" copy >"$scratch/events" 2>&1
expect "without the daemon tune_online works as well" 0 'the choice is not kept' "$EXAMPLES/tune_online" 30
check "and events says that the daemon is away" grep -q 'work-items: unavailable' "$scratch/events"
finish
