#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: manual pages are without faults, and every function of the library has one
set -euo pipefail
cd "$(dirname "$0")/../.."

mapfile -t pages < <(git ls-files '*.[1-8]' '*.[1-8].in')
if [ ${#pages[@]} -eq 0 ]; then
	printf 'manuals: there are no manual pages\n' >&2
	exit 1
fi
mandoc -T lint -W warning "${pages[@]}"

bad=0
while read -r name; do
	grep -q "^\.Fn $name\( \|$\)" client/man/*.3 || {
		printf 'manuals: %s() has no page\n' "$name" >&2
		bad=1
	}
done < <(grep -oP '^[a-z].*?\bpredictd_\w+(?=\()' client/predictd.h | grep -v '^typedef' | grep -oP '\bpredictd_\w+$' | sort -u)
exit $bad
