#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: public headers are clean C and C++ by themselves
set -euo pipefail
cd "$(dirname "$0")/../.."

bad=0

# clean HEADER COMPILER...: the header alone, with all warnings.
clean() {
	local header=$1
	shift
	printf '#include <%s>\n' "$header" |
		"$@" -Wall -Wextra -pedantic -Werror -Iclient -Iclient/opencl \
			-DCL_TARGET_OPENCL_VERSION=120 -fsyntax-only - || {
		printf 'headers: %s: not clean with %s\n' "$header" "$*" >&2
		bad=1
	}
}

for header in predictd.h predictd_contention.h predictd_lines.h predictd_measure.h predictd_opencl.h predictd_operation.h predictd_prepared.h \
	predictd_schedule.h predictd_split.h predictd_tune.h; do
	for standard in c99 c17; do
		clean $header gcc -std=$standard -x c
		clean $header clang-19 -std=$standard -x c
	done
	for standard in c++11 c++20; do
		clean $header g++ -std=$standard -x c++
	done
done
exit $bad
