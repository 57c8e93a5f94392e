#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The library's binary interface is the recorded one: functions and enumerators may be added, and
# nothing else may change, since programs are not built again for it.
#
#   abi.sh SOURCE_ROOT LIBRARY             compares; the exit status is 77 without abigail-tools
#   abi.sh SOURCE_ROOT LIBRARY --record    records it as it is, for a library of another soname
set -euo pipefail

root=$1
library=$2
recorded=$root/client/abi/libpredictd.abi
command -v abidw >/dev/null && command -v abidiff >/dev/null || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# what the public headers do not define is nobody's business
mkdir "$scratch/public"
cp "$root"/client/predictd*.h "$scratch/public/"
abidw --headers-dir "$scratch/public" --drop-private-types --exported-interfaces-only \
	--no-corpus-path --no-comp-dir-path --no-show-locs --no-parameter-names --no-elf-needed \
	--out-file "$scratch/now.abi" "$library"
if [ "${3:-}" = --record ]; then
	cp "$scratch/now.abi" "$recorded"
	exit 0
fi
abidiff --no-added-syms "$recorded" "$scratch/now.abi" >"$scratch/changes" || {
	cat "$scratch/changes" >&2
	printf 'abi: programs that link libpredictd.so.0 would break: add instead of changing, or\n' >&2
	printf 'abi: raise the soname (before a release: not) and record: %s --record\n' "$0 $1 $2" >&2
	exit 1
}
