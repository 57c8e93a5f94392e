#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: predictd(8) and the journal's catalog have every event of the log with its message id, and no other
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# "id word" of each, sorted
tr -d '\\\n\t' <daemon/log.h | grep -oP 'X\(\w+, "\K[\w-]+", \w+, *"[0-9a-f]{32}' |
	sed -E 's/^([a-z-]+)", [A-Z]+, *"([0-9a-f]+)$/\2 \1/' | sort >"$scratch/code"
sed -n '/^\.Sh LOG$/,/^\.El$/s/^\.It Cm \([a-z-]*\) Pq [a-z]* , Li \([0-9a-f]*\)$/\2 \1/p' client/man/predictd.8 |
	sort >"$scratch/page"
sed -n 's/^-- \([0-9a-f]*\)$/\1/p' systemd/predictd.catalog | sort >"$scratch/catalog"
cut -d' ' -f1 "$scratch/code" >"$scratch/ids"

bad=0
[ -s "$scratch/code" ] || {
	printf 'events: none found in daemon/log.h\n' >&2
	bad=1
}
[ "$(sort -u "$scratch/ids" | wc -l)" -eq "$(wc -l <"$scratch/ids")" ] || {
	printf 'events: two have the same message id\n' >&2
	bad=1
}
diff -u "$scratch/code" "$scratch/page" >&2 || {
	printf 'events: predictd(8), LOG, has others than daemon/log.h\n' >&2
	bad=1
}
diff -u "$scratch/ids" "$scratch/catalog" >&2 || {
	printf 'events: systemd/predictd.catalog has others than daemon/log.h\n' >&2
	bad=1
}
exit $bad
