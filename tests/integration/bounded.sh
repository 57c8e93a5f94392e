#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels with a great many of one thing get their answer in time, on a CPU and on a GPU. What the
# daemon works for one is counted in its own processor time, so that a loaded machine is no failure.
. "$SOURCE_ROOT/tests/integration/common.sh"
export OCL_ICD_VENDORS=/nonexistent
data=$SOURCE_ROOT/tests/accuracy/data
write_config "[limits]" "analysis_deadline_ms = 30000"
start_daemon
check "a CPU's calibration is imported" ctl import "$data/pocl-2/device.calibration"
check "and a GPU's" ctl import "$data/h200/device.calibration"
ticks_per_s=$(getconf CLK_TCK)
slower=1
few=1500
many=8000 # as many accesses as a kernel may have, nearly
# where each instruction costs more there are fewer of them: what is quadratic shows without
if grep -q -e __asan_init -e __gcov_ "$PREDICTD"; then
	slower=5
	few=300
	many=1600
fi

# Processor time of the daemon so far, in ticks.
worked() {
	sed 's/.*) //' "/proc/$daemon/stat" | awk '{print $12 + $13}'
}

# within SENTENCE MS COMMAND...: it succeeds, and the daemon works no longer than that.
within() {
	local sentence=$1 most_ms=$(($2 * slower)) begin took_ms
	shift 2
	begin=$(worked)
	if ! "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; then
		not_ok "$sentence"
		head -n 5 "$scratch/out" "$scratch/err" | sed 's/^/# /'
		return
	fi
	took_ms=$((($(worked) - begin) * 1000 / ticks_per_s))
	if [ $took_ms -le "$most_ms" ]; then
		ok "$sentence"
	else
		not_ok "$sentence"
	fi
	printf '# it worked %d ms, at most %d ms are allowed\n' $took_ms "$most_ms"
}

plain=(--arg buffer:16M --arg buffer:16M --arg int:16)
hundred=()
for _ in $(seq 100); do
	hundred+=(--arg buffer:1M)
done
hundred+=(--arg int:16)
for kind in $("$PYTHON" "$SOURCE_ROOT/tests/integration/many.py"); do
	case $kind in
	buffers) arguments=("${hundred[@]}") ;;
	images) arguments=(--arg buffer:16M --arg image:4096x1024 --arg int:16) ;;
	*) arguments=("${plain[@]}") ;;
	esac
	count=$few
	[ "$kind" != swaps ] || count=$many
	"$PYTHON" "$SOURCE_ROOT/tests/integration/many.py" "$kind" $count >"$scratch/$kind.cl"
	for device in 0 1; do
		within "a kernel of $count $kind is predicted within 3 s on device $device" 3000 \
			timeout 60 "$PREDICTCTL" predict "$scratch/$kind.cl" --device $device --global 65536 --local 64 "${arguments[@]}"
	done
done
# known by now: what is asked is the model alone
# shellcheck disable=SC2317
ask_often() {
	for items in $(seq 1024 1024 20480); do
		"$PREDICTCTL" predict "$scratch/loops.cl" --device "$1" --global "$items" --local 64 \
			--arg buffer:16M --arg buffer:16M --arg int:2147483647 || return
	done
}
for device in 0 1; do
	within "and loops of 2^31 rounds each, in twenty launches, within 100 ms a launch on device $device" \
		2000 ask_often $device
done
stop_daemon
[ $stopped -eq 0 ] && ok "the daemon ends with 0" || not_ok "the daemon ends with 0: got $stopped"
finish
