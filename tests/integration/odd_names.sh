#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files whose names have what ends a line, a field, a tag or a text: messages of one line, files that are whole.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_daemon
ctl import "$SOURCE_ROOT/tests/accuracy/data/h200/device.calibration" >"$scratch/import" || bail "no import"
cd "$scratch" || bail "no folder"
# shellcheck disable=SC2016
printf '%s' 'kernel void k(global float *a, float s) { a[get_global_id(0) * 16] *= s * 2.0; }' >k.cl
mkdir $'a\nfolder'
names=($'new\nline, \ttab, \x1b[31mcontrol.cl' $'bad\xff.cl' 'quo"te,<b>&.cl' $'a\nfolder/k.cl')

# whole KIND: standard input is what it says, in UTF-8, and shows no terminal what it acts upon
cat >whole.py <<'P'
import csv, html.parser, io, json, sys
text = sys.stdin.buffer.read().decode()
assert text, "nothing"
assert all(one.isprintable() or one in "\n\t" for one in text), "a control character"
if sys.argv[1] == "json":
    known = json.loads(text)
    json.dumps(known, ensure_ascii=False).encode()  # without lone surrogates
elif sys.argv[1] == "csv":
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) > 1 and len({len(row) for row in rows}) == 1, rows
elif sys.argv[1] == "html":
    open_tags = []
    class Page(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert tag != "b", "a tag of the name"
    Page().feed(text)
elif sys.argv[1] == "line":
    assert text.count("\n") == 1, text
P
# made KIND COMMAND...
made() {
	local kind=$1
	shift
	ctl "$@" >made 2>said
	local code=$?
	[ "$kind" != line ] || cp said made
	python3 whole.py "$kind" <made 2>&1 | tail -n 1 | tee wrong >&2
	[ ! -s wrong ] && [ $code -eq "${want:-0}" ]
}

launch=(--device H200 --global 65536 --local 64 --arg buffer:4M --arg float:2)
for name in "${names[@]}"; do
	[ "$name" = $'a\nfolder/k.cl' ] || cp k.cl "$name"
	[ -e "$name" ] || cp k.cl "$name"
	shown=$(printf %q "$name")
	check "$shown: predict" made text predict "$name" "${launch[@]}" --explain=lines
	check "as JSON" made json predict --json "$name" "${launch[@]}"
	check "as CSV" made csv predict --csv "$name" "${launch[@]}"
	check "advise as JSON" made json advise --json "$name" "${launch[@]}"
	check "as SARIF" made json advise --sarif "$name" "${launch[@]}"
	check "as text, two lines an advice" made text advise "$name" "${launch[@]}"
	is "of which the second has times" 0 $(($(wc -l <made) % 2))
	check "report" made html report "$name" "${launch[@]}"
	check "sweep as JSON" made json sweep --json "$name" --over n=1K,2K "${launch[@]}"
	check "as CSV" made csv sweep --csv - "$name" --over n=1K,2K "${launch[@]}"
	if [ "$shown" = "${shown#\$}" ]; then
		check "cases" made json cases "$name"
		check "sizes are guessed" made text predict "$name" --device H200
	else
		want=1 check "cases are refused it, in a line" made line cases "$name"
		check "with a way out" grep -q 'rename it, or say --global' said
	fi
	printf 'kernel void k(global float *a) { a[0] = ; }\n' >"$name"
	case $name in $'new\n'* | bad*) ;; *) rm "$name" && continue ;; esac
	for command in predict advise report sweep; do
		want=1 check "$command: what is wrong with it is one line" made line $command "$name" "${launch[@]}"
		check "with its place" grep -q ':1:41: expected expression' said
		rm "$name"
		want=1 check "and that it is not there" made line $command "$name" "${launch[@]}"
		printf 'kernel void k(global float *a) { a[0] = ; }\n' >"$name"
	done
	rm "$name"
done

echo '{"file": "k.cl", "kernel": "k", "parameters": {"N": ["\ud800x"]}, "global": [64],
 "args": [{"buffer": "float", "count": 1024, "name": "a"}, {"scalar": "float", "value": 1}]}' >space.json
want=1 check "a value that is no text is refused" made line tune space.json --predict-only --csv none.csv
want=2 check "on a command line, too" made line sweep k.cl -D N=$'a\xff' "${launch[@]}" --csv none.csv
check "and its first line says of what" grep -q "^predictctl: sweep: parameter 'N': want values" said
check "nothing was written" test ! -e none.csv
finish
