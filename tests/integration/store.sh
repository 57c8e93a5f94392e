#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A store that fails while observations come: locked by another, full. Answers go on and are
# refined, what cannot be kept is said, and what was not kept is once it can be.
. "$SOURCE_ROOT/tests/integration/common.sh"
export OCL_ICD_VENDORS=/nonexistent
launch=("$kernels/copy.cl" --device 0 --global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4M:w)

problem() {
	ctl status --json | json 'x["store_problem"]'
}
count() {
	ctl status --json | json 'x["observations"]'
}
whole() {
	python3 - "$scratch/state/predictd.db" <<'K'
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone()[0])
K
}
# Another program holds the database until the pipe is closed.
lock() {
	coproc LOCK { python3 -c '
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
' "$scratch/state/predictd.db"; }
	read -r _ <&"${LOCK[0]}"
}
unlock() {
	local pid=$LOCK_PID
	eval "exec ${LOCK[1]}>&-"
	wait "$pid"
}

start_daemon
check "a recorded calibration is imported" ctl import "$SOURCE_ROOT/tests/accuracy/data/pocl-2/device.calibration"
static=$(ctl predict "${launch[@]}" --json | json 'x["predictions"][0]["kernel_time_s"]')
slow=$(python3 -c "print(3 * $static)")
check "an observation is kept" ctl observe "${launch[@]}" --time-s "$slow"

lock
ctl observe "${launch[@]}" --time-s "$slow" >"$scratch/observe" 2>&1 &
observing=$!
for _ in $(seq 100); do
	[ "$(count)" = 2 ] && break
	sleep 0.02
done
expect "while the database is locked, questions are answered" 0 'observed by 2 runs' ctl predict "${launch[@]}"
wait $observing
is "an observation that cannot be kept is not acknowledged" 1 $?
# on a busy machine the lock may not be told of before the store is given up
grep -q 'not kept.*\(locked\|does not answer\)' "$scratch/observe" && ok "but refused with the reason" ||
	not_ok "but refused with the reason: $(cat "$scratch/observe")"
expect "which status tells as well" 0 'locked\|does not answer' ctl status
unlock
check "when it is free, the next one is kept" ctl observe "${launch[@]}" --time-s "$slow"
is "and status has no complaint" "" "$(problem)"
stop_daemon KILL
start_daemon
is "and what was refused is kept with it" 3 "$(count)"
stop_daemon

# a limit on the size of files stands for a full disk
(
	ulimit -f 300
	exec "$PREDICTD" --config "$scratch/predictd.conf" >>"$scratch/log" 2>&1
) &
daemon=$!
for _ in $(seq 1200); do
	ctl status >/dev/null 2>&1 && break
	sleep 0.05
done
times=()
for _ in $(seq 16); do
	times+=(--time-s "$slow")
done
refused=0
for size in $(seq 64 64 16384); do
	ctl observe "$kernels/copy.cl" --device 0 --global "$size" --local 64 --arg "buffer:$((4 * size)):r" \
		--arg "buffer:$((4 * size)):w" "${times[@]}" >"$scratch/observe" 2>&1 && continue
	refused=1
	break
done
is "a full disk is told to who reports" 1 $refused
grep -q 'not kept' "$scratch/observe" && ok "with the reason" || not_ok "with the reason: $(cat "$scratch/observe")"
expect "and to who asks for the status" 0 'nothing is kept' ctl status
expect "answers are still given, and refined" 0 'observed by' ctl predict "${launch[@]}"
is "the daemon is the same" running "$(kill -0 "$daemon" 2>/dev/null && echo running)"
stop_daemon
is "and ends well" 0 "$stopped"
is "the database is whole" ok "$(whole)"
start_daemon
known=$(count)
[ "$known" -gt 0 ] && ok "with what was kept before" || not_ok "with what was kept before: $known"
check "and with room again, observations are kept" ctl observe "${launch[@]}" --time-s "$slow"
check "which the log says" grep -q 'store-back before="nothing is kept: ' "$scratch/log"

# what one has acknowledged would be overwritten by another that does not know of it
"$PREDICTD" --config "$scratch/predictd.conf" --socket "$scratch/second.sock" >"$scratch/second.log" 2>&1 &
second=$!
for _ in $(seq 200); do
	# on a busy machine the store may be given up before the lock is
	PREDICTD_SOCKET=$scratch/second.sock problem 2>/dev/null | grep -q 'another predictd' && break
	sleep 0.05
done
PREDICTD_SOCKET=$scratch/second.sock expect "a second daemon with the same state keeps nothing, and says why" 0 \
	'nothing is kept: .*another predictd' ctl status
check "on its terminal as well, with who has the state and what to do" \
	grep -q "nothing is kept: .*another predictd, pid $daemon, .*--state DIR" "$scratch/second.log"
PREDICTD_SOCKET=$scratch/second.sock expect "also to who would have it keep a calibration" 1 \
	'nothing is kept: .*another predictd' ctl import "$SOURCE_ROOT/tests/accuracy/data/pocl-2/device.calibration"
# 3 is for a daemon that cannot be reached
PREDICTD_SOCKET=$scratch/second.sock expect "and to who would have it forget" 1 'store is not open' ctl forget --kernel copy
PREDICTD_SOCKET=$scratch/second.sock expect "or look back" 1 'history: ' ctl history "$kernels/copy.cl" --device 0
check "the first one keeps what it is told" ctl observe "${launch[@]}" --time-s "$slow"
is "and has no complaint" "" "$(problem)"
kill $second
wait $second
is "the second ends well" 0 $?
stop_daemon

# a daemon that is told nothing but the folders of its user: root's are no others
rm -rf "$scratch/state"
mkdir "$scratch/own"
(
	umask 0
	unset PREDICTD_SOCKET
	XDG_RUNTIME_DIR=$scratch/own XDG_STATE_HOME=$scratch/own/state XDG_CONFIG_HOME=$scratch/own/config \
		exec "$PREDICTD" >"$scratch/own.log" 2>&1
) &
daemon=$!
export XDG_RUNTIME_DIR=$scratch/own
unset PREDICTD_SOCKET
for _ in $(seq 1200); do
	ctl status >/dev/null 2>&1 && break
	sleep 0.05
done
is "a daemon without a configuration has its user's socket" "$scratch/own/predictd/predictd.sock" \
	"$(ctl status --json | json 'x["socket"]')"
is "and his state" "$scratch/own/state/predictd" "$(ctl status --json | json 'x["state_directory"]')"
check "where a calibration is kept" ctl import "$SOURCE_ROOT/tests/accuracy/data/pocl-2/device.calibration"
check "in a database" test -f "$scratch/own/state/predictd/predictd.db"
is "that nobody else may read, whatever the umask" "" "$(find "$scratch/own/state" -perm /077)"
stop_daemon

# neither variables nor a home
: >"$scratch/empty.conf"
env -u HOME -u XDG_STATE_HOME "$PREDICTD" --config "$scratch/empty.conf" >"$scratch/homeless.log" 2>&1 &
daemon=$!
for _ in $(seq 1200); do
	ctl status --json 2>/dev/null | grep -q 'no folder is known' && break
	sleep 0.05
done
expect "a daemon without a folder for its state says which variables would name one" 0 \
	'nothing is kept: .*XDG_STATE_HOME nor HOME' ctl status
check "on its terminal, too" grep -q 'nothing is kept: .*--state DIR' "$scratch/homeless.log"
stop_daemon
finish
