# SPDX-License-Identifier: Apache-2.0
# Sourced by the integration tests: a daemon of their own, and assertions as TAP.
# shellcheck shell=bash
#
# From meson: PREDICTD, PREDICTCTL (programs), PREDICTD_LIBEXECDIR (folders of
# the children), CALIBRATION (a file that the test `calibrate` writes and others import),
# SOURCE_ROOT, BUILD_ROOT.
set -uo pipefail
# shellcheck source=tests/integration/tap.sh
. "$SOURCE_ROOT/tests/integration/tap.sh"

kernels=$SOURCE_ROOT/tests/kernels
scratch=$(mktemp -d /tmp/predictd-test.XXXXXX)
daemon=

export PREDICTD_LIBEXECDIR
export PREDICTD_SOCKET=$scratch/run/predictd.sock
export XDG_STATE_HOME=$scratch/home/state XDG_CONFIG_HOME=$scratch/home/config
export XDG_RUNTIME_DIR=$scratch/home/run
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$BUILD_ROOT/tests/integration/pocl}
export NO_COLOR=1
# a sanitizer's report ends the program with a status that no test expects
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:exitcode=99:detect_leaks=1
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-}:halt_on_error=1:exitcode=99:print_stacktrace=1
export LSAN_OPTIONS=suppressions=$scratch/leaks.txt:print_suppressions=0
install -m 644 "$SOURCE_ROOT/tests/integration/leaks.txt" "$scratch"
mkdir -p "$scratch/run" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME" "$XDG_RUNTIME_DIR" "$POCL_CACHE_DIR"

leave() {
	local status=$?

	trap - EXIT
	stop_daemon
	if [ $status -eq 0 ] && [ $failures -gt 0 ]; then
		status=1
	fi
	rm -rf "$scratch"
	exit $status
}
trap leave EXIT
trap 'exit 143' TERM INT

# write_config [LINE]...: the daemon's configuration, with its state in the scratch folder.
write_config() {
	{
		printf '[calibration]\nat_start = never\n[daemon]\nsocket = %s\nstate = %s\n' "$PREDICTD_SOCKET" "$scratch/state"
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$scratch/predictd.conf"
}

# Starts the daemon and waits until it answers; says what it logged when it does not.
start_daemon() {
	[ -f "$scratch/predictd.conf" ] || write_config
	"$PREDICTD" --config "$scratch/predictd.conf" >>"$scratch/log" 2>&1 &
	daemon=$!
	for _ in $(seq 600); do
		"$PREDICTCTL" status >/dev/null 2>&1 && return 0
		kill -0 $daemon 2>/dev/null || break
		sleep 0.1
	done
	sed 's/^/# /' "$scratch/log"
	bail "predictd does not answer"
}

# stop_daemon [SIGNAL]: ends it; its status in $stopped.
stop_daemon() {
	stopped=0
	if [ -z "$daemon" ]; then
		return 0
	fi
	kill -"${1:-TERM}" "$daemon" 2>/dev/null
	for _ in $(seq 1200); do
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.05
	done
	kill -KILL "$daemon" 2>/dev/null
	wait "$daemon" 2>/dev/null
	stopped=$?
	daemon=
}

# A daemon whose first device is calibrated: by the file of the test that calibrates,
# or, when that test has not run, by calibrating now.
start_calibrated() {
	start_daemon
	if [ -s "$CALIBRATION" ]; then
		ctl import "$CALIBRATION" >"$scratch/import" 2>&1 && return 0
		sed 's/^/# /' "$scratch/import"
	fi
	ctl calibrate 0 --quick >"$scratch/calibrate" 2>&1 && return 0
	sed 's/^/# /' "$scratch/calibrate" "$scratch/log"
	bail "the device could not be calibrated"
}

ctl() {
	"$PREDICTCTL" "$@"
}

# True when this test may be other users, who may then ask. They may not enter every folder that
# root may, and sources are often in such a one: what they run is copied to the scratch folder.
let_others_ask() {
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || return 1
	mkdir -p "$scratch/others"
	chmod 755 "$scratch" "$scratch/run" "$scratch/others"
	install -m 755 -t "$scratch/others" "$PREDICTCTL" "$BUILD_ROOT/client/libpredictd.so.0"
}

# as UID GID GROUPS ARGUMENT...: predictctl as that user, with those further groups or, if empty, none.
as() {
	local uid=$1 gid=$2 groups=${3:+--groups=$3}
	shift 3
	LD_LIBRARY_PATH=$scratch/others setpriv --reuid="$uid" --regid="$gid" "${groups:---clear-groups}" \
		"$scratch/others/predictctl" "$@"
}

# A question that any calibrated daemon can answer.
ask() {
	ctl predict "$kernels/copy.cl" --global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4M:w "$@"
}
