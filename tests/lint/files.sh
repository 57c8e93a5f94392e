#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: every file names its licence, none is over 800 lines, and nothing is left to be done
set -euo pipefail
cd "$(dirname "$0")/../.."

bad=0
while IFS= read -r file; do
	[ -f "$file" ] || continue
	case $file in
	*.c | *.h | *.cl | *.S | *.proto | *.py | *.sh | *meson.build | *.service* | *.socket | *.conf*)
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' || {
			printf 'files: %s: no SPDX line at its head\n' "$file" >&2
			bad=1
		}
		;;
	esac
	case $file in
	*.c | *.h | *.sh)
		lines=$(wc -l <"$file")
		if [ "$lines" -gt 800 ]; then
			printf 'files: %s: %d lines, want at most 800\n' "$file" "$lines" >&2
			bad=1
		fi
		;;
	esac
done < <(git ls-files)

if git grep -nE '\b(TODO|FIXME|XXX)\b' -- '*.c' '*.h' '*.sh' '*.cl' demo check ':!tests/lint/files.sh' >&2; then
	printf 'files: what is unfinished stands above\n' >&2
	bad=1
fi
exit $bad
