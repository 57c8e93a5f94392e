#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Signals, two clients at once, and child processes that die.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_calibrated

# the pid of a child of the daemon by program name
child() {
	pgrep -P "$daemon" -f "$1" | head -n 1
}

# logged WORDS: they stand in the log, by and by.
logged() {
	for _ in $(seq 400); do
		grep -q -- "$1" "$scratch/log" && return 0
		sleep 0.05
	done
	return 1
}

ask_many() {
	local i
	for i in $(seq 20); do
		ask --json >"$scratch/many.$1" 2>&1 || return 1
	done
}
ask_many one & first=$!
ask_many two & second=$!
wait $first && ok "one of two clients at once gets its answers" || not_ok "one of two clients at once gets its answers"
wait $second && ok "and so does the other" || not_ok "and so does the other"
check "both the same" cmp "$scratch/many.one" "$scratch/many.two"

write_config 'log_level = debug'
kill -HUP "$daemon"
check "a configuration that is read again is logged" logged 'info reloaded'
expect "SIGHUP re-reads the configuration and the daemon goes on" 0 . ask
printf '[daemon]\nnonsense = 1\n' >"$scratch/predictd.conf"
kill -HUP "$daemon"
check "the key of a broken one is named" logged nonsense
expect "a broken configuration at SIGHUP does not stop it" 0 . ask
write_config

new_source() {
	printf 'kernel void k(global float *x) { x[get_global_id(0)] *= %d.0f; }\n' "$1" >"$scratch/new.cl"
	ctl predict "$scratch/new.cl" --device 0 --global 1024 --local 64 --arg buffer:4K
}
expect "a new source is analysed" 0 . new_source 1
zygote=$(child predictd-analyser)
if [ -n "$zygote" ]; then
	kill -KILL "$zygote"
	recovered=no
	for i in $(seq 2 400); do
		new_source "$i" >/dev/null 2>&1 && recovered=yes && break
		sleep 0.1
	done
	[ $recovered = yes ] && ok "a killed analyser is started again" || not_ok "a killed analyser is started again"
	again=$(child predictd-analyser)
	[ -n "$again" ] && [ "$again" != "$zygote" ] && ok "as another process" || not_ok "as another process: $zygote, $again"
else
	not_ok "the analyser is a child of the daemon"
fi

"$PREDICTCTL" calibrate 0 --quick >"$scratch/calibrate.out" 2>&1 &
calibrating=$!
calibrator=
for _ in $(seq 400); do
	calibrator=$(child predictd-calibrator)
	[ -n "$calibrator" ] && break
	sleep 0.05
done
if [ -n "$calibrator" ]; then
	sleep 0.5
	kill -KILL "$calibrator" 2>/dev/null
	wait $calibrating
	status=$?
	[ $status -eq 1 ] && ok "a killed calibrator is reported as a failure" ||
		{ not_ok "a killed calibrator is reported as a failure: status $status"; sed 's/^/# /' "$scratch/calibrate.out"; }
else
	wait $calibrating
	not_ok "the calibrator is a child of the daemon"
fi
expect "the old calibration stays" 0 . ask

"$PREDICTCTL" calibrate 0 --quick >"$scratch/calibrate.out" 2>&1 &
calibrating=$!
for _ in $(seq 400); do
	[ -n "$(child predictd-calibrator)" ] && break
	sleep 0.05
done
expect "predictions go on while a device is calibrated" 0 . ask
stop_daemon TERM
[ $stopped -eq 0 ] && ok "SIGTERM during a calibration ends the daemon with 0" || not_ok "SIGTERM during a calibration ends the daemon with 0: got $stopped"
wait $calibrating
[ $? -ne 0 ] && ok "and the waiting client is told" || not_ok "and the waiting client is told"
[ ! -S "$PREDICTD_SOCKET" ] && ok "no socket stays behind" || not_ok "no socket stays behind"
start_daemon
expect "the calibration of before is still there" 0 . ask

kill -KILL "$daemon"
wait "$daemon" 2>/dev/null
daemon=
expect "a killed daemon is reported as away" 3 . ask
start_daemon
expect "a killed daemon starts again over its socket, and nothing is lost" 0 . ask
"$PREDICTD" --config "$scratch/predictd.conf" >"$scratch/second.log" 2>&1
[ $? -ne 0 ] && ok "a second daemon on the same socket refuses to start" || not_ok "a second daemon on the same socket refuses to start"
expect "and leaves the first alone" 0 . ask
stop_daemon

printf '[limits]\nconnections = many\n' >"$scratch/bad.conf"
expect "--check-config names file, line and key" 1 'bad.conf:2.*connections' "$PREDICTD" --config "$scratch/bad.conf" --check-config
expect "and accepts a good one" 0 '' "$PREDICTD" --config "$scratch/predictd.conf" --check-config
finish
