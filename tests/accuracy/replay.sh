#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Evaluates the model against recorded measurements, without the devices: each
# folder of data/ holds a calibration, the times of cases files as NAME.csv, and `floor`,
# what a later change may not lower:
#
#   NAME METRIC=VALUE...
#
# NAME is cases/NAME.json; random-SEED is what ../generate makes of that seed, those cases
# alone that were measured; of other sets what has no time counts for nothing. The metrics are
# those of `predictctl evaluate --require`. In all, `default` must also have more launches within
# x1.5 than `pattern` and `uncached`. From meson: see tests/integration/common.sh.
. "$SOURCE_ROOT/tests/integration/common.sh"

# No device of this machine: answers come from the recorded calibration alone.
export OCL_ICD_VENDORS=/nonexistent

accuracy=$SOURCE_ROOT/tests/accuracy

# share MODEL FILE: the percentage within x1.5 over all cases.
share() {
	awk -v model="$1" '$1 == "all" && $2 == model && !done { gsub(/%/, ""); print $5; done = 1 }' "$2"
}

for folder in "$accuracy"/data/*/; do
	name=$(basename "$folder")
	rm -rf "$scratch/state"
	start_daemon
	"$PREDICTCTL" import "$folder"/*.calibration >/dev/null || bail "$name: no import"
	while read -r cases floors; do
		case $cases in
		'' | \#*)
			continue
			;;
		random-*)
			file=$scratch/$name-$cases/cases.json
			PYTHONDONTWRITEBYTECODE=1 "$accuracy/generate" --seed "${cases#random-}" \
				--only "$folder/$cases.csv" "${file%/*}" || bail "$name: no $cases"
			;;
		*)
			file=$accuracy/cases/$cases.json
			;;
		esac
		requirements=()
		for floor in $floors; do
			requirements+=(--require "$floor")
		done
		# all three models at once: what is required is required of the first, `default`
		sentence="$name $cases keeps $floors"
		if "$PREDICTCTL" evaluate --cases "$file" --device 0 --measured "$folder/$cases.csv" \
			"${requirements[@]}" >"$scratch/out" 2>&1; then
			ok "$sentence"
		else
			sed 's/^/# /' "$scratch/out"
			not_ok "$sentence"
		fi
		default=$(share default "$scratch/out")
		sentence="$name $cases: default is the best of three models"
		if [ "${default:-0}" -gt "$(share pattern "$scratch/out")" ] &&
			[ "${default:-0}" -gt "$(share uncached "$scratch/out")" ]; then
			ok "$sentence"
		else
			sed 's/^/# /' "$scratch/out"
			not_ok "$sentence"
		fi
	done <"$folder/floor"
	stop_daemon
done
printf '1..%d\n' $tests
