#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: debian/libpredictd0.symbols names each function that the library exports, and no other
set -euo pipefail
cd "$(dirname "$0")/../.."

exported=$(grep -oP "<elf-symbol name='\Kpredictd_[^']*" client/abi/libpredictd.abi | sort -u)
packaged=$(grep -oP '^ \Kpredictd_[^@]*' debian/libpredictd0.symbols | sort -u)
[ -n "$exported" ] || {
	printf 'symbols: client/abi/libpredictd.abi: want symbols, have none\n' >&2
	exit 1
}
diff <(printf '%s\n' "$exported") <(printf '%s\n' "$packaged") >&2 || {
	printf 'symbols: debian/libpredictd0.symbols: < is missing, > is not exported; a line is " NAME@PREDICTD_0.1 VERSION"\n' >&2
	exit 1
}
