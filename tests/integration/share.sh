#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two nodes' daemons: what one observed, told to the other by who shares, moves its answers; its
# calibration is borrowed until there is another; and other users may not.
. "$SOURCE_ROOT/tests/integration/common.sh"
cp "$kernels/copy.cl" "$scratch"
launch=("$scratch/copy.cl" --device 0 --global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4M:w)
sharer() {
	"$PYTHON" "$SOURCE_ROOT/tests/integration/sharer.py" "$@"
}
# answer EXPRESSION: of the prediction p
answer() {
	ctl predict "${launch[@]}" --json 2>/dev/null | json "(lambda p: $1)(x['predictions'][0])"
}

# the other node, which has run the kernel
write_config
start_calibrated
slow=$(python3 -c "print(3 * $(answer 'p["kernel_time_s"]'))")
expect "the other node observes" 0 '1 of 1' ctl observe "${launch[@]}" --time-s "$slow"
other=$daemon other_socket=$PREDICTD_SOCKET

# this one, which has not, and has no calibration
daemon=
export PREDICTD_SOCKET=$scratch/run/this.sock
end() {
	stop_daemon
	daemon=$other
	leave
}
trap end EXIT
{
	printf '[calibration]\nat_start = never\n[daemon]\nsocket = %s\nstate = %s\nsocket_mode = 0666\n' "$PREDICTD_SOCKET" "$scratch/this"
	printf '[share]\nuser = nobody\n'
} >"$scratch/predictd.conf"
start_daemon
expect "a device without calibration predicts nothing" 4 'not calibrated' ctl predict "${launch[@]}"
expect "a calibration can be borrowed" 0 '^7$' sharer borrow "$other_socket" "$PREDICTD_SOCKET" 7
expect "devices say so" 0 'borrowed from 7 nodes' ctl devices
is "as JSON, too" 7 "$(ctl devices --json | json 'x["devices"][0]["borrowed_nodes"]')"
expect "and answers" 0 'the calibration is borrowed from 7 nodes' ctl predict "${launch[@]}"
is "which are static so far" static "$(answer 'p["basis"]')"
is "of no other node's runs" 0 "$(answer 'p["nodes"]')"
expect "and status" 0 'borrowed devices *1' ctl status
is "and doctor" 1 "$(ctl doctor 2>&1 | grep -c 'borrowed from 7 nodes')"

expect "what the other observed is told" 0 '^1 $' sharer copy "$other_socket" "$PREDICTD_SOCKET" 7
for _ in $(seq 100); do
	[ "$(answer 'p["nodes"]')" = 7 ] && break
	sleep 0.1
done
is "and answers rest on it" 7 "$(answer 'p["nodes"]')"
is "as refined" refined "$(answer 'p["basis"]')"
is "and are the median of nodes" True "$(answer "abs(p['kernel_time_s'] / $slow - 1) < 0.01")"
expect "as people are told" 0 'refined, by 7 nodes of the site' ctl predict "${launch[@]}"
expect "status counts it apart" 0 'from other nodes *1' ctl status
is "from what was observed here" 0 "$(ctl status --json | json 'x["observations"]')"
is "Python knows it, too" 7 "$("$PYTHON" -c "
import predictd
client = predictd.connect()
program = client.register(open('$scratch/copy.cl').read())
buffers = [predictd.Buffer(4 << 20, 'r'), predictd.Buffer(4 << 20, 'w')]
print(client.predict(predictd.Launch(program, 1048576, 64, buffers), device=0).nodes)" 2>&1)"
expect "nothing of it is handed out" 0 '^0 0$' sharer read "$PREDICTD_SOCKET" 0
fast=$(python3 -c "print($slow / 2)")
expect "an own run" 0 '1 of 1' ctl observe "${launch[@]}" --time-s "$fast"
is "outweighs it" True "$(answer "p['kernel_time_s'] < 1.2 * $fast and p['nodes'] == 0")"
expect "and is handed out once" 0 '^1 1$' sharer read "$PREDICTD_SOCKET" 0
expect "and not again" 0 '^0 1$' sharer read "$PREDICTD_SOCKET" 1

if let_others_ask; then
	others() {
		setpriv --reuid="$1" --regid="$1" --clear-groups env PYTHONDONTWRITEBYTECODE=1 \
			"$PYTHON" "$scratch/others/sharer.py" read "$PREDICTD_SOCKET" 0
	}
	install -m 644 "$SOURCE_ROOT/tests/integration/sharer.py" "$scratch/others"
	cp -r "${PYTHONPATH%%:*}/predictd" "$scratch/others/"
	chmod -R a+rX "$scratch/others"
	expect "who is named may read" 0 '^1 1$' others "$(id -u nobody)"
	expect "nobody else" 1 '\[share\] user' others 12345
	sed -i 's/^user = .*/user =/' "$scratch/predictd.conf"
	kill -HUP "$daemon"
	for _ in $(seq 100); do
		others "$(id -u nobody)" >/dev/null 2>&1 || break
		sleep 0.1
	done
	expect "nor the one who was, once the configuration is read again" 1 '\[share\] user' others \
		"$(id -u nobody)"
fi
printf '[share]\nrecords_max = none\n' >"$scratch/bad.conf"
expect "a configuration that is wrong is told" 1 'share\] records_max: want' \
	"$PREDICTD" --check-config --config "$scratch/bad.conf"

check "a calibration that was measured" env PREDICTD_SOCKET="$other_socket" "$PREDICTCTL" export 0 \
	"$scratch/measured.cal"
check "is imported as ever" ctl import "$scratch/measured.cal"
is "and replaces the borrowed one" 0 "$(ctl devices --json | json 'x["devices"][0]["borrowed_nodes"]')"
expect "which comes back no more" 1 'calibration of its own' sharer borrow "$other_socket" "$PREDICTD_SOCKET" 7
finish
