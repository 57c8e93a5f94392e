#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What PoCL's two devices, which share their cores, do to each other: measured, kept, used, removed.
export POCL_DEVICES="pthread basic"
. "$SOURCE_ROOT/tests/integration/common.sh"
start_daemon

mapfile -t keys < <(ctl devices --json | python3 -c 'import json, sys
for device in json.load(sys.stdin)["devices"]:
    print(device["key"])')
if [ ${#keys[@]} != 2 ]; then
	printf '1..0 # SKIP want PoCL with two devices, have %d\n' ${#keys[@]}
	exit
fi

# calibrations that were recorded elsewhere serve: pairs alone are measured here
for recorded in pocl-2 pocl-16; do
	ctl import "$SOURCE_ROOT/tests/accuracy/data/$recorded/device.calibration" >"$scratch/import" ||
		bail "$recorded: no import"
done
for key in "${keys[@]}"; do
	ctl devices --json | json '[d["key"] for d in x["devices"] if d["calibrated"] and d["key"] == "'"$key"'"]' |
		grep -q "$key" && continue
	ctl calibrate "$key" --quick >"$scratch/calibrated" 2>&1 || bail "$key: no calibration"
	ctl export "$key" "$CALIBRATION.other" >"$scratch/export" || bail "$key: no export"
done
known() {
	ctl devices --json | json '[p["known"] for p in x["pairs"] if set(p["device_keys"]) == {"'"${keys[0]}"'", "'"${keys[1]}"'"}]'
}
check "nothing is known at first" test "$(known)" = '[False]'
expect "and that is said of both" 0 'not measured together' ctl devices
expect "a pair takes two devices" 1 'want two devices' ctl calibrate --pairs 0 0
expect "a device that there is not is refused" 1 "no device 'abacus'" ctl calibrate --pairs abacus 0
expect "two devices are no calibration" 2 'want \[DEVICE' ctl calibrate 0 1
begin=$(date +%s)
expect "two devices are measured together" 0 'together: ' ctl calibrate --pairs
printf '# measured in %d s\n' $(($(date +%s) - begin))
check "they are known" test "$(known)" = '[True]'
ctl devices --json >"$scratch/devices.json"
factors=$(json '[r[a][b] for p in x["pairs"] if p["known"] for r in p["slowdowns"] for a in r for b in r[a]]' \
	<"$scratch/devices.json")
check "there are 18 factors of 1 or more" test "$(json 'len(x) == 18 and min(x) >= 1' <<<"$factors")" = True
if [ "$(nproc)" -le 2 ]; then
	# three threads at work on two processors
	compute=$(json 'max(r["compute"]["compute"] for p in x["pairs"] if p["known"] for r in p["slowdowns"])' \
		<"$scratch/devices.json")
	check "devices that share cores slow each other down at arithmetic" \
		test "$(python3 -c "print($compute > 1.1)")" = True
	printf '# by %s\n' "$compute"
fi

stop_daemon
start_daemon
check "it is known after a restart" test "$(known)" = '[True]'
away=$(ctl devices --json | json '[d["key"] for d in x["devices"] if not d["present"]]')
printf '# away: %s\n' "$away"

split() {
	ctl split "$kernels/copy.cl" --global 65536 --local 64 --arg buffer:256K:r --arg buffer:256K:w \
		--split 0 --split 1 "$@"
}
expect "a split says what it assumed" 0 'assumed: devices slow each other down as was measured' \
	split --device "${keys[0]}" --device "${keys[1]}"
split --device "${keys[0]}" --device "${keys[1]}" --json >"$scratch/split.json"
check "to programs as well" test "$(json 'x["contention_known"] and x["contention"][0]["known"]' \
	<"$scratch/split.json")" = True
gone=$(json 'x[0] if x else ""' <<<"${away//\'/\"}")
here=$(ctl devices --json | json '[d["key"] for d in x["devices"] if d["calibrated"] and d["present"]][0]')
if [ -n "$gone" ] && [ -n "$here" ]; then
	expect "with a device that is away nothing is known" 0 'not measured: ' \
		split --device "$here" --device "$gone"
	expect "it cannot be measured, either" 1 'is away' ctl calibrate --pairs 0 "$gone"
fi
# both devices, and what they do to each other, on a node without them
for i in 0 1; do
	ctl export "${keys[$i]}" "$scratch/$i.calibration" >"$scratch/export" || bail "no export of ${keys[$i]}"
done
stop_daemon
mv "$scratch/state" "$scratch/state.here"
OCL_ICD_VENDORS=/nonexistent start_daemon
for i in 0 1; do
	expect "a calibration with a pair is imported" 0 'imported' ctl import "$scratch/$i.calibration"
done
check "what the two do to each other is known there" test \
	"$(ctl devices --json | json '[p["known"] for p in x["pairs"]]')" = '[True]'
expect "and used" 0 'assumed: devices slow each other down as was measured' \
	split --device "${keys[0]}" --device "${keys[1]}"
stop_daemon
rm -rf "$scratch/state"
mv "$scratch/state.here" "$scratch/state"
start_daemon
ctl remove "${keys[0]}" >"$scratch/removed"
check "a pair goes with a device" test "$(known)" = '[False]'
ctl doctor >"$scratch/doctor" || true
check "doctor warns of pairs" grep -q '^warning *pairs ' "$scratch/doctor"
finish
