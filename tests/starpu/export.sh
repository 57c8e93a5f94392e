#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What `predictctl starpu-export` writes is what StarPU 1.3 reads: footprints of what this StarPU
# writes itself, and examples of Debian's that nobody changed and whose first tasks are placed by
# predictions. Then `starpu-import` of what StarPU measured.
#
#   PREDICTCTL=FILE PREDICTD_SOCKET=FILE tests/starpu/export.sh
#
# The daemon knows PoCL's devices basic and pthread, or calibrates them here. 77: no StarPU.
set -euo pipefail

predictctl=${PREDICTCTL:-predictctl}
here=$(cd "$(dirname "$0")" && pwd)
examples=/usr/lib/x86_64-linux-gnu/starpu/examples
kernel=/usr/share/starpu/opencl/examples/basic_examples/vector_scal_opencl_kernel.cl
record=${STARPU_RECORD:-$(dirname "$predictctl")/../tests/starpu/record}

if ! command -v starpu_perfmodel_display >/dev/null || [ ! -x $examples/vector_scal ] || [ ! -r $kernel ]; then
	echo '# StarPU, its tools or its examples are not installed'
	exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export POCL_DEVICES="pthread basic" STARPU_NCPU=0 STARPU_NCUDA=0 STARPU_OPENCL_ON_CPUS=1
export STARPU_HOME=$scratch/home STARPU_HOSTNAME=node STARPU_SCHED=dmda
unset STARPU_PERF_MODEL_DIR
models=$STARPU_HOME/.starpu/sampling/codelets/45

failed() {
	printf '# export: %s\n' "$1" >&2
	[ ! -s "$scratch/said" ] || sed 's/^/#   /' "$scratch/said" >&2
	exit 1
}

for device in basic pthread; do
	"$predictctl" devices | grep -q "^[0-9]* *$device-.*  calibrated" ||
		"$predictctl" calibrate $device --quick >"$scratch/said" 2>&1 || failed "$device is not calibrated"
done

# ---- footprints of this StarPU -----------------------------------------------------------------

cp "$here/examples/vector_scal.json" "$scratch/cases"
# one_case SYMBOL STARPU: a launch of vector_scal that stands for another codelet's
one_case() {
	sed 's/"id": "vector_scal"/"id": "'"$1"'"/
		s/"starpu": .*/"starpu": {"symbol": "'"$1"'", '"$2"'}}]/' "$scratch/cases" >"$scratch/$1.json"
	"$predictctl" starpu-export "$scratch/$1.json" --dir "$scratch/other" --json >"$scratch/said" 2>&1 ||
		failed "$1 is not exported"
	grep -q "^$(sed -n 's/.*"footprint": "\(.*\)".*/\1/p' "$scratch/said" | head -n 1)	" \
		"$scratch/recorded/.starpu/sampling/codelets/45/$1.node" ||
		failed "$1: StarPU writes another footprint"
}

if [ -x "$record" ]; then
	STARPU_HOME=$scratch/recorded STARPU_NCPU=2 STARPU_NOPENCL=0 STARPU_CALIBRATE=1 STARPU_SILENT=1 \
		"$record" >"$scratch/said" 2>&1 ||
		failed "$record failed"
	one_case vector '"handles": [{"vector": 2048, "elemsize": 4}]'
	one_case matrix '"handles": [{"matrix": [64, 33], "elemsize": 4}]'
	one_case block '"handles": [{"block": [10, 9, 8], "elemsize": 4}]'
	one_case csr '"handles": [{"csr": [50, 10], "elemsize": 4}]'
	one_case variable '"handles": [{"variable": 12}]'
	one_case size_base '"size_base": 12345'
	echo '# footprints of vector, matrix, block, csr, variable and size_base are those of StarPU'
fi

# ---- a program that nobody changed -------------------------------------------------------------

"$predictctl" starpu-export "$scratch/cases" >"$scratch/said" 2>&1 || failed "vector_scal is not exported"
STARPU_SILENT=1 starpu_perfmodel_display -s vector_scal >"$scratch/said" 2>&1 || failed "StarPU does not read it"
[ "$(grep -c '^d0c0d6c6	819200 .*	10$' "$scratch/said")" -eq 2 ] ||
	failed "want 10 measurements of d0c0d6c6 on two devices, have"
sed 's/^/# /' "$scratch/said"

STARPU_SILENT=0 timeout 120 $examples/vector_scal >"$scratch/said" 2>&1 || failed "vector_scal ends with $?"
grep -q 'Computation is correct' "$scratch/said" || failed "vector_scal computed something else"
! grep -q 'model vector_scal is not calibrated enough' "$scratch/said" || failed "StarPU calibrates all the same"
# without the file it does: the line above would tell
STARPU_HOME=$scratch/empty STARPU_SILENT=0 timeout 120 $examples/vector_scal >"$scratch/said" 2>&1 ||
	failed "vector_scal ends with $?"
grep -q 'model vector_scal is not calibrated enough' "$scratch/said" || failed "StarPU does not say what it used to"
echo '# vector_scal starts informed'

# informed CASES PROGRAM ARGUMENT...: an example of the codelets that the cases describe
mkdir "$scratch/examples"
cp -r "$here/examples/." "$scratch/examples"
"$here/kernel_of" $examples/stencil/stencil life_update >"$scratch/examples/stencil.cl"
informed() {
	local cases=$1 program=$2

	shift 2
	rm -rf "$scratch/informed/.starpu/sampling/codelets"
	(cd "$scratch/examples" && STARPU_HOME=$scratch/informed "$predictctl" starpu-export "$cases.json") \
		>"$scratch/said" 2>&1 || failed "$cases is not exported"
	# headers that Debian does not install
	STARPU_HOME=$scratch/informed STARPU_SILENT=0 POCL_EXTRA_BUILD_FLAGS=-I$scratch/examples/include \
		timeout 120 "$examples/$program" "$@" >"$scratch/said" 2>&1 || failed "$program ends with $?"
	! grep -q 'is not calibrated enough' "$scratch/said" || failed "$program: StarPU calibrates all the same"
	echo "# $program starts informed"
}

blocks=(-sizex 128 -sizey 128 -sizez 256 -nbz 2 -niter 2)
informed axpy axpy
STARPU_NOPENCL=2 informed matvecmult matvecmult
if [ -x $examples/stencil/stencil ] && command -v orted >/dev/null; then
	informed stencil stencil/stencil "${blocks[@]}"
	informed stencil stencil/implicit_stencil "${blocks[@]}"
fi

# ---- and back ----------------------------------------------------------------------------------

"$predictctl" starpu-import "$scratch/cases" --json >"$scratch/said" 2>&1 || failed "nothing to import is an error"
grep -q '"observations": 0' "$scratch/said" || failed "predictions are taken for measured times"
for _ in 1 2 3; do
	STARPU_HOME=$scratch/empty STARPU_CALIBRATE=1 STARPU_SILENT=1 timeout 120 $examples/vector_scal >/dev/null 2>&1
done
"$predictctl" starpu-import "$scratch/cases" "$scratch/empty/.starpu/sampling/codelets/45/vector_scal.node" \
	--json >"$scratch/said" 2>&1 || failed "what StarPU measured is not imported"
grep -q '"kept": [1-9]' "$scratch/said" || failed "want an observation that is kept, have"
"$predictctl" starpu-import "$scratch/cases" "$scratch/empty/.starpu/sampling/codelets/45/vector_scal.node" \
	--json >"$scratch/said" 2>&1 || failed "a second import is an error"
grep -q '"observations": 0' "$scratch/said" || failed "a second import counts the same runs again"
"$predictctl" starpu-import "$scratch/cases" "$scratch/empty/.starpu/sampling/codelets/45/vector_scal.node" \
	--force --json >"$scratch/said" 2>&1 || failed "what was imported is not imported again"
grep -q '"kept": [1-9]' "$scratch/said" || failed "want an observation that is kept by --force, have"
echo '# what StarPU measured is observed, once'

# ---- a file that is none is left alone ---------------------------------------------------------

head -n 20 "$models/vector_scal.node" >"$scratch/torn"
cp "$scratch/torn" "$models/vector_scal.node"
! "$predictctl" starpu-export "$scratch/cases" >"$scratch/said" 2>&1 || failed "a torn file is overwritten"
grep -q 'vector_scal.node: line [0-9]*: want ' "$scratch/said" || failed "its line is not named"
cmp -s "$scratch/torn" "$models/vector_scal.node" || failed "a torn file is changed"
echo '# a torn file is refused and left alone'
