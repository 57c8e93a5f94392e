#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Clients that send garbage, and one that does not notice.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_calibrated
for way in noise huge zero truncated text slow-prefix flood half-open deep unknown-id many-connections; do
	expect "a client of kind $way does no harm" 0 "" timeout 60 "$GARBAGE" "$PREDICTD_SOCKET" $way
	expect "and another goes on" 0 . ask
done
for _ in $(seq 5); do
	timeout 60 "$GARBAGE" "$PREDICTD_SOCKET" noise >/dev/null 2>&1 &
done
expect "while several do it, another goes on" 0 . ask
for job in $(jobs -p); do
	[ "$job" = "$daemon" ] || wait "$job"
done
resident=$(awk '/^VmRSS/ {print $2}' "/proc/$daemon/status")
printf '# resident afterwards: %s kB\n' "$resident"
kill -0 "$daemon" && ok "the daemon lives" || not_ok "the daemon lives"
stop_daemon
[ $stopped -eq 0 ] && ok "and ends with 0" || not_ok "and ends with 0: got $stopped"
finish
