#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Devices in every state: not calibrated, away, quick, stale, busy, with a calibration that had no time for all:
# what each command says of them.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_daemon
h200=$SOURCE_ROOT/tests/accuracy/data/h200/device.calibration
cat >"$scratch/k.cl" <<'K'
kernel void k(global float *a, float s) { a[get_global_id(0) * 16] *= s * 2.0; }
K
launch=("$scratch/k.cl" --global 65536 --local 64 --arg buffer:4M --arg float:2)

expect "a device that was never calibrated is listed so" 0 'not calibrated' ctl devices
expect "doctor wants it calibrated" 1 'problem *calibration .*is not calibrated' ctl doctor
for command in predict sweep advise report split place; do
	expect "$command: it cannot be asked, and what to do" 4 'not calibrated: type .predictctl calibrate' ctl $command "${launch[@]}" --device 0
	expect "$command: none is chosen" 4 'calibrated' ctl $command "${launch[@]}"
done

ctl import "$h200" >"$scratch/import" || bail "no import"
expect "a device that is away is listed so" 0 'NVIDIA H200.*away' ctl devices
for command in predict sweep advise; do
	expect "$command: it is predicted for where it is named" 0 '' ctl $command "${launch[@]}" --device H200
done
expect "report says so" 0 'away' ctl report "${launch[@]}" --device H200
for command in predict sweep advise report; do
	expect "$command: it is not chosen" 4 'calibrated' ctl $command "${launch[@]}"
done
for command in sweep advise report; do
	expect "$command says that it may be named" 4 'NVIDIA H200, which is away, takes --device' ctl $command "${launch[@]}"
done

if [ -s "$CALIBRATION" ]; then
	ctl import "$CALIBRATION" >"$scratch/import"
else
	ctl calibrate 0 --quick >"$scratch/import" 2>&1
fi || bail "no calibration: $(cat "$scratch/import")"
for command in predict sweep advise; do
	expect "$command says which of two it asked" 0 '^on device 0, .*; --device asks another' ctl $command "${launch[@]}"
	expect "$command does not where one is named" 0 '' ctl $command "${launch[@]}" --device 0
	check "for nothing is to be said" test -z "$(grep 'asks another' "$scratch/out")"
done
expect "JSON has nothing but JSON" 0 '^ "advice"' ctl advise --json "${launch[@]}"

# state COLUMN=VALUE...: of the calibration of device 0, as the store keeps it
state() {
	stop_daemon
	python3 - "$scratch/state/predictd.db" "$@" <<'P'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store:
    for one in sys.argv[2:]:
        name, value = one.split("=", 1)
        done = store.execute(f"UPDATE calibration SET {name} = ? WHERE device_id IN (SELECT id FROM device WHERE name NOT LIKE '%H200%')", (value,))
        assert done.rowcount > 0
P
	start_daemon
}
state driver=older doubts=$'There was no time for images.\nThe L2 cache is slower than memory.' was_busy=1 is_quick=1
expect "devices says all of a calibration" 0 'quick, stale, busy' ctl devices
check "and what it doubts" test -n "$(grep '^0: doubted: There was no time for images' "$scratch/out")"
expect "as does --verbose" 0 'doubted: The L2 cache is slower' ctl devices --verbose
expect "doctor, too" 1 'its driver changed since it was calibrated' ctl doctor
check "with what is doubted" test -n "$(grep 'doubted: There was no time for images' "$scratch/out")"
for command in predict sweep measure; do
	expect "$command says that it is of another driver" 0 "driver changed since it was calibrated" ctl $command "${launch[@]}" --device 0
done
expect "report says both" 0 'driver changed since' ctl report "${launch[@]}" --device 0
check "of its device" test -n "$(grep 'doubted: There was no time for images' "$scratch/out")"

finish
