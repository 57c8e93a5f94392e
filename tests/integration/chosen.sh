#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Several daemons: which one clients choose, and that `predictctl doctor` shows each and says why.
# The system's own is asked in tests/service.
. "$SOURCE_ROOT/tests/integration/common.sh"
export OCL_ICD_VENDORS=/nonexistent
other=$PREDICTD_SOCKET
own=$XDG_RUNTIME_DIR/predictd/predictd.sock

# sockets [OPTION]...: what doctor says of sockets, one a line: "+" where that is no problem.
sockets() {
	ctl doctor --json "$@" | json '"\n".join(
		("+ " if f["ok"] else "- ") + f["finding"] for f in x["findings"] if f["what"] == "socket")' |
		grep -v '^+ /run/predictd/' | sed "s|$scratch/||g"
}

# chosen [OPTION]...: whose status it is.
chosen() {
	ctl status --json "$@" | json 'x["socket"]'
}

start_daemon
is "PREDICTD_SOCKET names one" "+ run/predictd.sock: of PREDICTD_SOCKET, answers; chosen, as the variable names it" "$(sockets)"
first=$daemon

# as its user starts it: no configuration, nothing named
unset PREDICTD_SOCKET
mkdir -p "$XDG_CONFIG_HOME/predictd"
printf '[calibration]\nat_start = never\n' >"$XDG_CONFIG_HOME/predictd/predictd.conf"
"$PREDICTD" >>"$scratch/log" 2>&1 &
daemon=$!
for _ in $(seq 600); do
	ctl status --socket "$own" >/dev/null 2>&1 && break
	sleep 0.1
done
is "a user's own daemon is chosen" "$own" "$(chosen)"
is "doctor says so" "+ home/run/predictd/predictd.sock: your own daemon's, answers; chosen, as your own precedes the system's" \
	"$(sockets)"
is "it keeps its state apart" "$XDG_STATE_HOME/predictd" "$(ctl status --json | json 'x["state_directory"]')"
export PREDICTD_SOCKET=$other
is "PREDICTD_SOCKET precedes it" "$other" "$(chosen)"
is "doctor says so, and shows both" \
	"+ run/predictd.sock: of PREDICTD_SOCKET, answers; chosen, as the variable names it
+ home/run/predictd/predictd.sock: your own daemon's, answers" "$(sockets)"
is "--socket precedes both" "$own" "$(chosen --socket "$own")"
is "doctor says so, too" \
	"+ home/run/predictd/predictd.sock: of --socket, answers; chosen, as it was named
+ run/predictd.sock: of PREDICTD_SOCKET, answers" "$(sockets --socket "$own")"
export PREDICTD_SOCKET=$own
is "one that is named twice is shown once" \
	"+ run/predictd.sock: of --socket, answers; chosen, as it was named
+ home/run/predictd/predictd.sock: of PREDICTD_SOCKET, answers" "$(sockets --socket "$other")"
export PREDICTD_SOCKET=$scratch/nowhere.sock
is "one that is named and not there is shown" \
	"+ nowhere.sock: of PREDICTD_SOCKET, is not there; chosen, as the variable names it
+ home/run/predictd/predictd.sock: your own daemon's, answers" "$(sockets)"
expect "and a problem" 1 "^problem  *daemon .*nowhere.sock" ctl doctor

unset PREDICTD_SOCKET
stop_daemon KILL
is "a user's own daemon that was killed leaves its socket, which is still chosen" \
	"+ home/run/predictd/predictd.sock: your own daemon's, does not answer; chosen, as your own precedes the system's" \
	"$(sockets)"
expect "and a problem, with what to do" 1 '-> start it: ' ctl doctor
expect "whose clients are told which socket it is" 3 "$own" ctl status
rm "$own"
expect "without it the system's is chosen" 1 '^ok  *socket  */run/predictd/predictd.sock: .*chosen, as you have no daemon of your own' \
	ctl doctor
daemon=$first
finish
