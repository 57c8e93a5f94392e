#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The generator of random kernels: same seed same bytes, every kernel within what predictd
# analyses, no access outside a buffer. From meson: see tests/integration/common.sh.
. "$SOURCE_ROOT/tests/integration/common.sh"

accuracy=$SOURCE_ROOT/tests/accuracy
export PYTHONDONTWRITEBYTECODE=1

# generate FOLDER [OPTION]...
generate() {
	local folder=$1
	shift
	"$accuracy/generate" "$scratch/$folder" "$@"
}

# not_static CSV: the cases of `predict --csv` without a static answer.
not_static() {
	awk -F, 'NR > 1 && $10 != "static"' "$1" | head -n 5
}

generate one --seed 7 --count 12
generate two --seed 7 --count 12
generate three --seed 8 --count 12
check "the same seed gives the same bytes" diff -r "$scratch/one" "$scratch/two"
check "another seed gives another kernel" \
	test -n "$(diff -rq "$scratch/one" "$scratch/three")"

# bytes of version 1: recorded measurements are of these kernels
sum=$(cd "$scratch/one" && cat cases.json ./*/*.cl | sha256sum)
check "version 1 of the generator gives the bytes that it always gave" \
	test "${sum%% *}" = "$(sed 's/ .*//' "$accuracy/generator/version-1.sha256")"

generate more --seed 7 --count 30
check "a kernel does not depend on how many there are" \
	diff "$scratch/one/rich/0011.cl" "$scratch/more/rich/0011.cl"

printf 'case\nrich.s7.0003\nrealistic.s7.0001\n' >"$scratch/only.csv"
generate only --seed 7 --only "$scratch/only.csv"
check "--only gives the cases that it names" test "$(grep -c '"id"' "$scratch/only/cases.json")" = 2
check "--only gives the same kernels" diff -r "$scratch/only/rich/0003.cl" "$scratch/one/rich/0003.cl"
expect "--only refuses the cases of another seed" 1 "no kernel of seed 9" \
	generate none --seed 9 --only "$scratch/only.csv"
expect "an unknown class is named" 2 "no class perfect" generate none --classes perfect

# The recorded calibration answers: this part needs no device.
start_with_recorded() (
	export OCL_ICD_VENDORS=/nonexistent
	start_daemon
	ctl import "$accuracy/data/pocl-2/device.calibration" >/dev/null || bail "no import"
	ctl predict --cases "$scratch/more/cases.json" --device 0 --csv >"$scratch/predicted.csv"
	stop_daemon
)
start_with_recorded
columns=case,kernel,model,kernel_time_s,low_s,high_s,h2d_time_s,d2h_time_s,launch_time_s,basis
check "the tenth column says what an answer rests on" grep -q "^$columns," "$scratch/predicted.csv"
check "every kernel of a sample has a static answer, not a fallback" \
	test "$(wc -l <"$scratch/predicted.csv") $(not_static "$scratch/predicted.csv")" = "91 "

# guard CASES: runs them between inaccessible pages; 3 where there is no CPU device.
guard() {
	timeout -k 5 300 "$accuracy/guard.py" "$1" 4000000 >"$scratch/guard" 2>&1
}

cat >"$scratch/beyond.cl" <<'END'
kernel void beyond(global const int *a, global int *res)
{
	res[get_global_id(0)] = a[get_global_id(0) + 1];
}
END
cat >"$scratch/beyond.json" <<'END'
[{"id": "beyond", "file": "beyond.cl", "kernel": "beyond", "global": [1024], "local": [32],
  "args": [{"buffer": 4096, "init": "zero", "access": "r"},
           {"buffer": 4096, "init": "zero", "access": "w"}]}]
END
guard "$scratch/one/cases.json"
status=$?
if grep -q "no CPU device" "$scratch/guard"; then
	ok "no access outside a buffer # SKIP no CPU device"
else
	check "no access outside a buffer, no division by zero" test $status = 0
	tail -n 1 "$scratch/guard" | sed 's/^/# /'
	guard "$scratch/beyond.json"
	status=$?
	check "an access outside a buffer is noticed" test $status = 139
fi
finish
