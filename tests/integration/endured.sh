#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs with the OpenCL layer where something else fails: the daemon, folders, descriptors. Each
# does and says what it does without.
. "$SOURCE_ROOT/tests/integration/common.sh"

if [ -z "$LAYER_PATH" ]; then
	printf '1..0 # SKIP the layer is not built\n'
	exit 0
fi
layer=$LAYER_PATH/libpredictd-layer.so
records=$scratch/records
mkdir -p "$records" "$scratch/cache"
export XDG_CACHE_HOME=$scratch/cache PREDICTD_LAYER_FOLDER=$records
unset OPENCL_LAYERS

# plain WAY [WORD]...: the test program without the layer; what it says is in $scratch/plain.
plain() {
	timeout 60 "$LAYER_PROGRAM" "$@" >"$scratch/plain" 2>&1
	wanted=$?
}
# followed WAY [WORD]...: with it.
followed() {
	OPENCL_LAYERS=$layer timeout 60 "$LAYER_PROGRAM" "$@" >"$scratch/said" 2>&1
	got=$?
}
# same SENTENCE: both ended and said the same.
same() {
	is "$1" "$wanted" "$got"
	check "$1: its output" cmp "$scratch/plain" "$scratch/said"
}
# recorded EXPRESSION: of Python, about the only record there is.
recorded() {
	json "$1" <"$(ls "$records"/*.json)"
	rm -f "$records"/*
}
seconds=3 # that a program goes on for, while something happens

plain use
PREDICTD_LAYER_FOLDER=/nonexistent/folder followed use
same "a folder for records that is not there"
PREDICTD_LAYER_FOLDER=/dev/null PREDICTD_LAYER_SPANS=1 followed use
same "a folder for records that is none"
XDG_CACHE_HOME=/dev/null followed use
same "a cache that is no folder"
is "no daemon is said to be away" True "$(recorded '"" != x["daemon"]["away"]')"

plain binary "$scratch/binary" write
XDG_CACHE_HOME=/dev/null followed binary "$scratch/binary" write
same "a binary that cannot be remembered"

# nothing can be written to a file, so that PoCL builds nothing; a pipe takes what the program says
plain use
for with in "$layer" ''; do
	(
		trap '' XFSZ
		ulimit -f 0
		OPENCL_LAYERS=$with exec timeout 60 "$LAYER_PROGRAM" use 2>&1
	) | cat >"$scratch/said${with:+.with}"
done
check "files that cannot be written" cmp "$scratch/said" "$scratch/said.with"
check "what the program said reached us" test -s "$scratch/said"
rm -f "$records"/* "$records"/.[!.]*

for few in 8 12 16 24; do
	(ulimit -n $few && plain use && exit $wanted)
	wanted=$?
	(ulimit -n $few && followed use && exit $got)
	got=$?
	# the layer needs none while the program starts: it may have one too few afterwards
	same "$few descriptors"
done
rm -f "$records"/*

# a daemon that takes no connection: its queue is full
"$PYTHON" - "$scratch/full" <<-'PYTHON' &
	import os, socket, sys, time
	full = socket.socket(socket.AF_UNIX)
	full.bind(sys.argv[1])
	full.listen(0)
	held = []
	for _ in range(4):
	    one = socket.socket(socket.AF_UNIX)
	    one.setblocking(False)
	    try:
	        one.connect(sys.argv[1])
	    except BlockingIOError:
	        break
	    held.append(one)
	os.rename(sys.argv[1], sys.argv[1] + ".ready")
	time.sleep(60)
PYTHON
taker=$!
for _ in $(seq 100); do
	[ -e "$scratch/full.ready" ] && break
	sleep 0.1
done
plain use
PREDICTD_SOCKET=$scratch/full.ready followed use
same "a socket that is full"
kill "$taker"
wait "$taker" 2>/dev/null
rm -f "$records"/*

start_calibrated
plain lasts $seconds
for what in STOP KILL; do
	followed lasts $seconds &
	program=$!
	sleep 1
	kill -$what "$daemon"
	wait "$program"
	check "a daemon that gets SIG$what meanwhile" cmp "$scratch/plain" "$scratch/said"
	is "launches are followed on" True "$(recorded 'sum(s["launches"] for s in x["shapes"]) > 100')"
	if [ $what = STOP ]; then
		kill -CONT "$daemon"
	fi
done
wait "$daemon" 2>/dev/null
daemon=
followed lasts $seconds &
program=$!
sleep 1
start_daemon
wait "$program"
check "a daemon that comes back meanwhile" cmp "$scratch/plain" "$scratch/said"
is "is asked then" True "$(recorded 'all("predicted" in s for s in x["shapes"])')"

plain closes
followed closes
same "a program that closes every descriptor"
is "the daemon is asked on another" True "$(recorded 'x["daemon"]["has_answered"] and all("predicted" in s for s in x["shapes"])')"
stop_daemon
is "the daemon ends as ever" 0 "$stopped"
finish
