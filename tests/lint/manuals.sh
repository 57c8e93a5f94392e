#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: manual pages are without faults, and tell of every function of the library and key of a cases file
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
done < <(grep -ohP '^[a-z].*?\bpredictd_\w+(?=\()' client/predictd*.h | grep -v '^typedef' | grep -oP '\bpredictd_\w+$' | sort -u)

# keys stand in lists that NULL ends
keys=$(awk '/keys\[\] = \{/ { inside = 1 } inside { print } /NULL/ { inside = 0 }' client/predictctl/cases.c)
while read -r key; do
	sed -n '/^\.Sh CASES FILES/,/^\.Sh ENVIRONMENT/p' client/man/predictctl.1 | grep -qw "$key" || {
		printf 'manuals: predictctl(1) does not tell of the key "%s" of a cases file\n' "$key" >&2
		bad=1
	}
done < <(grep -oP '"\K[a-z_]+(?=")' <<<"$keys" | sort -u)
exit $bad
