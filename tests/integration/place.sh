#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two unequal devices of one CPU: both calibrated, and each launch goes to the faster one.
export POCL_DEVICES="pthread basic"
. "$SOURCE_ROOT/tests/integration/common.sh"
start_daemon

count=$(ctl devices --json | json 'len(x["devices"])')
if [ "$count" != 2 ]; then
	ok "two devices # SKIP this driver has $count"
	finish
fi
place() {
	ctl place "$kernels/copy.cl" --global "$1" --local 64 --arg "buffer:$((4 * $1)):r" \
		--arg "buffer:$((4 * $1)):w" "${@:2}"
}
expect "nothing is placed before a device is calibrated" 4 'calibrate' place 1048576
# as the test that calibrates left it, where it has run: a calibration takes a quarter of a minute
if [ -s "$CALIBRATION" ] && ctl import "$CALIBRATION" >"$scratch/import" 2>&1; then
	first=$(ctl devices --json | json '[i for i, d in enumerate(x["devices"]) if d["calibrated"]][0]')
	ok "a calibration of device $first serves"
else
	first=0
	check "the first device is calibrated" ctl calibrate 0 --quick
fi
second=$((1 - first))
expect "one calibrated device is the fastest" 0 "$first: " place 1048576
expect "a device without a calibration cannot be chosen" 4 'calibrate' place 1048576 --device $second
# as the test of pairs left it
if [ -s "$CALIBRATION.other" ] && ctl import "$CALIBRATION.other" >"$scratch/import" 2>&1 && ctl place "$kernels/copy.cl" \
	--global 64 --local 64 --arg buffer:256:r --arg buffer:256:w --device $second >"$scratch/placed" 2>&1; then
	ok "a calibration of the other device serves"
else
	check "the other device is calibrated" ctl calibrate $second --quick
fi

faster() {
	local times=() device
	for device in 0 1; do
		times+=("$(ctl predict "$kernels/copy.cl" --global "$1" --local 64 --arg "buffer:$((4 * $1)):r" \
			--arg "buffer:$((4 * $1)):w" --device $device --json |
			json 'sum(p["kernel_time_s"] + p["launch_time_s"] for p in x["predictions"])')")
	done
	python3 -c 'import sys; a, b = map(float, sys.argv[1:]); print(0 if a <= b else 1)' "${times[@]}"
}
for items in 256 65536 16777216; do
	want=$(faster $items)
	got=$(place $items --json | json 'x["placements"][0]["device_index"]')
	[ "$want" = "$got" ] && ok "$items work-items go to the device that is predicted to be faster" ||
		not_ok "$items work-items go to the device that is predicted to be faster: want $want, got $got"
done
for device in 0 1; do
	got=$(place 65536 --device $device --json | json 'x["placements"][0]["device_index"]')
	[ "$got" = $device ] && ok "device $device is chosen among itself" || not_ok "device $device is chosen among itself: got $got"
done
# data with which the kernel was slow on the device that is faster for any
fast=$(place 65536 --json | json 'x["placements"][0]["device_index"]')
check "what was observed on data is reported" ctl observe "$kernels/copy.cl" --global 65536 \
	--local 64 --arg buffer:256K:r:iota --arg buffer:256K:w --sample --device "$fast" \
	--time-s 9s --time-s 9s --time-s 9s
check "and what was observed on others" ctl observe "$kernels/copy.cl" --global 65536 --local 64 \
	--arg buffer:256K:r --arg buffer:256K:w --device "$fast" --time-s 1us --time-s 1us --time-s 1us
with_data() {
	ctl place "$kernels/copy.cl" --global 65536 --local 64 --arg buffer:256K:r:iota \
		--arg buffer:256K:w --json "$@" | json 'x["placements"][0]["device_index"]'
}
is "a launch with these data goes to the other one" $((1 - fast)) "$(with_data --sample)"
is "one of which no data are known does not" "$fast" "$(with_data)"
data=("$kernels/copy.cl" --global 65536 --local 64 --arg buffer:256K:r:iota --arg buffer:256K:w
	--sample --device "$fast")
# what was observed is weighed against what a calibration says, so it need not be all of 9 s
is "measuring compares with what is predicted for these data" True "$(ctl measure "${data[@]}" \
	--budget 0.05 --observe --json 2>"$scratch/said" |
	json 'x["measurements"][0]["predicted"]["kernel_time_s"] > 1e-3')"
check "and reports" grep -q '1 of 1 observations kept' "$scratch/said"
is "for these data" 4 "$(ctl history "${data[@]}" --json | json 'x["total"]')"
copy() {
	ctl predict "$kernels/copy.cl" --global 64 --arg buffer:256:r --arg buffer:256:w "$@"
}
expect "which of several devices was asked is said" 0 'on device 0, .*; --device asks another' copy
copy --device 1 | grep -q 'on device' && not_ok "unless it was named" || ok "unless it was named"
# a cases file whose cases need, read and write is planned as a whole
python3 - "$kernels/copy.cl" >"$scratch/dag.json" <<'EOF'
import json, sys
def task(name, read, written, **more):
    return {"id": name, "file": sys.argv[1], "global": [65536], "local": [64],
            "args": [{"buffer": 262144, "access": "r"}, {"buffer": 262144, "access": "w"}],
            "reads": [read], "writes": [written], **more}
print(json.dumps([task("first", "in", "a"), task("left", "a", "b"), task("right", "a", "c", needs=["left"])]))
EOF
dag() {
	ctl place --cases "$scratch/dag.json" "$@"
}
for method in heft min-min fastest; do
	dag --method $method --json >"$scratch/plan.json"
	plan() {
		json "(lambda s, t: $1)(x['schedule'], x['schedule']['tasks'])" <"$scratch/plan.json"
	}
	is "$method: what is needed, and what is read, comes before" True \
		"$(plan 't[0]["end_s"] <= t[1]["start_s"] and t[1]["end_s"] <= t[2]["start_s"]')"
	is "$method: the last end is the makespan, and each device has an end" True \
		"$(plan 's["makespan_s"] == t[2]["end_s"] and all(len(one["ends"]) == 2 for one in t)')"
	is "$method: what is read is copied from the host first" "in host" \
		"$(plan 's["copies"][0]["buffer"] + " " + s["copies"][0]["from"]')"
done
is "a device that is named has all tasks" "1 1 1" "$(dag --device 1 --json |
	json '" ".join(str(t["device_index"]) for t in x["schedule"]["tasks"])')"
COLUMNS=60 LC_ALL=C dag --gantt >"$scratch/chart"
is "the chart has a line of 60 columns for each device" "60 60" \
	"$(grep -E '^[01] +[].=#a-z[]+$' "$scratch/chart" | awk '{ printf "%s%d", (NR > 1 ? " " : ""), length }')"
check "what is not known is said" grep -q 'not measured: ' "$scratch/chart"
is "the trace has every task" "first left right" "$(dag --trace - |
	json '" ".join(e["name"] for e in x["traceEvents"] if e["ph"] == "X" and e["tid"] % 3 == 0)')"
# two that are ready: the one of higher priority begins, though it stands later
urgent() {
	python3 -c 'import json, sys
first, left, right = json.load(open(sys.argv[1]))
right["priority"] = int(sys.argv[2])
del right["needs"]
print(json.dumps([first, left, right]))' "$scratch/dag.json" "$1" | ctl place --cases - --device 0 --json |
		json '" ".join(t["case"] for t in sorted(x["schedule"]["tasks"], key=lambda t: t["start_s"]))'
}
is "of tasks that are ready, one of higher priority comes first" "first right left" "$(urgent 1)"
is "and one of lower priority last" "first left right" "$(urgent -1)"
wrong() {
	sed "$1" "$scratch/dag.json" | ctl place --cases - "${@:2}"
}
# "first" would need "right"
expect "tasks of which each needs another are named" 1 'a cycle of 3 tasks: task ' \
	wrong 's/"id": "first"/&, "needs": ["right"]/; s/"id": "left"/&, "needs": ["first"]/'
expect "a buffer of two sizes is named" 1 "left: buffer 'a' has 524288 bytes, and 262144 in a case before" \
	wrong 's/262144/524288/3'
expect "an id that there is not is named" 1 "right: 'needs': no case has the id 'lost'" wrong 's/\["left"\]/["lost"]/'
expect "a device that is given twice is refused" 1 'given twice' dag --device 0 --device 0
expect "copies are not asked for besides" 2 'follow from' dag --transfers
# schedules of tasks that depend on each other, whose results are those of one device alone
scheduled() {
	"$@" >"$scratch/schedule" 2>&1 || return 1
	sed 's/^/# /' "$scratch/schedule"
	[ "$(grep -cE 'predicted [0-9.]+ ms, measured [0-9.]+ ms; [0-9]+ tasks on .*, [0-9]+ tasks on' "$scratch/schedule")" = 4 ]
}
scheduled "$EXAMPLES/schedule" 4 && ok "the example schedule runs on both devices" ||
	not_ok "the example schedule runs on both devices: $(tail -n 1 "$scratch/schedule")"
stop_daemon
OCL_ICD_VENDORS=/nonexistent start_daemon
expect "a device that is away has no task" 1 'is away' dag --device "$(json 'x["schedule"]["devices"][0]["device_key"]' <"$scratch/plan.json")"
expect "nor any of several" 4 'calibrated' dag
stop_daemon
start_daemon
expect "both calibrations outlive the daemon" 0 '"total_time_s"' place 65536 --json
finish
