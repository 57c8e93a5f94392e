#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The daemon as a service: the manager's notifications, the journal, users and their groups.
. "$SOURCE_ROOT/tests/integration/common.sh"

# Writes down each datagram that arrives at a socket, one a line.
listen() {
	python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
with open(sys.argv[2], "w", buffering=1) as out:
    while True:
        out.write(s.recv(65536).decode(errors="replace").replace("\n", " ") + "\n")
' "$1" "$2" &
	for _ in $(seq 1200); do
		[ -S "$1" ] && return 0
		sleep 0.05
	done
}

# wait_for WORDS FILE
wait_for() {
	for _ in $(seq 1200); do
		grep -q -- "$1" "$2" 2>/dev/null && return 0
		sleep 0.05
	done
	return 1
}

listen "$scratch/notify" "$scratch/notified"
listener=$!
export NOTIFY_SOCKET=$scratch/notify WATCHDOG_USEC=200000
start_daemon
check "READY=1 is told to the manager" wait_for '^READY=1' "$scratch/notified"
check "the watchdog is fed" wait_for '^WATCHDOG=1' "$scratch/notified"
kill -HUP "$daemon"
check "a reload is told, with its time" wait_for '^RELOADING=1 MONOTONIC_USEC=[0-9]' "$scratch/notified"
stop_daemon
check "and so is the end" wait_for '^STOPPING=1' "$scratch/notified"
[ "$stopped" -eq 0 ] && ok "which is a good one" || not_ok "which is a good one: $stopped"
kill $listener
wait $listener 2>/dev/null
unset NOTIFY_SOCKET WATCHDOG_USEC

# standard error claims to be the journal; there is one where systemd runs
: >"$scratch/log"
export JOURNAL_STREAM
JOURNAL_STREAM=$(stat -c %d:%i "$scratch/log")
start_daemon
stop_daemon
if [ -S /run/systemd/journal/socket ]; then
	[ ! -s "$scratch/log" ] && ok "events go to the journal" || not_ok "events go to the journal"
else
	check "events that the journal does not take stand on standard error" grep -q 'info started' "$scratch/log"
fi
unset JOURNAL_STREAM

if ! let_others_ask; then
	ok "members of the admin group may calibrate # SKIP to be other users takes root"
	finish
fi
group=$(getent group users | cut -d: -f1)
gid=$(getent group users | cut -d: -f3)
write_config 'socket_mode = 0666' "admin_group = $group"
start_daemon
expect "who is in no group may not calibrate" 1 'admin group' as 65534 65534 "" calibrate 999
expect "a member of the admin group may" 1 'device 999' as 65534 65534 "$gid" calibrate 999
expect "and whose own group it is may, too" 1 'device 999' as 65534 "$gid" "" calibrate 999
expect "everybody may ask" 0 . as 65534 65534 "" devices
finish
