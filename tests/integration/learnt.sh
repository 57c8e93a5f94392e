#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What StarPU has learnt: each of its runs is imported once. The model's files are made here; what
# StarPU itself writes and reads is in tests/starpu.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_calibrated

models=$scratch/models
# learnt COUNT SUM_US SUM2_US2: so many runs of one footprint on StarPU's OpenCL device 0
learnt() {
	mkdir -p "$models/codelets/45"
	awk -v n="$1" -v sum="$2" -v sum2="$3" '
		/^# device type/ { print; getline; print 2; next }
		/^870a30aa/ {
			mean = sum / n
			variance = sum2 / n - mean * mean
			printf "870a30aa\t8192\t0\t%e\t%e\t%e\t%e\t%d\n", mean, sqrt(variance > 0 ? variance : 0), sum, sum2, n
			next
		}
		{ print }' "$SOURCE_ROOT/tests/starpu/data/vector.node" >"$models/codelets/45/gemm.node"
}
cat >"$scratch/cases.json" <<EOF
[{"id": "gemm", "name": "gemm", "global": [2048],
  "starpu": {"symbol": "gemm", "handles": [{"vector": 2048, "elemsize": 4}]}}]
EOF
import() {
	ctl starpu-import "$scratch/cases.json" --dir "$models" --host node --opencl 0=0 "$@"
}
# taken [OPTION]: how many runs an import takes, and their mean in microseconds
taken() {
	import --json "$@" | json '[(entry["measured"], round(1e6 * entry["task_time_s"], 1)) for entry in x["entries"]]'
}

learnt 10 1000 101000
is "what StarPU has learnt is imported" '[(10, 100.0)]' "$(taken)"
is "and not again" '[]' "$(taken)"
expect "which is said" 0 'nothing of these cases that was not imported' import
learnt 14 1800 263000
is "of later runs the mean is imported" '[(4, 200.0)]' "$(taken)"
learnt 14 700 36000
is "of runs after StarPU forgot, theirs" '[(14, 50.0)]' "$(taken)"
learnt 3 900 270300
is "also when they are fewer" '[(3, 300.0)]' "$(taken)"
is "by force all are taken again" '[(3, 300.0)]' "$(taken --force)"
is "and once" '[]' "$(taken)"
expect "the tasks are in the history" 0 '5 runs observed' ctl history --name gemm --device 0
sed 's/2048/4096/g' "$scratch/cases.json" >"$scratch/larger.json"
expect "and exported, for another size" 0 '1 written' ctl starpu-export "$scratch/larger.json" \
	--dir "$models" --host node --opencl 0=0
echo torn >"$models/codelets/predictd/imported/gemm.node"
expect "a torn record of imports is refused with its line" 1 'imported/gemm.node: line 1: want' import
is "and left alone" torn "$(cat "$models/codelets/predictd/imported/gemm.node")"
stop_daemon

finish
