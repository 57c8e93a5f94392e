#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every launch of the real kernels has a static answer, not a fallback. From meson: see
# tests/integration/common.sh.
. "$SOURCE_ROOT/tests/integration/common.sh"

export OCL_ICD_VENDORS=/nonexistent

# answered SET: as many static answers as cases; says which are not, and no predicted time.
answered() {
	local cases=$SOURCE_ROOT/tests/accuracy/cases/$1.json

	ctl predict --cases "$cases" --device 0 --csv >"$scratch/$1.csv"
	awk -F, 'NR > 1 && $10 != "static" { print "# " $1 ": " $10 ", " $12 $13 }' "$scratch/$1.csv"
	test "$(grep -c '"id"' "$cases")" = "$(awk -F, '$10 == "static"' "$scratch/$1.csv" | wc -l)"
}

start_daemon
ctl import "$SOURCE_ROOT/tests/accuracy/data/pocl-2/device.calibration" >/dev/null || bail "no import"
for set in library unseen; do
	check "$set: every launch has a static answer" answered "$set"
done
finish
