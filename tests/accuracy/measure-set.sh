#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# measure-set with a stand-in for predictctl: what it makes of times, what it keeps, where it resumes.
# From meson: see tests/integration/common.sh.
. "$SOURCE_ROOT/tests/integration/common.sh"
export PYTHONDONTWRITEBYTECODE=1

# Times of 1 ms; the case "two-faced" takes twice as long every other time; "broken" fails.
mkdir "$scratch/bin"
cat >"$scratch/bin/predictctl" <<'END'
#!/usr/bin/env python3
import json, pathlib, sys, time
folder = pathlib.Path(__file__).parent
if "devices" in sys.argv and (folder / "type").exists():
    print(json.dumps({"devices": [{"index": 0, "name": "one", "type": (folder / "type").read_text()}]}))
    sys.exit(0)
if "measure" not in sys.argv:
    sys.exit(3)
if (folder / "hangs").exists():
    (folder / "hangs").write_text("now")
    time.sleep(60)
told = []
for case in json.load(open(sys.argv[sys.argv.index("--cases") + 1])):
    calls = folder / case["id"]
    visits = len(calls.read_text()) if calls.exists() else 0
    calls.write_text("x" * (visits + 1))
    time_s = 0.002 if case["id"] == "r.two-faced" and visits % 2 else 0.001
    if case["id"] == "r.broken":
        told.append({"case": case["id"], "kernel": "k", "error": "it broke"})
        continue
    names = ("launch_time_s", "wall_s", "h2d_time_s", "d2h_time_s", "build_s")
    told.append({"case": case["id"], "kernel": "k", "error": "", "runs": 5, "times_s": [time_s] * 5,
                 **dict.fromkeys(names, 0)})
json.dump({"measurements": told}, sys.stdout)
END
chmod +x "$scratch/bin/predictctl"
cat >"$scratch/cases.json" <<'END'
[{"id": "r.steady", "file": "x.cl", "global": [64], "args": []},
 {"id": "r.two-faced", "file": "x.cl", "global": [64], "args": []},
 {"id": "r.broken", "file": "x.cl", "global": [64], "args": []}]
END

# shellcheck disable=SC2317  # called by expect
measure_set() {
	PATH=$scratch/bin:$PATH "$SOURCE_ROOT/tests/accuracy/measure-set" "$scratch/cases.json" "$scratch/result.csv" "$@"
}

visits() {
	wc -c <"$scratch/bin/$1"
}

expect "the halves of one case of two agree" 0 "all: 2 cases, noise ceiling 50.0 % within 30 %" measure_set
check "the columns are those of measure --csv" grep -qx \
	"case,kernel,runs,kernel_time_s,min_s,mean_s,p90_s,launch_time_s,wall_s,h2d_time_s,d2h_time_s,build_s,error" \
	"$scratch/result.csv"
check "a case that fails has a row with its error" grep -q "^r.broken,k,.*,it broke$" "$scratch/result.csv"
check "a time is the median of all rounds" grep -q "^r.steady,k,20,0.001,0.001,0.001," "$scratch/result.csv"
check "a case whose rounds agree is left alone after four" test "$(visits r.steady)" = 4
check "a case whose rounds differ is repeated until there is no point" test "$(visits r.two-faced)" = 40
expect "what was measured is not measured again" 0 "noise ceiling 50.0 %" measure_set --target 0.4
check "and nothing ran" test "$(visits r.steady) $(visits r.two-faced)" = "4 40"
printf '{"case": "r.ste' >>"$scratch/result.rounds"
expect "a line cut short by a kill is passed over" 0 "passed over" measure_set --target 0.4
python3 - "$scratch/cases.json" >"$scratch/twice.json" <<'END'
import json, sys
cases = json.load(open(sys.argv[1]))
json.dump(cases + cases[1:2], sys.stdout)
END
mv "$scratch/cases.json" "$scratch/once.json" && mv "$scratch/twice.json" "$scratch/cases.json"
twice="cases.json: case 3: id 'r.two-faced' is that of case 1 too"
expect "an id that comes twice is named with both places" 1 "measure-set: .*$twice" measure_set
expect "also where buffers are guarded" 1 "guard.py: .*$twice" python3 "$SOURCE_ROOT/tests/accuracy/guard.py" "$scratch/cases.json"
mv "$scratch/once.json" "$scratch/cases.json"
expect "a budget that is no time is refused" 2 "want a duration" measure_set --budget soon
rm "$scratch"/result.* "$scratch"/bin/r.*
expect "the target ends the repeats" 0 "noise ceiling 50.0 %" measure_set --target 0.5
check "after four rounds each" test "$(visits r.two-faced)" = 4
rm "$scratch"/result.*
printf gpu >"$scratch/bin/type"
expect "a GPU's ceiling is higher" 0 "noise ceiling 50.0 % of 95 %" measure_set
rm "$scratch/bin/type" "$scratch"/result.*
expect "where nothing ran twice no ceiling is told" 0 "all: 2 cases, each measured once: the noise ceiling is not known" \
	measure_set --budget 0.000001

# interrupted: what has run is kept, in one line, and the same command goes on
interrupted() {
	printf '' >"$scratch/bin/hangs"
	# a shell has its background children ignore SIGINT
	python3 - "$SOURCE_ROOT/tests/accuracy/measure-set" "$scratch" <<'END'
import os, pathlib, signal, subprocess, sys, time
folder = pathlib.Path(sys.argv[2])
environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
signal.signal(signal.SIGINT, signal.default_int_handler)
run = subprocess.Popen([sys.argv[1], folder / "cases.json", folder / "result.csv"], env=environment,
                       stderr=subprocess.PIPE, text=True, start_new_session=True)
while not (folder / "bin/hangs").read_text():
    time.sleep(0.05)
os.killpg(run.pid, signal.SIGINT)
told = run.communicate()[1]
assert run.returncode == 130 and "Traceback" not in told.split("measure-set:")[-1], (run.returncode, told)
assert "measure-set: interrupted; the same command goes on from here" in told, told
END
}
check "an interrupted run says so" interrupted
rm "$scratch/bin/hangs"
check "and has kept what it had" grep -q "^r.steady,k,5,0.001," "$scratch/result.csv"

# refused TEXT SENTENCE: a cases file with that text
refused() {
	printf '%s' "$1" >"$scratch/bad.json"
	PATH=$scratch/bin:$PATH "$SOURCE_ROOT/tests/accuracy/measure-set" "$scratch/bad.json" "$scratch/bad.csv"
}
expect "a cases file that ends early is named" 1 "^measure-set: .*bad.json: .*line 1" refused '[{"id": "a",'
expect "one without cases as well" 1 "^measure-set: .*bad.json: want an array of cases, one or more" refused '[]'
expect "a case without an id as well" 1 "^measure-set: .*bad.json: case 0: want an object with id, file and global" refused '[{}]'
expect "where no case ran the first one's error is told" 1 "^measure-set: no case was measured: r.broken: it broke" \
	refused '[{"id": "r.broken", "file": "x.cl", "global": [64], "args": []}]'
expect "a target that is no share is refused" 2 "want a share, 0 to 1, have 3" measure_set --target 3
finish
