# SPDX-License-Identifier: Apache-2.0
# Sourced by tests/layer/run and programs: a program without the layer and with it, compared.
# shellcheck shell=bash
# shellcheck source=tests/bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../bench/common.sh"

# Builds, starts a daemon that knows the processor as PoCL's device "pthread", and lays out
# $scratch/NAME for each program.
layer_prepare() {
	packages_bench=("${packages_layer[@]}")
	prepare
	export POCL_DEVICES=pthread PREDICTD_LAYER_PATH=$build/client/opencl/layer
	export STARPU_NCPU=0 STARPU_NCUDA=0 STARPU_OPENCL_ON_CPUS=1 STARPU_SILENT=1
	unset OPENCL_LAYERS PYTHONDONTWRITEBYTECODE
	[ -f "$PREDICTD_LAYER_PATH/libpredictd-layer.so" ] || fail "the layer was not built"
	start_daemon
	say "calibrating"
	"$predictctl" calibrate pthread --quick >"$scratch/calibrate" 2>&1 ||
		fail "the device was not calibrated: $(tail -n 1 "$scratch/calibrate")"
}

# home NAME: what programs keep between runs is their own
home() {
	mkdir -p "$scratch/home/$1"
	export HOME=$scratch/home/$1 POCL_CACHE_DIR=$scratch/home/$1/pocl
	export XDG_CACHE_HOME=$HOME/cache XDG_DATA_HOME=$HOME/share XDG_CONFIG_HOME=$HOME/config
	export STARPU_HOME=$HOME STARPU_HOSTNAME=node
}

# once FOLDER COMMAND...: its output, errors, status and time go there; it works in a folder of its own
once() {
	local folder=$1 begin status=0
	shift
	mkdir -p "$folder/work"
	begin=$EPOCHREALTIME
	# shellcheck disable=SC2016 # the inner shell's
	(cd "$folder/work" && timeout "${patience:-200}" "$@" </dev/null >"$folder/out" 2>"$folder/err") ||
		status=$?
	echo $status >"$folder/status"
	echo "$begin $EPOCHREALTIME" | awk '{ printf "%.2f\n", $2 - $1 }' >"$folder/time"
}

# plain NAME COMMAND...
plain() {
	local name=$1
	shift
	home "$name-plain"
	once "$scratch/$name/plain" "$@"
}

# layered NAME RUN COMMAND...: RUN "again" finds what RUN "first" has left
layered() {
	local name=$1 run=$2
	shift 2
	home "$name-layered"
	# the table is on standard error, the program's own is kept apart
	# shellcheck disable=SC2016 # the inner shell's
	once "$scratch/$name/$run" "$predictctl" run --json "$scratch/$name/$run.json" -- \
		sh -c 'exec 2>"$0"; exec "$@"' "$scratch/$name/$run.own" "$@"
}

# What differs from run to run: numbers, and what hangs on them, such as a tuner's choice.
without_numbers() {
	sed -E 's/0x[0-9a-f]+|[0-9]+([.:][0-9]+)*(e[-+]?[0-9]+)?/N/g; s/[[:space:]]+/ /g' "$1"
}

# same NAME RUN HOW: HOW is "exact", or "numbers" where outputs have times and speeds
same() {
	local name=$1 run=$2 how=$3 left=$scratch/$1/plain right=$scratch/$1/$2

	cmp -s "$left/status" "$right/status" || {
		printf '# status without the layer %s, with it %s\n' "$(cat "$left/status")" "$(cat "$right/status")"
		return 1
	}
	if [ "$how" = exact ]; then
		diff "$left/out" "$right/out"
	else
		diff <(without_numbers "$left/out") <(without_numbers "$right/out")
	fi >"$scratch/difference" || {
		head -n 8 "$scratch/difference" | sed 's/^/# /'
		return 1
	}
	diff <(without_numbers "$left/err") <(without_numbers "$right.own") >"$scratch/difference" || {
		head -n 8 "$scratch/difference" | sed 's/^/# standard error: /'
		return 1
	}
}

# row NAME RUN SAME: the program's row of the table, as CSV
row() {
	/usr/bin/python3 "$here/tests/layer/row.py" "$1$([ "$2" = first ] || echo ", $2")" "$3" \
		"$scratch/$1/$2.json" "$(cat "$scratch/$1/plain/time")" "$(cat "$scratch/$1/$2/time")"
}

# viennacl_build: the program on ViennaCL's headers, $scratch/on-viennacl
viennacl_build() {
	g++ -O1 -w -DCL_TARGET_OPENCL_VERSION=120 -o "$scratch/on-viennacl" "$here/tests/layer/viennacl.cpp" \
		-lOpenCL
}
