#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A process that lives with the daemon for half a minute; see living.c, which starts it.
. "$SOURCE_ROOT/tests/integration/common.sh"

write_config 'log_level = warning'
export OCL_ICD_VENDORS=/nonexistent
"$LIVING" "$PREDICTD" "$scratch/predictd.conf" "$kernels/copy.cl" \
	"$SOURCE_ROOT/tests/accuracy/data/pocl-2/device.calibration" 2>"$scratch/log"
status=$?
[ $status -eq 0 ] || sed 's/^/# /' "$scratch/log"
exit $status
