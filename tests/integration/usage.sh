#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Words that are wrong or missing end every command with 2, and with what is wanted; what is wrong elsewhere does not.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_daemon

cat >"$scratch/k.cl" <<'K'
kernel void k(global float *a, float s) { a[get_global_id(0)] *= s; }
K
cp "$scratch/k.cl" "$scratch/a:b.cl"
echo '[{"id": "a", "file": "k.cl", "global": [64], "args": [{"buffer": 256}, {"scalar": "float", "value": 1}]}]' >"$scratch/cases.json"
echo '{"file": "k.cl", "kernel": "k", "parameters": {"N": [1]}, "global": [64],
 "args": [{"buffer": "float", "count": 64, "name": "a"}, {"scalar": "float", "value": 1}]}' >"$scratch/space.json"
cd "$scratch" || bail "no folder"

# wrong: a line each: what is said, and the words; the shell's quotes hold
while IFS='|' read -r wanted words; do
	eval "set -- $words"
	expect "$words: is wrong usage" 2 "$wanted" ctl "$@"
	is "and its first line says of what" "predictctl: " "$(head -c 12 "$scratch/err")"
done <<'W'
want --global|advise k.cl
want FILE.cl or --cases|advise --global 64
--cases|advise k.cl --cases cases.json --global 64
--arg 0|advise k.cl --global 64 --arg buffer
--arg 1.*many|advise k.cl --global 64 --arg buffer:256 --arg float:many
--launches|advise k.cl --global 64 --launches 0
--global: it goes with FILE.cl|advise --cases cases.json --global 64
not allowed with|advise k.cl --global 64 --json --sarif
want --global|report k.cl
want FILE.cl, --cases|report --global 64
-D: it goes with FILE.cl|report --cases cases.json -D N=3
--over: it goes with FILE.cl: what ran|report --run run.json --over n=1..4
--measure: it goes with FILE.cl: what ran|report --run run.json --measure
--over|report k.cl --over n --global 64
the following arguments are required: --global|sweep k.cl
the following arguments are required: FILE|sweep --global 64
--over: want NAME=|sweep k.cl --over n --global n
--over n: want|sweep k.cl --over n=8..4 --global n
--over n: more than|sweep k.cl --over n=1..100000:+1 --global n
--global: .* no parameter .m|sweep k.cl --over n=1 --global m
--global: want three|sweep k.cl --global 1,2,3,4
--local: want 1 sizes|sweep k.cl --global 1 --local 1,1
--arg 0: want|sweep k.cl --global 64 --arg quux
--arg 1: want|sweep k.cl --global 64 --arg buffer:256 --arg quux:
-D|sweep k.cl --global 64 -D 3N=1
--where|sweep k.cl --global 64 --where 'n <'
--hint: want|sweep k.cl --global 64 --hint loop
--timeout: want more than 0|sweep k.cl --global 64 --timeout 0
--timeout: want more than 0|sweep k.cl --global 64 --timeout nan
--json and --csv|sweep k.cl --global 64 --json --csv -
invalid choice|sweep k.cl --global 64 --model best
unrecognized arguments: --frob|sweep k.cl --global 64 --frob
required: SPACE.json|tune
--time: want 0 or more|tune space.json --time -1
--timeout: want more than 0|tune space.json --timeout 0
--runs: want 0 or more|tune space.json --runs -1
--gain: want a share|tune space.json --gain 3
--chance: want a share|tune space.json --chance -0.1
invalid float|tune space.json --time soon
want init SERVER|share
want --global|split k.cl
--dimension|split k.cl --global 64 --dimension 3
--granule|split k.cl --global 64 --granule 0
want --global|place k.cl
--method|place --cases cases.json --method best
want --time-s|observe k.cl --global 64
--time-s|observe k.cl --global 64 --time-s soon
want --cases|evaluate
--require|evaluate --cases cases.json --require accuracy=1
--runs|measure k.cl --runs 2
--budget|measure k.cl --budget -1
--idle|predict k.cl --global 64 --idle never
--explain|predict k.cl --explain=everything
--model|predict k.cl --model best
--count|history k.cl --count 0
--age|forget --age old
want --kernel|forget
--size|cases k.cl --size 0
want DEVICE|remove
want DEVICE FILE|export 0
want FILE|import
want FILE|backup
want FILE DIR|restore only
have 2 arguments|calibrate 0 1
--interval|status --watch --interval 0
--count|top --count 0
--timeout|waitsync --timeout soon
want session, user|layer on everywhere
PROGRAM .ARGUMENT.|run
want no argument|doctor now
--symbol|starpu-export cases.json --symbol
--opencl|starpu-export cases.json --opencl 0
no such command|help frobnicate
W

expect "a source that is not there is no wrong word" 1 'none.cl: No such file' ctl predict none.cl --global 64
expect "nor is a cases file" 1 'none.json: No such file' ctl report --cases none.json
expect "nor is a space" 1 'tune: none.json: No such file' ctl tune none.json
expect "nor is a device" 4 'is calibrated: type' ctl sweep k.cl --global 64 --arg buffer:256 --arg float:1
expect "nor is a daemon that is not there" 3 . ctl sweep k.cl --global 64 --socket "$scratch/none"
expect "a file with a colon in its name is one" 4 'calibrated' ctl predict a:b.cl --global 64 --arg buffer:256 --arg float:1
expect "and with its kernel behind" 4 'calibrated' ctl predict a:b.cl:k --global 64 --arg buffer:256 --arg float:1
expect "for commands in Python, too" 4 'calibrated' ctl advise a:b.cl:k --global 64 --arg buffer:256 --arg float:1
finish
