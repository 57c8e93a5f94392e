#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Metrics: what was asked and observed is counted; the file, HTTP, the socket; names only where configured.
. "$SOURCE_ROOT/tests/integration/common.sh"
cp "$kernels/copy.cl" "$scratch"
chmod 755 "$scratch" "$scratch/run"

file=$scratch/run/predictd.prom
socket=$scratch/run/metrics.sock
metrics_config=("[metrics]" "file = $file" "interval_s = 1")
write_config 'socket_mode = 0666' "${metrics_config[@]}" "listen = unix:$socket"
start_calibrated

# of SAMPLE [COMMAND...]: its value, in what the command prints; `predictctl metrics` without one.
of() {
	local sample=$1
	shift
	[ $# -gt 0 ] || set -- ctl metrics
	"$@" | grep -F -- "$sample " | grep -v '^#' | sed "s/.* //"
}

# grows SENTENCE BY SAMPLE COMMAND...: the command adds so much to it.
grows() {
	local sentence=$1 by=$2 sample=$3 before
	shift 3
	before=$(of "$sample")
	"$@" >"$scratch/out" 2>&1
	is "$sentence" $((${before:-0} + by)) "$(of "$sample")"
}

# close SENTENCE WANT GOT: of numbers
close() {
	if python3 -c "import sys; sys.exit(not abs($2 - $3) < 1e-4)" 2>/dev/null; then
		ok "$1"
	else
		not_ok "$1: want $2, got $3"
	fi
}

# get ADDRESS [REQUEST]: what is answered by HTTP at a Unix socket's path, or a port
get() {
	python3 -c '
import socket, sys
where, request = sys.argv[1], sys.argv[2].encode().decode("unicode_escape").encode("latin-1")
s = socket.socket(socket.AF_INET if where.isdigit() else socket.AF_UNIX)
s.settimeout(60)
s.connect(("127.0.0.1", int(where)) if where.isdigit() else where)
s.sendall(request)
answer = b""
while part := s.recv(65536):
    answer += part
sys.stdout.buffer.write(answer)' "$1" "${2:-GET /metrics HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n}"
}

# becomes COMMAND...: it succeeds within a minute
becomes() {
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}

# promtool_accepts SENTENCE FILE
promtool_accepts() {
	if command -v promtool >/dev/null; then
		expect "$1" 0 '' promtool check metrics <"$2"
		promtool check metrics <"$2" >"$scratch/said" 2>&1
		is "$1, without a word" "" "$(cat "$scratch/said")"
	else
		ok "$1 # SKIP there is no promtool"
	fi
}

launch=("$scratch/copy.cl" --device 0 --global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4M:w)
key=$(ctl devices --json | json 'x["devices"][0]["key"]')

# ---- what is counted

grows "a question is counted" 1 'predictd_requests_total{request="predict"}' ctl predict "${launch[@]}"
grows "and timed" 1 'predictd_request_duration_seconds_count{request="predict"}' ctl predict "${launch[@]}"
grows "asked again, it is found in memory" 1 'predictd_cache_hits_total{cache="answers"}' ctl predict "${launch[@]}"
grows "and counts as a prediction" 1 'predictd_predictions_total' ctl predict "${launch[@]}"
grows "and is timed all the same" 1 'predictd_request_duration_seconds_count{request="predict"}' ctl predict "${launch[@]}"
grows "a new one is not" 1 'predictd_cache_misses_total{cache="answers"}' ctl predict "${launch[@]}" --idle 1ms
printf 'kernel void k(global float *x) { x[get_global_id(0)] = 3; }\n' >"$scratch/new.cl"
grows "a new source is analysed" 1 'predictd_analyses_total' \
	ctl predict "$scratch/new.cl" --device 0 --global 64 --arg buffer:4K
grows "a known one is not" 1 'predictd_cache_hits_total{cache="programs"}' \
	ctl predict "$scratch/new.cl" --device 0 --global 128 --arg buffer:4K
printf 'kernel void k(global float *x) { x[0] = ; }\n' >"$scratch/wrong.cl"
grows "a refusal is counted by its reason" 1 'predictd_refusals_total{status="syntax"}' \
	ctl predict "$scratch/wrong.cl" --device 0 --global 64 --arg buffer:4K
# listing devices looks again after a while: a slow machine's calibration lasts as long
is "each time that the calibrator looked for devices is counted" "$(grep -c devices-found "$scratch/log")" \
	"$(of 'predictd_calibrator_runs_total{run="scan"}')"
is "status has the same numbers" "$(of predictd_predictions_total)" "$(ctl status --json | json 'x["predictions"]')"
is "a device is known by its key" 1 "$(of "predictd_device_calibrated{device=\"$key\"}")"
is "events are counted" 1 "$(of 'predictd_events_total{event="started"}')"

# ---- how good predictions are

static=$(ctl predict "${launch[@]}" --static --json | json 'x["predictions"][0]["kernel_time_s"]')
window="{device=\"$key\",of=\"kernel\",basis=\"static\"}"
ctl observe "${launch[@]}" --time-s "$(python3 -c "print(100 * $static)")" >/dev/null
is "a run is judged by the answer before it" 1 "$(of "predictd_judged_runs_total$window")"
close "its error is that of the first answer" 4.60517 "$(of "predictd_prediction_error_median$window")"
is "its interval did not hold it" 0 "$(of "predictd_interval_coverage_ratio$window")"
other=("$scratch/new.cl" --device 0 --global 1048576 --local 64 --arg buffer:4M)
static=$(ctl predict "${other[@]}" --static --json | json 'x["predictions"][0]["kernel_time_s"]')
window="{device=\"$key\",of=\"kernel\",basis=\"observed\"}"
grows "a report is counted" 3 predictd_observations_total \
	ctl observe "${launch[@]}" --time-s 1ms --time-s 1ms --time-s 1ms
is "later runs are judged as observed ones" 3 "$(of "predictd_judged_runs_total$window")"
grows "a run that is no fair test is not judged" 0 "predictd_judged_runs_total$window" \
	ctl observe "${launch[@]}" --time-s 1ms --first-run
grows "but counted" 1 predictd_observations_total ctl observe "${launch[@]}" --time-s 1ms --first-run
ctl observe --name gemm --device cpu:secret --global 512 --time-s 2ms >/dev/null
ctl observe --name gemm --device cpu:secret --global 512 --time-s 4ms >/dev/null
close "a kernel without source is judged by its history" 0.693147 \
	"$(of 'predictd_prediction_error_median{device="without-source",of="kernel",basis="observed"}')"
is "observations are committed" yes "$([ "$(of predictd_store_commit_duration_seconds_count)" -gt 0 ] && echo yes)"
is "nothing waits for the store" 0 "$(of predictd_store_jobs_waiting)"
is "which is up" 1 "$(of predictd_store_up)"

# ---- names

ctl metrics >"$scratch/metrics"
promtool_accepts "promtool accepts what predictctl prints" "$scratch/metrics"
# is_nameless FILE: neither kernels nor users, nor devices of their own choice
is_nameless() {
	! grep -qE 'kernel="|user="|gemm|secret|copy\.cl' "$1"
}
check "there are no names in it" is_nameless "$scratch/metrics"
expect "it has no JSON" 2 'json' ctl metrics --json

# ---- HTTP

get "$socket" >"$scratch/answer"
is "GET /metrics is answered" 'HTTP/1.1 200 OK' "$(head -n 1 "$scratch/answer" | tr -d '\r')"
check "in Prometheus' text format" grep -q '^Content-Type: text/plain; version=0.0.4' "$scratch/answer"
sed '1,/^\r$/d' "$scratch/answer" >"$scratch/body"
is "as long as it says" "$(wc -c <"$scratch/body")" \
	"$(sed -n 's/^Content-Length: \([0-9]*\)\r$/\1/p' "$scratch/answer")"
families() {
	sed -n 's/^# TYPE //p' "$1"
}
is "with the same families" "$(families "$scratch/metrics")" "$(families "$scratch/body")"
promtool_accepts "promtool accepts it" "$scratch/body"
status_of() {
	get "$@" | head -n 1 | cut -d' ' -f2
}
is "another page there is none" 404 "$(status_of "$socket" 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')"
is "nor another method" 405 "$(status_of "$socket" 'POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n')"
is "what is no HTTP is refused" 400 "$(status_of "$socket" '\x16\x03\x01\x02\r\n\r\n')"
is "and headers without end" 431 "$(status_of "$socket" "GET /metrics HTTP/1.1\\r\\n$(printf 'a: b\\r\\n%.0s' $(seq 5000))")"
is "who sends no request is sent away" "" "$(get "$socket" 'GET /met')"
cat >"$scratch/crowd.py" <<'PY'
import socket, sys
silent = []
for _ in range(12):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(sys.argv[1])
    silent.append(s)
asking = []
for _ in range(12):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(sys.argv[1])
    s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    asking.append(s)
answered = 0
for s in asking:
    answer = b""
    while part := s.recv(65536):
        answer += part
    answered += answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"\n")
    s.close()
print(answered)
PY
is "behind more silent clients than may be there, everybody is answered" 12 "$(python3 "$scratch/crowd.py" "$socket")"
expect "and the daemon is asked as before" 0 '' ctl predict "${launch[@]}"

# ---- the file

check "the file is written" becomes test -s "$file"
is "for others to read" 644 "$(stat -c %a "$file")"
promtool_accepts "promtool accepts it" "$file"
check "it has no names" is_nameless "$file"
is_current() {
	[ "$(of predictd_predictions_total cat "$file")" = "$(of predictd_predictions_total)" ]
}
check "it follows" becomes is_current
whole=0
for _ in $(seq 100); do
	[ "$(head -n 1 "$file" | cut -c 1-8) $(tail -n 1 "$file" | cut -c 1-8)" = "# HELP p predictd" ] && whole=$((whole + 1))
	sleep 0.02
done
is "whenever it is read, it is whole" 100 $whole

# ---- another configuration, while it runs

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
write_config 'socket_mode = 0666' "[metrics]" "file = $scratch/nowhere/predictd.prom" "interval_s = 1" \
	"listen = 127.0.0.1:$port" "names = yes"
kill -HUP "$daemon"
check "a port of the loopback interface answers" becomes get "$port"
is "with the page" 200 "$(status_of "$port")"
[ ! -e "$socket" ] && ok "the Unix socket has gone" || not_ok "the Unix socket has gone"
check "and the file" becomes test ! -e "$file"
check "one that cannot be written is logged" becomes grep -q 'metrics-failed why="/.*nowhere/predictd.prom.new: No such' "$scratch/log"
ctl observe "${launch[@]}" --time-s 1ms >/dev/null
ctl observe --name gemm --device cpu:secret --global 512 --time-s 4ms >/dev/null
is "with names, kernels have theirs" 1 "$(of "predictd_kernel_judged_runs_total{device=\"$key\",kernel=\"copy\"}")"
is "without source, too" 1 "$(of 'predictd_kernel_judged_runs_total{device="without-source",kernel="gemm"}')"
is "and users their ids" yes "$([ -n "$(of "predictd_user_connections{user=\"$(id -u)\"}")" ] && echo yes)"
ctl metrics >"$scratch/named"
promtool_accepts "promtool accepts names" "$scratch/named"
if let_others_ask; then
	as 12345 12345 "" metrics >"$scratch/other.metrics"
	is "who is no administrator gets the same families" "$(families "$scratch/metrics")" "$(families "$scratch/other.metrics")"
	check "without names" is_nameless "$scratch/other.metrics"
else
	ok "who is no administrator gets no names # SKIP to be another user takes root"
fi
write_config 'socket_mode = 0666'
kill -HUP "$daemon"
no_longer_listens() {
	! get "$port"
}
check "without the section nobody listens" becomes no_longer_listens
check "names are forgotten" is_nameless <(ctl metrics)

# ---- what is refused

# refuses SENTENCE FRAGMENT LINE
refuses() {
	printf '[metrics]\n%s\n' "$3" >"$scratch/wrong.conf"
	expect "$1" 1 "wrong.conf:2: \[metrics\] $2" "$PREDICTD" --config "$scratch/wrong.conf" --check-config
}
refuses "an address that others reach is an error" 'listen: want unix:/PATH, 127.0.0.1:PORT' 'listen = 0.0.0.0:9178'
refuses "so is a name" 'listen: want' 'listen = localhost:9178'
refuses "and a path that is relative" 'listen: want' 'listen = unix:metrics.sock'
refuses "also of the file" 'file: want an absolute path' 'file = predictd.prom'
refuses "names are or are not" 'names: want yes or no' 'names = some'
refuses "an interval has bounds" 'interval_s: want 1 to 3600' 'interval_s = 0'
stop_daemon

# a port that another has: the daemon serves without
python3 -c '
import socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1])))
s.listen()
time.sleep(600)' "$port" &
holder=$!
taken() {
	python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])))' "$port"
}
becomes taken
write_config "${metrics_config[@]}" "listen = 127.0.0.1:$port"
start_daemon
check "a port that another has is logged" becomes grep -q 'metrics-failed why="\[metrics\] listen = 127' "$scratch/log"
check "the daemon serves without it, and writes its file" becomes test -s "$file"
kill $holder
wait $holder 2>/dev/null
kill -HUP "$daemon"
check "a reload has it, once it is free" becomes get "$port"
stop_daemon
[ ! -e "$file" ] && ok "a daemon that ended leaves no file" || not_ok "a daemon that ended leaves no file"

# ---- the dashboard

named() {
	python3 - "$SOURCE_ROOT/docs/grafana.json" <<'PY'
import json, re, sys
dashboard = json.load(open(sys.argv[1]))
text = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", []))
text += " ".join(str(variable["query"]) for variable in dashboard["templating"]["list"])
print("\n".join(sorted({re.sub("_bucket$", "", name) for name in re.findall(r"predictd_[a-z_]+", text)})))
PY
}
named >"$scratch/wanted"
is "the dashboard asks for many of the metrics" yes "$([ "$(wc -l <"$scratch/wanted")" -gt 25 ] && echo yes)"
is "and for none that there is not" "" \
	"$(families "$scratch/metrics" | cut -d' ' -f1 | sort | comm -13 - "$scratch/wanted" | tr '\n' ' ')"
# Evaluated by promtool over the daemon's own samples, which rise here: each expression gives something,
# with the labels that its legend names.
evaluated() {
	python3 - "$SOURCE_ROOT/docs/grafana.json" "$1" <<'PY'
import json, re, sys
dashboard = json.load(open(sys.argv[1]))
series, kinds = [], {}
for line in open(sys.argv[2]):
    if line.startswith("# TYPE "):
        kinds[line.split()[2]] = line.split()[3]
    elif not line.startswith("#"):
        name, labels, value = re.fullmatch(r"([a-z_]+)(?:\{(.*)\})? (\S+)\n", line).groups()
        labels = ",".join(filter(None, ['instance="node"', labels]))
        rises = kinds.get(name, "histogram") in ("counter", "histogram")
        values = f"{value}+1x60" if rises else f"{value}x60"
        series.append({"series": f"{name}{{{labels}}}", "values": values})
tests = []
for panel in dashboard["panels"]:
    for target in panel.get("targets", []):
        expression = target["expr"]
        for variable, value in ("$instance", "node"), ("$__rate_interval", "5m"), ("$__range", "30m"):
            expression = expression.replace(variable, value)
        legend = sorted(set(re.findall(r"{{(\w+)}}", target["legendFormat"])))
        assert legend or target["legendFormat"], panel["title"]
        for label in legend:
            expression = f'label_replace({expression}, "has_{label}", "yes", "{label}", ".+")'
        by = ", ".join(f"has_{label}" for label in legend)
        want = "{" + ", ".join(f'has_{label}="yes"' for label in legend) + "}"
        tests.append({"expr": f"count by ({by}) ({expression}) > bool 0", "eval_time": "50m",
                      "exp_samples": [{"labels": want, "value": 1}]})
print(json.dumps({"evaluation_interval": "1m",
                  "tests": [{"interval": "1m", "input_series": series, "promql_expr_test": tests}]}))
PY
}
if command -v promtool >/dev/null; then
	evaluated "$scratch/metrics" >"$scratch/dashboard.json"
	is "it has some 30 questions" yes "$([ "$(grep -o '"expr"' "$scratch/dashboard.json" | wc -l)" -ge 30 ] && echo yes)"
	expect "promtool answers each of them, with the labels of its legend" 0 SUCCESS promtool test rules "$scratch/dashboard.json"
else
	ok "promtool answers each of them # SKIP there is no promtool"
fi
finish
