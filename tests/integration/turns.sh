#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Turns: a user who asks without end beside another; see turns.py.
. "$SOURCE_ROOT/tests/integration/common.sh"

write_config 'socket_mode = 0666'
chmod 755 "$scratch" "$scratch/run"
start_calibrated
"$PYTHON" "$SOURCE_ROOT/tests/integration/turns.py"
status=$?
kill -0 "$daemon" || status=1
stop_daemon TERM
[ $stopped -eq 0 ] || status=1
exit $status
