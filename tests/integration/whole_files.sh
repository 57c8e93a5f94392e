#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files that are there whole or not at all: a disk that fills up, folders where nothing may be written.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_daemon
ctl import "$SOURCE_ROOT/tests/accuracy/data/h200/device.calibration" >"$scratch/import" || bail "no import"
printf 'kernel void k(global float *a) { a[get_global_id(0)] = N; }\n' >"$scratch/k.cl"
# rows for two pages of memory, of one program: M is not in its text
python3 -c 'import json; print(json.dumps({"file": "k.cl", "kernel": "k", "parameters": {"N": [1], "M": list(range(1500))},
    "constants": {}, "global": [64], "args": [{"buffer": "float", "count": 64, "name": "a"}]}))' >"$scratch/space.json"
tune=("$PREDICTCTL" tune "$scratch/space.json" --predict-only --device H200)

# In a mount namespace of its own: a file system of 8 KiB, which holds neither a calibration nor a table.
mkdir "$scratch/small"
cat >"$scratch/full.sh" <<'S'
folder=$1
shift
mount -t tmpfs -o size=8k none "$folder" || exit 77
echo before >"$folder/file"
"$@"
code=$?
[ "$(cat "$folder/file")" = before ] || echo "it is no longer what it was"
[ "$(ls -A "$folder")" = file ] || echo "something is left: $(ls -A "$folder")"
exit $code
S
# full COMMAND...
full() { unshare -m bash "$scratch/full.sh" "$scratch/small" "$@"; }
full true >"$scratch/mounted" 2>&1
if [ $? -eq 0 ]; then
	expect "an export that the disk has no room for is a failure" 1 'small/file: No space left' full "$PREDICTCTL" export 1 "$scratch/small/file"
	is "and what was there stays, alone" "" "$(cat "$scratch/out")"
	expect "a backup, too" 1 'small/file: .*\(No space left\|full\)' full "$PREDICTCTL" backup "$scratch/small/file"
	is "and what was there stays, alone" "" "$(cat "$scratch/out")"
	expect "a table of tune, too" 1 'tune: .*small/file: No space left' full "${tune[@]}" --csv "$scratch/small/file"
	is "and what was there stays, alone" "" "$(grep 'no longer\|is left' "$scratch/out")"
	expect "a page, too" 1 'report: .*small/file: No space left' full "$PREDICTCTL" report "$scratch/k.cl" -D N --global n --over n=1K..1M:x2 \
		--arg buffer:4M --device H200 --output "$scratch/small/file"
	is "and what was there stays, alone" "" "$(cat "$scratch/out")"
	expect "rows of a sweep are said to be missing" 1 'sweep: .*small/file: No space left' full "$PREDICTCTL" sweep "$scratch/k.cl" \
		--over n=64..64000:+64 -D N --global n --arg buffer:256K --device H200 --csv "$scratch/small/file"
else
	ok "a disk that fills up # SKIP no mount namespace: $(tail -n 1 "$scratch/mounted")"
fi

# as a user who may write nothing there, but into a file of his own
if let_others_ask; then
	mkdir "$scratch/closed"
	echo before >"$scratch/closed/file"
	chown 65534 "$scratch/closed/file"
	chmod 777 "$scratch/run/predictd.sock"
	for words in "export 1 $scratch/closed/file" "export 1 $scratch/closed/new"; do
		# shellcheck disable=SC2086
		expect "${words##*/}: a folder where nothing may be made is a failure" 1 "closed/${words##*/}: Permission denied" \
			as 65534 65534 "" $words --socket "$PREDICTD_SOCKET"
	done
	is "and what was there stays, alone" "before file" "$(cat "$scratch/closed/file") $(ls -A "$scratch/closed")"
else
	ok "a folder where nothing may be written # SKIP not root"
fi
mkdir "$scratch/folder"
expect "a folder is no file" 1 'folder: Is a directory' ctl export 1 "$scratch/folder"
expect "nor is one in a folder that is not there" 1 'none/file: No such file' ctl export 1 "$scratch/none/file"
expect "an export that is whole is there" 0 '' ctl export 1 "$scratch/exported"
check "and nothing beside it" test "$(cd "$scratch" && echo exported*)" = exported
finish
