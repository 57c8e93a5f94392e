#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs with the OpenCL layer, by `predictctl run`: what they launch is predicted, timed and told,
# and they themselves are none the wiser.
. "$SOURCE_ROOT/tests/integration/common.sh"

if [ -z "$LAYER_PATH" ]; then
	printf '1..0 # SKIP the layer is not built\n'
	exit 0
fi
export TMPDIR=$scratch PREDICTD_LAYER_PATH=$LAYER_PATH
unset OPENCL_LAYERS
start_calibrated

# follow "WAY [ARGUMENT]" [OPTION]...: the test program with the layer; what it said is in $scratch/said.
follow() {
	local way
	read -ra way <<<"$1"
	shift
	rm -f "$scratch/run.json" "$scratch/trace.json"
	ctl run --json "$scratch/run.json" "$@" -- "$LAYER_PROGRAM" "${way[@]}" >"$scratch/said" 2>"$scratch/table"
}
# told EXPRESSION: of Python, about the run's JSON.
told() {
	json "$1" <"$scratch/run.json"
}

"$LAYER_PROGRAM" use >"$scratch/plain" 2>&1
follow use --trace "$scratch/trace.json"
is "a program that is followed ends with its own status" 0 $?
check "and says what it says without" cmp "$scratch/plain" "$scratch/said"
is "all of its launches are seen" "$(told 'sum(k["launches"] for k in x["kernels"])')" "$(told 'x["launches"]')"
is "and predicted" "True 0" "$(told 'str(x["launches"] == x["predicted_launches"] > 0) + " " + str(len(x["unpredicted"]))')"
is "each with both times" True "$(told 'all(k["predicted_time_s"] > 0 and k["observed_time_s"] > 0 for k in x["kernels"])')"
is "shares make a whole" True "$(told 'abs(sum(k["share"] for k in x["kernels"]) - 1) < 1e-6')"
check "the table has a bottleneck" grep -Eq '%  [a-z]' "$scratch/table"
is "the trace has each launch, observed and predicted" True "$(json \
	"sum(e['ph'] == 'X' and e['name'] == '$(told 'x["kernels"][0]["name"]')' for e in x['traceEvents']) >= 2" <"$scratch/trace.json")"
mkdir "$scratch/headers"
echo '#define FACTOR 3' >"$scratch/headers/factor.h"
echo '#define SUMMAND 4' >"$scratch/headers/summand.h"
follow "headers $scratch/headers"
is "headers in folders are the program's" "7 4" "$(cat "$scratch/said")"
is "and a prediction's, as a buffer that is none is" "[] 1" \
	"$(told 'str(x["unpredicted"]) + " " + str(x["predicted_launches"])')"

observations=$(ctl status --json | json 'x["observations"]')
is "nothing was reported" 0 "$observations"

follow use --observe
observations=$(ctl status --json | json 'x["observations"]')
is "with --observe the daemon keeps times" True \
	"$([ "$observations" -gt 0 ] && [ "$observations" = "$(told 'sum(p["sent"] for p in x["processes"])')" ] && echo True)"
follow use
is "and the next run's answers rest on them" True \
	"$(told 'any(s["predicted"]["basis"] in ("refined", "observed") for k in x["kernels"] for s in k["shapes"])')"

"$LAYER_PROGRAM" fork >"$scratch/plain" 2>&1
follow fork
is "a program that forks in the middle keeps its status" 0 $?
check "and its output" cmp "$scratch/plain" "$scratch/said"
"$LAYER_PROGRAM" callback >"$scratch/plain" 2>&1
status=$?
follow callback
is "one that exits in a callback keeps its status" $status $?

PREDICTD_LAYER=off follow use
is "a layer that is off sees nothing" "0 0" "$(told 'str(len(x["processes"])) + " " + str(x["launches"])')"
check "and that is said" grep -q 'PREDICTD_LAYER is off' "$scratch/table"
PREDICTD_LAYER='times' follow use
is "with times alone nothing is asked" "True 0" "$(told 'str(x["launches"] > 0) + " " + str(x["predicted_launches"])')"

ctl doctor >"$scratch/doctor" 2>&1
check "doctor says that the layer would be loaded" grep -q "^ok  *layer .*would load" "$scratch/doctor"

kill -STOP "$daemon"
follow use
is "with a daemon that hangs the program ends as ever" 0 $?
kill -CONT "$daemon"
is "and each launch says why it has no prediction" True "$(told 'all("no answer" in r["why"] for r in x["unpredicted"])')"
stop_daemon
follow use
is "without a daemon as well" 0 $?
check "which the table says" grep -q "nothing was asked: .*$PREDICTD_SOCKET" "$scratch/table"
finish
