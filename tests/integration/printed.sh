#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What commands print: rows that an interrupt must not lose, and files that take nothing.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_calibrated

cat >"$scratch/odd name é.cl" <<'K'
kernel void quick(global float *a) { a[get_global_id(0)] = 1; }
kernel void endless(global float *a, int n)
{ float s = a[get_global_id(0)];
  for (int k = 0; k < n; k++) s = sin(s) + 1;
  a[get_global_id(0)] = s; }
K
cat >"$scratch/cases.json" <<'J'
[{"id": "first, of \"all\"", "file": "odd name é.cl", "kernel": "quick", "global": [64], "local": [64],
  "args": [{"buffer": 256}]},
 {"id": "second", "file": "none.cl", "kernel": "quick", "global": [64], "args": [{"buffer": 256}]},
 {"id": "third", "file": "odd name é.cl", "kernel": "endless", "global": [64], "local": [64],
  "args": [{"buffer": 256}, {"scalar": "int", "value": 2000000000}]}]
J

# interrupted SIGNAL FILE ROWS COMMAND...: what it prints is in $scratch/rows; it is ended once FILE
# has those rows, and its status is in $ended.
interrupted() {
	local pid
	: >"$2"
	env --default-signal=INT MARK="$scratch" "${@:4}" >"$scratch/rows" 2>"$scratch/said" &
	pid=$!
	for _ in $(seq 600); do
		[ "$(wc -l <"$2")" -lt "$3" ] && kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill "-$1" $pid 2>/dev/null
	wait $pid
	ended=$?
}

# whole FILE: rows, without the header, that have as many fields as it
whole() {
	python3 -c 'import csv, sys
head, *rows = csv.reader(open(sys.argv[1], newline="", encoding="utf-8"))
print(len(rows) if all(len(row) == len(head) for row in rows) else "torn")' "$1"
}

for signal in INT TERM; do
	interrupted $signal "$scratch/rows" 3 "$PREDICTCTL" measure --device 0 --csv --cases "$scratch/cases.json"
	is "SIG$signal leaves the rows that measure --csv has" 2 "$(whole "$scratch/rows")"
	is "and its status says that it was ended" 130 $ended
	check "as it does" grep -q 'interrupted: 1 of 3 cases were not measured' "$scratch/said"
	is "no kernel runs on" "" "$(grep -l "^MARK=$scratch\$" -z /proc/[0-9]*/environ 2>/dev/null)"
done
check "a case that is not run has its row, and why" grep -q '^second,quick,.*none.cl: No such file' "$scratch/rows"

# what is a whole is printed at the end; a terminal is told when the first case is measured
cat >"$scratch/watched.py" <<'P'
import os, signal, subprocess, sys
number, rows, *words = sys.argv[1:]
ours, its = os.openpty()
with open(rows, "w") as out:
    child = subprocess.Popen(words, stdout=out, stderr=its)
os.close(its)
seen, is_sent = b"", False
try:
    while more := os.read(ours, 4096):
        seen += more
        if not is_sent and b"measured 2 of 3" in seen:
            child.send_signal(getattr(signal, "SIG" + number))
            is_sent = True
except OSError:
    pass
print(seen.decode(errors="replace"), file=sys.stderr)
code = child.wait()
sys.exit(code if code >= 0 else 128 - code)
P
# watched SIGNAL COMMAND...: what it prints is in $scratch/rows
watched() { python3 "$scratch/watched.py" "$1" "$scratch/rows" "${@:2}"; }
for signal in INT TERM; do
	expect "SIG$signal ends measure" 130 'interrupted: 1 of 3' watched $signal "$PREDICTCTL" measure --device 0 --observe \
		--cases "$scratch/cases.json"
	check "and leaves what it measured" grep -q '^first.* [mun]*s ' "$scratch/rows"
	check "and why the others are not" grep -q '^third.* interrupted' "$scratch/rows"
	expect "SIG$signal ends measure --json" 130 'interrupted: 1 of 3' watched $signal "$PREDICTCTL" measure --device 0 \
		--observe --json --cases "$scratch/cases.json"
	is "and leaves what it measured" "['ok', 'invalid', 'cancelled']" \
		"$(json '[one["status"] for one in x["measurements"]]' <"$scratch/rows")"
	expect "SIG$signal ends evaluate" 130 'interrupted: not every case' watched $signal "$PREDICTCTL" evaluate --device 0 \
		--cases "$scratch/cases.json"
	check "and leaves what it compared" grep -q '1 of 3 cases compared' "$scratch/rows"
done
# others' processes, beside which a CPU takes longer; ended by their ids
beside=()
for _ in $(seq "$(nproc)"); do
	sh -c 'while :; do :; done' &
	beside+=($!)
done
sed 's/2000000000/20000/; s/none.cl/odd name é.cl/' "$scratch/cases.json" >"$scratch/short.json"
others='others had [0-9]* % of the processors meanwhile'
expect "what others had of the processors is said" 0 "$others" ctl measure --device 0 --budget 0.5s --cases "$scratch/short.json"
expect "of what evaluate measures, too" 0 "$others" ctl evaluate --device 0 --budget 0.5s --cases "$scratch/short.json"
ctl measure --device 0 --budget 0.5s --cases "$scratch/short.json" --json >"$scratch/out"
is "and in JSON" True "$(json '0.1 < x["others_share"] <= 1' <"$scratch/out")"
kill "${beside[@]}"
wait "${beside[@]}" 2>/dev/null
is "what was measured is observed" 4 "$(ctl history "$scratch/odd name é.cl:quick" --device 0 --json | json 'len(x["runs"])')"
sweep=("$PREDICTCTL" sweep "$scratch/odd name é.cl:endless" --device 0 --measure --timeout 600 --over
	n=1,2000000000 --global 64 --local 64 --arg buffer:256 --arg int:n)
for signal in INT TERM; do
	interrupted $signal "$scratch/swept.csv" 2 "${sweep[@]}" --csv "$scratch/swept.csv"
	is "SIG$signal leaves the rows of a sweep" 2 "$(whole "$scratch/swept.csv")"
	is "which was interrupted" 130 $ended
	check "and says so" grep -q 'interrupted: not every point was measured' "$scratch/said"
	check "the first was measured" test "$(python3 -c 'import csv, sys
print([bool(row["measured_s"]) for row in csv.DictReader(open(sys.argv[1]))])' "$scratch/swept.csv")" = "[True, False]"
	interrupted $signal "$scratch/rows" 2 "${sweep[@]}" --csv -
	is "also on standard output" 2 "$(whole "$scratch/rows")"
done

# what a kernel includes, where a blank would end a compiler's option
mkdir "$scratch/a folder's"
printf '#define VALUE 3\n' >"$scratch/a folder's/value.h"
printf '#include "value.h"\nkernel void k(global float *a) { a[get_global_id(0)] = VALUE; }\n' >"$scratch/a folder's/k.cl"
check "a kernel in a folder with a blank is swept and run" "$PREDICTCTL" sweep "$scratch/a folder's/k.cl" --device 0 --measure \
	--over n=64 --global n --arg buffer:4*n --csv "$scratch/swept.csv"
check "and measured" test "$(python3 -c 'import csv, sys
print([float(row["measured_s"] or 0) > 0 for row in csv.DictReader(open(sys.argv[1]))])' "$scratch/swept.csv")" = "[True]"

cat >"$scratch/space.json" <<'J'
{"file": "odd name é.cl", "kernel": "endless", "parameters": {"N": [1, 2, 2000000000]}, "global": [64], "local": [64],
 "args": [{"buffer": "float", "count": 64, "name": "a"}, {"scalar": "int", "value": "N"}]}
J
tune=("$PREDICTCTL" tune "$scratch/space.json" --timeout 600 --strategy exhaustive)
for signal in INT TERM; do
	rm -f "$scratch/log.$signal"
	interrupted $signal "$scratch/tuned.log" 3 "${tune[@]}" --device 0 --log "$scratch/tuned.log" --csv "$scratch/tuned.csv"
	is "SIG$signal leaves what was tuned" 3 "$(whole "$scratch/tuned.csv")"
	is "which was interrupted, too" 130 $ended
done
check "predictctl's own library serves, whatever the loader finds" env -u LD_LIBRARY_PATH "$PREDICTCTL" tune "$scratch/space.json" \
	--device 0 --runs 1
expect "a device that is not there is no device to predict for" 1 "none of 3 configurations can run: .*nosuch" \
	ctl tune "$scratch/space.json" --predict-only --device nosuch
expect "a name that the terminal's encoding lacks is shown" 0 'odd name' env PYTHONIOENCODING=ascii "$PREDICTCTL" advise \
	"$scratch/odd name é.cl:endless" --device 0 --global 4096 --local 64 --arg buffer:16K --arg int:1000

# full COMMAND...: where nothing can be written
full() { ctl "$@" >/dev/full; }
for words in devices "devices --json" status --help --version "sweep --help" "predict --help" metrics top; do
	# shellcheck disable=SC2086
	expect "$words is not said to have been printed on a full disk" 1 'No space left\|not all was written' full $words
done
libexec=${PREDICTD_LIBEXECDIR##*:}
share=${PREDICTD%/*}/share/predictd-share
# full_of PROGRAM WORD: the same of another program
full_of() { "$@" >/dev/full; }
for program in "$PREDICTD" "$share" "$libexec/predictd-calibrator"; do
	[ -x "$program" ] || continue # a build without sharing
	for word in --help --version --print-config; do
		[ "$word" != --print-config ] || [ "$program" != "$libexec/predictd-calibrator" ] || continue
		expect "nor ${program##*/} $word" 1 "^${program##*/}: standard output: No space left" full_of "$program" $word
	done
done
expect "nor are rows" 1 'standard output' full measure --device 0 --csv "$scratch/odd name é.cl:quick" --global 64 --arg buffer:256
check "nor is there a traceback" test -z "$(grep Traceback "$scratch/err")"
env --default-signal=PIPE "$PREDICTCTL" sweep "$scratch/odd name é.cl:quick" --over n=64..6400:+1 --global n --arg buffer:256K --csv - \
	2>"$scratch/said" | head -n 1 >"$scratch/out"
check "who reads no further row is no trouble" test ! -s "$scratch/said"

# what is no regular file stays what it is
mkfifo "$scratch/pipe"
ln -s target.csv "$scratch/link.csv"
: >"$scratch/target.csv"
for words in "backup $scratch/pipe" "export 0 $scratch/pipe" "tune $scratch/space.json --predict-only --csv $scratch/pipe"; do
	cat "$scratch/pipe" >"$scratch/arrived" &
	reader=$!
	# shellcheck disable=SC2086
	check "${words%% *} into a pipe" ctl $words
	wait $reader
	check "arrives" test -s "$scratch/arrived" -a -p "$scratch/pipe"
done
cat "$scratch/pipe" >"$scratch/arrived" &
reader=$!
check "a sweep's rows into a pipe" timeout 60 "$PREDICTCTL" sweep "$scratch/odd name é.cl:quick" --device 0 --measure \
	--over n=64,128,256 --global n --arg buffer:4*n --csv "$scratch/pipe"
wait $reader
is "arrive one by one" 3 "$(whole "$scratch/arrived")"
check "a table goes where a link leads" ctl tune "$scratch/space.json" --predict-only --csv "$scratch/link.csv"
check "and the link stays" test -L "$scratch/link.csv" -a -s "$scratch/target.csv"
check "an export goes there, too" ctl export 0 "$scratch/link.csv"
check "and its link stays" test -L "$scratch/link.csv" -a "$(wc -c <"$scratch/target.csv")" -gt 1000

# Ctrl-C at any moment, while Python starts, too: nothing but what the status says
cat >"$scratch/interrupt.py" <<'P'
import signal, subprocess, sys, time
for ms in range(0, 300, 15):
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as asked:
        time.sleep(ms / 1000)
        asked.send_signal(signal.SIGINT)
        said = asked.communicate()[1].decode()
    # before predictctl hands over to Python, the signal ends it
    if asked.returncode not in (0, 130, -signal.SIGINT) or "Traceback" in said:
        print(f"after {ms} ms: {asked.returncode}: {said}")
P
is "a command that is interrupted as it starts ends without a trace" "" \
	"$(python3 "$scratch/interrupt.py" "$PREDICTCTL" sweep "$kernels/copy.cl" --over n=1K,2K --global n --arg buffer:4*n --arg buffer:4*n)"

: >"$scratch/empty.cl"
expect "a source of 0 bytes is called empty" 1 'empty.cl: .*the source is empty' ctl predict "$scratch/empty.cl"

# a device of another node
ctl import "$SOURCE_ROOT/tests/accuracy/data/h200/device.calibration" >"$scratch/import" || bail "no import"
expect "what is away cannot be measured together" 0 'NVIDIA H200: not measured together: NVIDIA H200 is away' ctl devices
ctl doctor >"$scratch/out" 2>&1
check "and doctor does not ask for it" test -z "$(grep -- --pairs "$scratch/out")"
finish
