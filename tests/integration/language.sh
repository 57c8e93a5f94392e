#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The source that is predicted is the one that the device compiles: two devices, away, whose
# compilers make different things of one source; headers that only the preprocessor can name.
export OCL_ICD_VENDORS=/nonexistent
. "$SOURCE_ROOT/tests/integration/common.sh"
inputs=$SOURCE_ROOT/tests/inputs
recorded=$SOURCE_ROOT/tests/accuracy/data/pocl-2-quiet/device.calibration

# speaking NAME: a device of that name whose compiler defines what the lines on standard input say:
# macro NAME VALUE, standard OPTION VERSION, refused_standard OPTION, undefined NAME, refused OPTION
speaking() {
	"$PYTHON" -c '
import hashlib, sys
from predictd import predictd_pb2 as pb
source, name = sys.argv[1:]
calibration = pb.Calibration.FromString(open(source, "rb").read())
calibration.device.name = name
calibration.device.key = ""
language = pb.Language(origin=1)
for line in sys.stdin:
    what, first, *rest = line.split()
    if what == "macro":
        language.macros.add(name=first, value=rest[0])
    elif what == "standard":
        option = "" if first == "none" else first
        language.standards.add(option=option).macros.add(name="__OPENCL_C_VERSION__", value=rest[0])
    elif what == "refused_standard":
        language.standards.add(option=first, is_refused=True)
    elif what == "undefined":
        language.undefined.append(first)
    else:
        language.options.add(name=first, is_refused=True)
calibration.device.language = language.SerializeToString(deterministic=True)
packed = calibration.device.SerializeToString(deterministic=True)
calibration.sha256 = hashlib.sha256(packed).digest()
sys.stdout.buffer.write(calibration.SerializeToString(deterministic=True))
' "$recorded" "$1" >"$scratch/$1.cal"
}
# time_of DEVICE FILE OPTION...: seconds
time_of() {
	ctl predict "$inputs/$2" --device "$1" --global 65536 --local 64 --arg buffer:256K --json "${@:3}" |
		json 'x["predictions"][0]["kernel_time_s"]' 2>/dev/null || echo 0
}
# times SENTENCE A B LEAST: B is at least so many times A
times() {
	if python3 -c 'import sys; a, b, least = map(float, sys.argv[1:]); sys.exit(not 0 < a * least <= b)' "$2" "$3" "$4"; then
		ok "$1"
	else
		not_ok "$1: want $3 to be $4 times $2"
	fi
}

speaking modern <<'LINES'
macro __OPENCL_VERSION__ 300
standard none 300
standard -cl-std=CL1.2 120
refused_standard -cl-std=CL2.0
standard -cl-std=CL3.0 300
undefined cl_khr_subgroups
undefined __SPIR__
refused -cl-intel-greater-than-4GB-buffer-required
LINES
speaking classic <<'LINES'
macro __OPENCL_VERSION__ 120
macro cl_khr_subgroups 1
standard none 120
standard -cl-std=CL1.2 120
standard -cl-std=CL2.0 200
refused_standard -cl-std=CL3.0
LINES
start_daemon
check "a calibration brings its device's language" ctl import "$scratch/modern.cal"
check "and so does another" ctl import "$scratch/classic.cal"

before=$(ctl status --json | json 'x["analyses"]')
times "a version of the platform is the device's" "$(time_of classic vers.cl)" "$(time_of modern vers.cl)" 300
is "a program is analysed once for each language that is asked about" $((before + 2)) \
	"$(time_of modern vers.cl >"$scratch/again"; time_of classic vers.cl >>"$scratch/again"; ctl status --json | json 'x["analyses"]')"
times "so is the default standard" "$(time_of modern cversion.cl)" "$(time_of classic cversion.cl)" 100
times "which -cl-std changes" "$(time_of modern cversion.cl)" "$(time_of modern cversion.cl --options -cl-std=CL1.2)" 100
times "an extension that the device lacks is not there" "$(time_of classic sgmacro.cl)" "$(time_of modern sgmacro.cl)" 100
expect "the answer names the language" 0 "language: OpenCL C 3.0, asked of the device's compiler" \
	ctl predict "$inputs/vers.cl" --device modern --global 65536 --arg buffer:256K --explain
expect "of another device, another" 0 "language: OpenCL C 1.2, asked of the device's compiler" \
	ctl predict "$inputs/vers.cl" --device classic --global 65536 --arg buffer:256K --explain

copy() {
	ctl predict "$inputs/copy.cl" --global 65536 --local 64 --arg buffer:256K:r --arg buffer:256K:w "$@"
}
expect "a standard that the compiler refuses is refused" 1 "this device's compiler refuses it" \
	copy --device modern --options -cl-std=CL2.0
check "and taken where it is taken" copy --device classic --options -cl-std=CL2.0
expect "an option that the compiler refuses is refused" 1 \
	"build option -cl-intel-greater-than-4GB-buffer-required: this device's compiler refuses it" \
	copy --device modern --options -cl-intel-greater-than-4GB-buffer-required
for option in -cl-intel-greater-than-4GB-buffer-required -qcom-enable-large-buffer -g -O3 -Wall -save-temps \
	"-cl-nv-maxrregcount 32"; do
	expect "$option is taken with a note" 0 "options that change nothing here: ${option% *}" \
		copy --device classic --options "$option"
done
for option in "-include x" -MD "-o x" "-Xclang -load"; do
	expect "$option is refused" 1 "touches files" copy --device classic --options "$option"
done
# what one device's compiler refuses is no reason not to ask another's
printf '#if __OPENCL_VERSION__ < 300\n#error old\n#endif\nkernel void k(global int* a) { a[0] = 1; }\n' >"$scratch/new.cl"
printf '#if __OPENCL_VERSION__ >= 300\n#error new\n#endif\nkernel void k(global int* a) { a[0] = 1; }\n' >"$scratch/old.cl"
for one in modern:new classic:old; do
	check "a source for ${one%:*} alone is predicted for it" \
		ctl predict "$scratch/${one#*:}.cl" --device "${one%:*}" --global 64 --arg buffer:4K
done
expect "and for another it is told why not" 1 "new.cl:2:2: old" \
	ctl predict "$scratch/new.cl" --device classic --global 64 --arg buffer:4K
expect "both ways" 1 "old.cl:2:2: new" ctl predict "$scratch/old.cl" --device modern --global 64 --arg buffer:4K

# headers
for file in computed_include.cl computed_include2.cl; do
	check "$file finds its header" \
		ctl predict "$inputs/$file" --device classic --global 1024 --arg buffer:4K
done
sed "s,ABSOLUTE,$inputs," "$inputs/abs_include.cl" >"$scratch/abs_include.cl"
check "an absolute header is found" \
	ctl predict "$scratch/abs_include.cl" --device classic --global 1024 --arg buffer:4K
mkdir -p "$scratch/a/b" "$scratch/i"
cat >"$scratch/a/main.cl" <<'SOURCE'
#define FIRST "b/first.h"
#include FIRST
kernel void k(global int* a) { a[0] = SECOND + THIRD; }
SOURCE
printf '#define N second.h\n#define S_(x) #x\n#define S(x) S_(x)\n#include S(N)\n#include <third.h>\n' >"$scratch/a/b/first.h"
printf '#define SECOND 2\n' >"$scratch/a/b/second.h"
printf '#define THIRD 3\n' >"$scratch/i/third.h"
check "headers that name headers, beside themselves and in -I folders" \
	ctl predict "$scratch/a/main.cl" --device classic --global 64 --arg buffer:4K --options "-I$scratch/i"
rm "$scratch/a/b/second.h"
expect "one that nobody has is told as the preprocessor wants it" 1 "first.h:4:10: 'second.h' file not found" \
	ctl predict "$scratch/a/main.cl" --device classic --global 64 --arg buffer:4K --options "-I$scratch/i"
check "the Python client does the same" "$PYTHON" -c '
import sys, predictd
inputs, scratch = sys.argv[1:]
with predictd.connect() as connection:
    for name in "computed_include.cl", "computed_include2.cl":
        program = connection.load(inputs + "/" + name)
        launch = predictd.Launch(program, (1024,), arguments=(predictd.Buffer(4096),))
        fast = connection.predict(launch, device="modern", explain=True)
        assert fast.language.startswith("OpenCL C 3.0, asked"), fast.language
        assert connection.predict(launch, device="classic", explain=True).language.startswith("OpenCL C 1.2")
    try:
        connection.load(scratch + "/a/main.cl", "-I" + scratch + "/i")
    except predictd.SyntaxFailure as failure:
        assert failure.header == "second.h" and failure.header_from == "b/first.h", vars(failure)
    else:
        raise AssertionError("want a syntax error")
' "$inputs" "$scratch"

# a daemon that is started again, asked for both by a library that registered once
stop_daemon
start_daemon
times "languages outlive the daemon" "$(time_of classic vers.cl)" "$(time_of modern vers.cl)" 300
is "and so do programs analysed in them" 0 "$(ctl status --json | json 'x["analyses"]')"
finish
