#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# predictctl run: a program's status, output and signals are its own; what it wrote of itself is read
# as from a stranger. The program is a script that writes a record in the layer's place.
. "$SOURCE_ROOT/tests/integration/common.sh"

export TMPDIR=$scratch
export PREDICTD_LAYER_PATH=$scratch/layer
unset OPENCL_LAYERS
mkdir "$scratch/layer"
# of this program the loader is never called
printf 'clGetLayerInfo clInitLayer' >"$scratch/layer/libpredictd-layer.so"
corpus=$SOURCE_ROOT/tests/fuzz/corpus/run/three_shapes

# A program that writes the record RECORD.
cat >"$scratch/program" <<'END'
#!/bin/bash
tr '\0' '\1' <"$RECORD" | sed '/^\x01/,$d' | sed "s/\"pid\":[0-9]*/\"pid\":$$/" >"$PREDICTD_LAYER_FOLDER/$$.json"
tr '\0' '\1' <"$RECORD" | sed -n '/^\x01/,$p' | tr -d '\1' >"$PREDICTD_LAYER_FOLDER/$$.spans"
printf '%s|' "$PREDICTD_LAYER_OBSERVE" "${PREDICTD_LAYER_SPANS:-}" "$@"
printf 'its error\n' >&2
cat
exit "${STATUS:-7}"
END
chmod +x "$scratch/program"
export RECORD=$corpus

printf 'its input\n' | ctl run --json "$scratch/run.json" --trace "$scratch/trace.json" -- \
	"$scratch/program" --json -h >"$scratch/said" 2>"$scratch/table"
is "the exit status is the program's" 7 $?
is "standard output is, and its arguments and input are" "0|1|--json|-h|its input" "$(cat "$scratch/said")"
is "its standard error comes first" "its error" "$(head -n 1 "$scratch/table")"
check "and then the table" grep -q '^saxpy  *2  *105  *125 us  *135 us  *0.927 ' "$scratch/table"
check "with the shares" grep -q '95.5 % of launches, 66.7 % of kernels with their sizes (3)' "$scratch/table"
is "JSON has the kernels" "['sort', 'saxpy']" "$(json '[k["name"] for k in x["kernels"]]' <"$scratch/run.json")"
is "and launches that had a prediction" 105 "$(json 'x["kernels"][1]["predicted_launches"]' <"$scratch/run.json")"
is "and the status" 7 "$(json 'x["exit_status"]' <"$scratch/run.json")"
is "the trace has observed and predicted spans, and a transfer" 5 \
	"$(json 'sum(e["ph"] == "X" for e in x["traceEvents"])' <"$scratch/trace.json")"
is "nothing is left of the folder" "" "$(compgen -G "$scratch/predictctl-run-*")"

ctl run --observe --json - "$scratch/program" </dev/null >"$scratch/said" 2>"$scratch/table"
is "with --observe times are reported" "1||" "$(head -c 3 "$scratch/said")"
is "and JSON goes behind the program's output" 1 "$(tail -c +4 "$scratch/said" | json 'x["schema"]')"

expect "a program that does not exist" 127 'no-such-program: No such file' ctl run no-such-program
expect "one that cannot be run" 126 'Permission denied' ctl run "$scratch"
expect "one that uses no OpenCL" 0 'true: no OpenCL command was seen' ctl run true
expect "one that dies by a signal" 137 . ctl run bash -c 'kill -KILL $$'
expect "a program that is missing on the command line" 2 'want .*PROGRAM' ctl run --
PREDICTD_LAYER_PATH=/nonexistent expect "without a layer the program runs" 0 \
	'not in /nonexistent.*runs without a layer' ctl run true
expect "the layer comes before others" 0 "^$scratch/layer/libpredictd-layer.so:/other.so\$" \
	env OPENCL_LAYERS=/other.so "$PREDICTCTL" run printenv OPENCL_LAYERS
expect "and its socket is the program's" 0 '^/elsewhere$' ctl run --socket /elsewhere printenv PREDICTD_SOCKET

# a signal that is sent to predictctl alone reaches the program
"$PREDICTCTL" run bash -c 'trap "exit 5" TERM; : >"$0"; while :; do sleep 0.05; done' "$scratch/begun" \
	>"$scratch/out" 2>"$scratch/err" &
runner=$!
for _ in $(seq 400); do
	[ -e "$scratch/begun" ] && break
	sleep 0.05
done
kill -TERM $runner
wait $runner
is "SIGTERM is passed on" 5 $?

sed 's/"kernel":"sort"/"kernel":"saxpy"/' "$corpus" >"$scratch/twins"
RECORD=$scratch/twins expect "of kernels of one name the program's hash tells which" 7 '^saxpy @0000  *1 ' \
	ctl run "$scratch/program"
head -c 300 "$corpus" >"$scratch/cut"
RECORD=$scratch/cut STATUS=0 expect "a record that is cut off is told, and the status stays" 0 \
	'warning: line' ctl run "$scratch/program"
expect "a record that is a link is not followed" 0 'json: warning: ' \
	ctl run bash -c 'ln -s /etc/passwd "$PREDICTD_LAYER_FOLDER/1.json"'
expect "one that is a fifo is not waited for" 0 'want a file' \
	ctl run bash -c 'mkfifo "$PREDICTD_LAYER_FOLDER/1.json"'
expect "a file that cannot be written is told, and the status stays" 7 '/nonexistent/a.json: No such' \
	ctl run --json /nonexistent/a.json "$scratch/program"

ctl doctor >"$scratch/doctor" 2>&1
check "doctor says that the layer would be loaded" grep -q "^ok  *layer .*would load" "$scratch/doctor"
OPENCL_LAYERS=/nonexistent/a.so ctl doctor >"$scratch/doctor" 2>&1
check "and names an entry that is not there" grep -q '^problem  *OPENCL_LAYERS .*a.so: No such file' "$scratch/doctor"
PREDICTD_LAYER_PATH=/nonexistent ctl doctor >"$scratch/doctor" 2>&1
check "and a folder without a layer" grep -q '^problem  *layer .*not in /nonexistent' "$scratch/doctor"
finish
