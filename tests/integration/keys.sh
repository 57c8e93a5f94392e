#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Devices that come and go between restarts: what a key or an index means to the daemon, to a
# program that stays, and to a process whose own OpenCL lists other devices.
export POCL_DEVICES="pthread basic"
. "$SOURCE_ROOT/tests/integration/common.sh"

# restart DEVICES: PoCL has these then
restart() {
	stop_daemon
	export POCL_DEVICES=$1
	start_daemon
}
of_copy() {
	ctl "$1" "$kernels/copy.cl" --global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4M:w "${@:2}"
}
key_of() {
	ctl devices --json | json "[d['key'] for d in x['devices'] if '$1-' in d['name']][0]"
}
# What one device's calibration says, under the name of the other: which is fit to be asked.
another() {
	"$PYTHON" - "$1" "$2" "$3" "$4" <<'PYTHON'
import hashlib, sys
from predictd import predictd_pb2 as pb
source, to, name, units = sys.argv[1:]
calibration = pb.Calibration.FromString(open(source, "rb").read())
calibration.device.name = name
calibration.device.compute_units = int(units)
calibration.device.key = ""  # as exports were before there were keys
calibration.sha256 = hashlib.sha256(calibration.device.SerializeToString(deterministic=True)).digest()
open(to, "wb").write(calibration.SerializeToString(deterministic=True))
PYTHON
}

start_calibrated
# PoCL 4 has the one that it called pthread as cpu, and the other as cpu-minimal
called=$(ctl devices --json | json '" ".join(sorted(d["name"].split("-")[0] for d in x["devices"]))')
if [ "$called" != "basic pthread" ]; then
	ok "two devices of PoCL 3 # SKIP this driver has: $called"
	finish
fi
pthread=$(key_of pthread)
basic=$(key_of basic)
[ "$pthread" != "$basic" ] && [[ $pthread$basic =~ ^[!-~]*$ ]] && ok "each device has a key" ||
	not_ok "each device has a key: $pthread $basic"
expect "which the table shows" 0 "$pthread" ctl devices
from=$(ctl devices --json | json '[d["key"] for d in x["devices"] if d["calibrated"]][0]')
check "a calibration is exported by key" ctl export "$from" "$scratch/one"
is "which stands in it" "$from" "$("$PYTHON" -c 'import sys; from predictd import predictd_pb2 as pb
print(pb.Calibration.FromString(open(sys.argv[1], "rb").read()).device.key)' "$scratch/one")"
for device in pthread basic; do
	name=$(ctl devices --json | json "[d['name'] for d in x['devices'] if '$device-' in d['name']][0]")
	units=$(ctl devices --json | json "[d['compute_units'] for d in x['devices'] if '$device-' in d['name']][0]")
	another "$scratch/one" "$scratch/$device" "$name" "$units"
	check "an export without a key serves $device" ctl import "$scratch/$device"
done
is "and gets that of the device" "$basic" "$(key_of basic)"

# ---- a program that stays ----------------------------------------------------------------------
index() {
	ctl devices --json | json "[d['index'] for d in x['devices'] if d['key'] == '$1'][0]"
}
ask_asker() {
	printf '%s\n' "$1" >&"${asker[1]}"
	read -r -t 60 said <&"${asker[0]}" || said="the asker is gone"
}
second=$(index "$pthread")
coproc asker { "$ASKER" "$kernels/copy.cl" copy 2>"$scratch/asker.err"; }
ask_asker "ask $second"
is "an index means what the list says" "$pthread" "${said%% *}"
restart pthread
is "after a restart it is another device's" 0 "$(index "$pthread")"
ask_asker "ask $second"
is "but not to a program that has asked with it" "$pthread" "${said%% *}"
restart basic
ask_asker "ask $second"
is "nor while its device is away" "$pthread the device is away" "$said"
ask_asker "estimate $second"
[[ $said =~ ^[0-9.e+-]+$ ]] && ok "nor by the way of schedulers" || not_ok "nor by the way of schedulers: $said"
before=$(ctl status --json | json 'x["observations"]')
ask_asker "report $second"
is "a time that is told is taken" kept "$said"
is "for that device" 1 "$(of_copy history --device "$pthread" --json | json 'x["total"]')"
is "and no other" 0 "$(of_copy history --device "$basic" --json | json 'x["total"]')"
is "being one more" $((before + 1)) "$(ctl status --json | json 'x["observations"]')"
restart pthread
ask_asker "estimate 1"
ask_asker list
is "who lists anew" 2 "$said"
ask_asker "ask 1"
is "means what that list says" "$basic the device is away" "$said"
ask_asker "estimate 1"
estimate=$said
ask_asker "estimate $basic"
is "also where an answer was kept" "$said" "$estimate"
ask_asker "ask 0"
is "of each index" "$pthread " "$said "
exec {asker[1]}>&-

# ---- away -------------------------------------------------------------------------------------
restart basic
is "the one away is listed" "$basic $pthread" "$(ctl devices --json | json '" ".join(d["key"] for d in x["devices"])')"
expect "as away" 0 'pthread.*away' ctl devices
is "the default device is here" "$basic" "$(of_copy predict --json | json 'x["predictions"][0]["device_key"]')"
is "and so is the fastest" "$basic" "$(of_copy place --json | json 'x["placements"][0]["device_key"]')"
is "also among both" "$basic" "$(of_copy place --device "$basic" --device pthread --json | json 'x["placements"][0]["device_key"]')"
expect "the one away cannot be it" 1 "place: device .*($pthread) is away" of_copy place --device pthread
expect "it is predicted for, with a note" 0 'the device is away' of_copy predict --device pthread
expect "and not calibrated" 1 'calibrate: device .* is away' ctl calibrate "$pthread" --quick
expect "nor measured on" 1 'is away' of_copy measure --device pthread
for bad in name:0000000000000000 "uuid:$(printf 'f%.0s' {1..40000})" $'name:\e[31m' 4294967296 -1; do
	expect "no device is ${bad:0:20}" 1 'want one of' of_copy predict --device "$bad"
done

# ---- a process that has other devices ------------------------------------------------------------
restart "pthread basic"
second=$(index "$pthread")
measure() {
	POCL_DEVICES=$1 of_copy measure --runs 5 --budget 0.2 --observe "${@:2}"
}
total() {
	of_copy history --device "$1" --json | json 'x["total"]'
}
before="$(total "$pthread") $(total "$basic")"
check "a device is measured whatever its place" measure pthread --device "$second"
is "and reported as itself" "$((${before% *} + 1)) ${before#* }" "$(total "$pthread") $(total "$basic")"
check "by its key" measure pthread --device "$pthread"
is "as well" "$((${before% *} + 2)) ${before#* }" "$(total "$pthread") $(total "$basic")"
expect "one that this process does not have is not replaced" 1 "no OpenCL device of this process has the key '$pthread'" \
	measure basic --device "$second"
expect "nor by what stands first" 1 "no OpenCL device of this process has the key '$basic'" measure pthread --device "$basic"
is "and nothing was reported" "$((${before% *} + 2)) ${before#* }" "$(total "$pthread") $(total "$basic")"
expect "an index that the daemon does not know is not this process's" 1 'knows no device 7' measure pthread --device 7
expect "nor is a part of several names" 1 "more than one device has 'p'" measure "pthread basic" --device p
alone() {
	PREDICTD_SOCKET=/nonexistent POCL_DEVICES="pthread basic" of_copy measure --runs 5 --budget 0.1 "$@"
}
check "without a daemon an index is this process's" alone --device 1
check "a key is the same" alone --device "$basic"
expect "and part of several names none" 1 "device 'p': is part of 2 names, want one of 0 (" alone --device p
POCL_DEVICES=pthread "$OPENCL_DEVICES" >"$scratch/found" 2>&1
is "a cl_device_id has the index and the key of its device" "$second $pthread" "$(cut -f1,2 "$scratch/found" | tr '\t' ' ')"

# ---- removed -------------------------------------------------------------------------------------
restart basic
expect "the calibration of the one away is taken away, with what was observed on it" 0 \
	"$pthread: 1 calibration removed, 3 observations forgotten" ctl remove pthread
is "and it is not listed any more" "$basic" "$(ctl devices --json | json '" ".join(d["key"] for d in x["devices"])')"
of_copy observe --device "$basic" --time-s 0.001 >/dev/null
known=$(ctl status --json | json 'x["observations"]')
if let_others_ask; then
	chmod 666 "$PREDICTD_SOCKET"
	expect "that takes an admin" 1 'remove needs root' as 12345 12345 "" remove "$basic"
else
	ok "that takes an admin # SKIP to be another user takes root"
fi
expect "one that is here loses it by index" 0 '"calibrations": 1' ctl remove 0 --json
expect "and is not calibrated then" 4 'calibrate' of_copy predict
expect "which cannot be done twice" 1 'has no calibration' ctl remove basic
is "what was observed on it stays" "$known" "$(ctl status --json | json 'x["observations"]')"
ctl import "$scratch/basic" >/dev/null
expect "and counts when it is calibrated again" 0 'observed by' of_copy predict
restart basic
is "all of that outlives the daemon" "$basic" "$(ctl devices --json | json '" ".join(d["key"] for d in x["devices"] if d["calibrated"])')"

# ---- equals ---------------------------------------------------------------------------------------
restart "basic basic"
is "equals have keys of their own" "$basic $basic.1" "$(ctl devices --json | json '" ".join(d["key"] for d in x["devices"])')"
expect "a name that both have is refused, with their indices" 1 'names, want one of 0 (basic.*), 1 (basic' of_copy predict --device basic
is "by key each can be meant" "$basic.1" "$(of_copy predict --device "$basic.1" --json | json 'x["predictions"][0]["device_key"]')"

# ---- a database of before there were keys --------------------------------------------------------
stop_daemon
rm -rf "$scratch/state"
mkdir "$scratch/state"
"$PYTHON" -c 'import sqlite3, sys; sqlite3.connect(sys.argv[2]).executescript(open(sys.argv[1]).read())' \
	"$SOURCE_ROOT/tests/unit/store/schema_4.sql" "$scratch/state/predictd.db"
start_daemon
expect "whose compiler nobody asked: what their versions tell is assumed" 0 \
	'language: OpenCL C [0-9.]* by default, .*assumed from the device.s version$' ctl devices --verbose
expect "its devices have keys" 0 'NVIDIA H200.*away.*name:[0-9a-f]*$' ctl devices
expect "its observations are of them" 0 '2 observations forgotten' ctl forget --device H200
finish
