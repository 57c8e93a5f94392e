#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The Python package: by itself, and against a real daemon with a calibrated device. From meson:
# see common.sh; besides PYTHON, and PYTHONPATH with the built package.
. "$SOURCE_ROOT/tests/integration/common.sh"

# run FILE [PYTHON]: a module of tests, one line each.
run() {
	local line
	"${2:-$PYTHON}" "$SOURCE_ROOT/client/python/tests/$1" -v >"$scratch/out" 2>&1
	local status=$?
	while read -r line; do
		case $line in
		*' ... ok') ok "$1: ${line%% (*}" ;;
		*' ... skipped'*) ok "$1: ${line%% (*} # SKIP ${line##*skipped }" ;;
		*' ... FAIL' | *' ... ERROR') not_ok "$1: ${line%% (*}" ;;
		esac
	done < <(grep -E '^test_.* \.\.\. ' "$scratch/out")
	if [ $status -ne 0 ]; then
		sed 's/^/# /' "$scratch/out"
		not_ok "$1 ends well"
	fi
}

export PYTHONDONTWRITEBYTECODE=1
run test_package.py
run test_living.py
run test_memo.py
run test_native.py
run test_tune.py
run test_sweep.py
run test_report.py
run test_advise.py
start_calibrated
run test_samples.py
run test_daemon.py
scheduled="the example schedule.py places tasks"
watched="the example watch.py predicts live objects"
with_opencl=
for python in "$PYTHON" /usr/bin/python3; do
	"$python" -c 'import google.protobuf, numpy, pyopencl' 2>/dev/null && with_opencl=$python && break
done
if [ -n "$with_opencl" ]; then
	expect "$scheduled" 0 'after two runs: predicted .* 24 tasks on' "$with_opencl" \
		"$SOURCE_ROOT/client/python/examples/schedule.py" 3
	# binaries that pyopencl keeps, of programs as of this run
	export XDG_CACHE_HOME=$scratch/cache
	run test_pyopencl.py "$with_opencl"
	run test_tune_runs.py "$with_opencl"
	expect "$watched" 0 'transpose  *1024x1024  *8x8  *2  *[0-9.]* [mu]*s  *[0-9.]* [mu]*s' "$with_opencl" \
		"$SOURCE_ROOT/client/python/examples/watch.py" 2
else
	ok "$scheduled # SKIP pyopencl is not installed"
	ok "$watched # SKIP pyopencl is not installed"
	ok "test_pyopencl.py # SKIP pyopencl is not installed"
	ok "test_tune_runs.py # SKIP pyopencl is not installed"
fi
check "the daemon is still there" ctl status
finish
