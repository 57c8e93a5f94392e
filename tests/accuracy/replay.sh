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
# those of `predictctl evaluate --require`. With the argument `all` instead, `default` must have more
# launches within x1.5 than `pattern` and `uncached`. From meson: see tests/integration/common.sh.
#
#   replay.sh [default | all] [FOLDER...]
#
# Without a FOLDER, all of data/ are replayed, and the tables of docs/accuracy.md and README.md
# must say what they answer.
# ANSWERS=FOLDER keeps the answers there as DATA.SET.json, for ./page.
. "$SOURCE_ROOT/tests/integration/common.sh"

# No device of this machine: answers come from the recorded calibration alone.
export OCL_ICD_VENDORS=/nonexistent

accuracy=$SOURCE_ROOT/tests/accuracy

models=${1:-default}
[ $# -eq 0 ] || shift
folders=()
for name in "$@"; do
	folders+=("$accuracy/data/$name/")
done
whole=
if [ ${#folders[@]} -eq 0 ]; then
	whole=yes
	folders=("$accuracy"/data/*/)
fi
answers=${ANSWERS:-$scratch/answers}
mkdir -p "$answers"

# keeps CASES MEASURED ANSWERS FLOOR...: the default model alone.
keeps() {
	"$PREDICTCTL" evaluate --json --model default --cases "$1" --device "$device" --measured "$2" "${@:4}" >"$3"
}

# is_best CASES MEASURED ANSWERS: `default` has the largest percentage within x1.5 over all cases.
is_best() {
	"$PREDICTCTL" evaluate --json --cases "$1" --device "$device" --measured "$2" >"$3" || return
	python3 -c '
import json, sys
models = json.load(open(sys.argv[1]))["models"]
share = {name: models[name]["all"]["all"]["within15"] for name in ("default", "pattern", "uncached")}
print(share)
sys.exit(not share["default"] > max(share["pattern"], share["uncached"]))' "$3"
}

# One daemon for all, which analyses a program that several devices ran once.
start_daemon
for folder in "${folders[@]}"; do
	name=$(basename "$folder")
	said=$("$PREDICTCTL" import "$folder"/*.calibration) || bail "$name: no import"
	[[ $said =~ 'imported as device '([0-9]+) ]] || bail "$name: want a device's index, have $said"
	device=${BASH_REMATCH[1]}
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
		answer=$answers/$name.$cases.json
		wanted=(keeps "$file" "$folder/$cases.csv" "$answer" "${requirements[@]}")
		sentence="$name $cases keeps $floors"
		if [ "$models" = all ]; then
			wanted=(is_best "$file" "$folder/$cases.csv" "$answer")
			sentence="$name $cases: default is the best of three models"
		fi
		if "${wanted[@]}" >"$scratch/out" 2>&1; then
			ok "$sentence"
		else
			sed 's/^/# /' "$scratch/out"
			not_ok "$sentence"
		fi
	done <"$folder/floor"
done
stop_daemon
if [ -n "$whole" ]; then
	check "docs/accuracy.md and README.md say what the model answers" \
		env PYTHONDONTWRITEBYTECODE=1 "$accuracy/page" --answers "$answers" --check
fi
printf '1..%d\n' $tests
