# SPDX-License-Identifier: Apache-2.0
# Sourced by the benchmarks: a build without debugging, a daemon of their own, and the machine in words.
# shellcheck shell=bash
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=.ci/packages
. "$here/.ci/packages"
# PREDICTD_BENCH_BUILD: a build folder to take as it is
build=${PREDICTD_BENCH_BUILD:-$here/build-bench}
# shellcheck disable=SC2034 # used by the scripts
bench=$build/tests/bench
scratch=
daemon=
helpers=() # processes to end with the benchmark

finish() {
	local status=$?

	trap - EXIT
	[ ${#helpers[@]} -eq 0 ] || kill "${helpers[@]}" 2>/dev/null || true
	stop_daemon
	rm -rf "$scratch"
	exit "$status"
}

# Builds, and makes a folder for the daemon's socket, state and log.
prepare() {
	if [ -z "${PREDICTD_BENCH_BUILD:-}" ]; then
		install_missing "${packages_build[@]}" "${packages_bench[@]}"
		if [ ! -f "$build/build.ninja" ]; then
			say "preparing the build in ${build##*/}"
			mkdir -p "$build"
			meson setup --buildtype=release "$build" "$here" >"$build/bench.log" 2>&1 ||
				fail "meson could not prepare the build; the log is ${build##*/}/bench.log"
		fi
		say "building"
		ninja -C "$build" --quiet >"$build/bench.log" 2>&1 ||
			fail "the build failed; the log is ${build##*/}/bench.log"
	fi
	scratch=$(mktemp -d /tmp/predictd-bench.XXXXXX)
	trap finish EXIT
	trap 'exit 143' INT TERM
	export PREDICTD_LIBEXECDIR=$build/daemon/analyser:$build/daemon/calibrator
	export PREDICTD_SOCKET=$scratch/predictd.sock
	# clBuildProgram has to compile, not to remember
	export POCL_CACHE_DIR=$scratch/pocl
	mkdir "$POCL_CACHE_DIR"
	predictctl=$build/client/predictctl
	predictd=$build/daemon/predictd
}

# start_daemon [LINE]...: with these lines in its configuration; waits until it answers.
start_daemon() {
	{
		printf '[calibration]\nat_start = never\n[daemon]\nstate = %s\nlog_level = warning\n' "$scratch/state"
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$scratch/predictd.conf"
	"$predictd" --config "$scratch/predictd.conf" --socket "$PREDICTD_SOCKET" >>"$scratch/log" 2>&1 &
	daemon=$!
	for _ in $(seq 200); do
		"$predictctl" status >/dev/null 2>&1 && return 0
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.05
	done
	sed 's/^/# /' "$scratch/log" >&2
	fail "predictd does not answer"
}

stop_daemon() {
	[ -n "$daemon" ] || return 0
	kill -TERM "$daemon" 2>/dev/null || true
	wait "$daemon" 2>/dev/null || true
	daemon=
}

# A device of this machine where it has a driver, else one whose calibration was recorded.
calibrate_device() {
	if has_opencl_driver; then
		say "calibrating the first device"
		"$predictctl" calibrate 0 --quick >/dev/null
	else
		use_recorded_device
	fi
}

use_recorded_device() {
	"$predictctl" import "$here/tests/accuracy/data/pocl-2/device.calibration" >/dev/null
}

# The machine, in a line.
describe_machine() {
	local name
	name=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	printf 'machine: %s, %s processors, Linux %s, load %s; priority: %s\n' "${name:-unknown}" \
		"$(nproc)" "$(uname -r)" "$(cut -d ' ' -f 1 /proc/loadavg)" \
		"$(chrt -p $$ 2>/dev/null | sed -n 's/.*policy: //p' | head -n 1)"
}
