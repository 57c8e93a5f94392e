#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What whoever runs a node does: waits for the first calibration, looks, reloads, backs up, restores.
. "$SOURCE_ROOT/tests/integration/common.sh"
launch=("$kernels/copy.cl" --device 0 --global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4M:w)
fake=$BUILD_ROOT/daemon/analyser:$BUILD_ROOT/tests/unit/daemon
recorded=$SOURCE_ROOT/tests/accuracy/data/pocl-2/device.calibration

# ---- waitsync
expect "without a daemon, there is nothing to wait for" 3 'predictd' ctl waitsync
expect "a time that is none is refused" 2 'want a time' ctl waitsync --timeout soon
PREDICTD_LIBEXECDIR=$fake FAKE_CALIBRATOR=well start_daemon
expect "nothing calibrates devices where the configuration says never" 4 \
	'nothing will calibrate Fake alpha (not calibrated), Fake beta' ctl waitsync
check "one is calibrated" ctl calibrate 0 --quick
expect "the other one is still waited for in vain" 4 'nothing will calibrate Fake beta' ctl waitsync
check "so is the other" ctl calibrate 1 --quick
expect "then nothing is waited for" 0 '^2 devices are calibrated' ctl waitsync
expect "which programs read, too" 0 '"devices": 2' ctl waitsync --json
stop_daemon
PREDICTD_LIBEXECDIR=$fake FAKE_CALIBRATOR=none start_daemon
expect "a node without devices is told of" 1 'no OpenCL device' ctl waitsync
stop_daemon
rm -rf "$scratch/state"
# others may use this machine: then the daemon waits, and says so; else it wants five seconds of quiet
printf '[daemon]\nsocket = %s\nstate = %s\n' "$PREDICTD_SOCKET" "$scratch/state" >"$scratch/predictd.conf"
PREDICTD_LIBEXECDIR=$fake FAKE_CALIBRATOR=well start_daemon
expect "a first question says what to type" 4 'once the node is quiet: .predictctl waitsync.' ctl predict "${launch[@]}"
if ctl waitsync --timeout 15 >"$scratch/waited" 2>"$scratch/waiting"; then
	check "devices are calibrated by themselves" grep -q '^2 devices are calibrated' "$scratch/waited"
	check "what is waited for is said" grep -q '^waiting for Fake alpha (' "$scratch/waiting"
	expect "and a question is answered" 0 . ctl predict "${launch[@]}"
else
	check "waiting ends with the time, and says what for" grep -q 'the time is up: .*waits for' "$scratch/waiting"
	ok "devices are calibrated by themselves # SKIP others use this machine"
	ok "and a question is answered # SKIP others use this machine"
fi
stop_daemon
rm -rf "$scratch/state"
PREDICTD_LIBEXECDIR=$fake FAKE_CALIBRATOR=hang start_daemon
expect "a calibration that does not end is waited for no longer than was said" 4 'the time is up: Fake alpha (' \
	ctl waitsync --timeout 1
stop_daemon
rm -rf "$scratch/state"

# ---- reload
write_config 'log_level = warning'
export OCL_ICD_VENDORS=/nonexistent
start_daemon
check "nothing is logged of clients" test "$(grep -c session-opened "$scratch/log")" = 0
write_config 'log_level = debug'
kill -HUP "$daemon"
for _ in $(seq 100); do
	ctl status >/dev/null
	grep -q session-opened "$scratch/log" && break
	sleep 0.05
done
check "a log level holds from a reload on" grep -q session-opened "$scratch/log"

# ---- looking
check "a recorded calibration is imported" ctl import "$recorded"
check "a kernel is asked about" ctl predict "${launch[@]}"
check "and observed" ctl observe "${launch[@]}" --time-s 3ms --time-s 3.1ms
expect "kernels are listed with what they cost" 0 '^copy  *[1-9][0-9]*  *1  *1  *[0-9.]* ' ctl kernels
is "programs read the same" "copy 1 1" \
	"$(ctl kernels --json | json '" ".join(str(x["kernels"][0][k]) for k in ("name", "launches", "users"))')"
expect "and tables, too" 0 '^copy,[1-9][0-9]*,1,1,' ctl kernels --csv
expect "users are listed" 0 "^$(id -un) .*" ctl users
is "with what is kept of them" 1 "$(ctl users --json | json 'x["users"][0]["launches"]')"
expect "and how often they ask" 0 "^$(id -u),1,[1-9]" ctl users --csv
if let_others_ask; then
	chmod 666 "$PREDICTD_SOCKET"
	is "who has asked nothing sees no kernel" '[]' "$(as 12345 12345 "" kernels --json | json 'x["kernels"]')"
	is "and himself alone" '[12345]' "$(as 12345 12345 "" users --json | json '[u["uid"] for u in x["users"]]')"
else
	ok "who has asked nothing sees no kernel # SKIP to be another user takes root"
	ok "and himself alone # SKIP to be another user takes root"
fi
expect "top shows one frame where no terminal reads it" 0 '^copy  *name:.* 1$' ctl top --interval 100ms
is "with the daemon, requests, kernels, devices and users" "1 1 1 1 1" \
	"$(for word in predictd: request kernel device user; do grep -c "^$word " "$scratch/out"; done | paste -sd ' ')"
(while ctl status; do :; done) >/dev/null 2>&1 &
asking=$!
ctl top --interval 500ms --json >"$scratch/top"
kill $asking
wait $asking 2>/dev/null
is "rates are of what was asked meanwhile" True \
	"$(json 'any(r["request"] == "status" and r["per_s"] > 0 and 0 < r["median_s"] <= r["p99_s"] for r in x["requests"])' <"$scratch/top")"
is "as many frames as are wanted" 3 "$(ctl top --interval 100ms --count 3 | grep -c '^predictd: ')"
is "also of status" 2 "$(ctl status --watch --interval 100ms --count 2 | grep -c '^running for')"
expect "an interval that is none is refused" 2 'want a time of 100ms to 1h' ctl top --interval 1us
expect "and so is a count" 2 'want 1 or more' ctl top --count 0
check "all of it is forgotten" ctl forget --all

# ---- backup
check "times are observed" ctl observe "${launch[@]}" --time-s 3ms --time-s 3.1ms
refined=$(ctl predict "${launch[@]}" --json | json 'x["predictions"][0]["kernel_time_s"]')
expect "a backup is made while the daemon runs" 0 "^$scratch/kept.db: " ctl backup "$scratch/kept.db"
is "nobody else may read it" 600 "$(stat -c %a "$scratch/kept.db")"
is "it is a whole database" ok "$(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])' "$scratch/kept.db")"
is "the daemon keeps no copy of it" "" "$(find "$scratch/state" -name '*backup*')"
expect "programs are told its size" 0 '"bytes": [0-9]' ctl backup "$scratch/kept.db" --json
expect "a folder that is not there is told of" 1 'No such file' ctl backup "$scratch/nowhere/kept.db"
expect "so is one that takes no files" 1 '/proc/kept.db: ' ctl backup /proc/kept.db
is "and leaves nothing behind" "" "$(find "$scratch" -name 'kept.db.*')"
if let_others_ask; then
	chmod 666 "$PREDICTD_SOCKET"
	expect "a backup takes an admin" 1 'backup needs root' as 12345 12345 "" backup /tmp/none
else
	ok "a backup takes an admin # SKIP to be another user takes root"
fi
# one that is made while observations come has what was acknowledged before it
(
	for _ in $(seq 40); do
		ctl observe "${launch[@]}" --time-s 3ms >>"$scratch/acknowledged" 2>&1 || exit 1
	done
) &
observing=$!
before=$(wc -l <"$scratch/acknowledged" 2>/dev/null || printf 0)
for _ in 1 2 3 4 5; do
	ctl backup "$scratch/busy.db" >/dev/null || failures=$((failures + 1))
done
wait $observing
is "observations go on meanwhile" 0 $?

# ---- restore
expect "a folder that a daemon has is not restored" 1 'another predictd' ctl restore "$scratch/kept.db" "$scratch/state"
check "what was kept is changed" ctl forget --all
is "nothing is known then" 0 "$(ctl status --json | json 'x["observations"]')"
stop_daemon
expect "what is no backup is refused" 1 'copy.cl: no backup of predictd' ctl restore "$kernels/copy.cl" "$scratch/state"
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("CREATE TABLE t (x)")' "$scratch/other.db"
expect "so is another program's database" 1 'other.db: no backup of predictd' \
	ctl restore "$scratch/other.db" "$scratch/state"
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version = 9999")' "$scratch/busy.db"
expect "and one of a newer predictd" 1 'newer predictd' ctl restore "$scratch/busy.db" "$scratch/state"
head -c 9000 "$scratch/kept.db" >"$scratch/half.db"
expect "and half of one" 1 'half.db' ctl restore "$scratch/half.db" "$scratch/state"
is "which leaves nothing behind" "" "$(find "$scratch/state" -name '*restoring*')"
expect "a folder that is not there is named" 1 'nowhere' ctl restore "$scratch/kept.db" "$scratch/nowhere"
expect "a backup is restored" 0 'is restored; what it was lies beside it as .*replaced-' \
	ctl restore "$scratch/kept.db" "$scratch/state"
is "as its owner's alone" 600 "$(stat -c %a "$scratch/state/predictd.db")"
start_daemon
is "what was observed is known again" 2 "$(ctl status --json | json 'x["observations"]')"
is "and answers are as they were" "$refined" \
	"$(ctl predict "${launch[@]}" --json | json 'x["predictions"][0]["kernel_time_s"]')"
stop_daemon
mkdir "$scratch/fresh"
expect "an empty folder takes it, too" 0 'is restored$' ctl restore "$scratch/kept.db" "$scratch/fresh"
finish
