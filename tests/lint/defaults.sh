#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: the defaults that the manual documents are those of the code
set -euo pipefail
cd "$(dirname "$0")/../.."

documented=$(mktemp)
trap 'rm -f "$documented"' EXIT
bad=0

# compare PAGE: beside rows "KIND KEY DEFAULT" on standard input
compare() {
	local page=$1 kind key default entry short

	mandoc -T utf8 -O width=200 "$page" | col -b >"$documented"
	while read -r kind key default; do
		case $kind in
		NUMBER) default=$((default)) ;;
		TEXT) default=${default//\"/} ;;
		esac
		entry=$(grep -E -A 6 "^ *$key( |\$|=)" "$documented" || true)
		if [ -z "$entry" ]; then
			printf 'defaults: %s: %s is not documented\n' "$page" "$key" >&2
			bad=1
		elif [ -n "$default" ] && ! grep -qwF -- "$default" <<<"$entry"; then
			short=
			if [ "$kind" = NUMBER ]; then
				[ $((default % 1024)) -eq 0 ] && short=$((default / 1024))K
				[ $((default % 1048576)) -eq 0 ] && short=$((default / 1048576))M
			fi
			if [ -z "$short" ] || ! grep -qwF -- "$short" <<<"$entry"; then
				printf 'defaults: %s: %s is %s in the code\n' "$page" "$key" "$default" >&2
				bad=1
			fi
		fi
	done
}

# One "kind key default" per row of a table, numbers reckoned out.
compare client/man/predictd.conf.5 < <(sed -n '/define CONFIG_TABLE/,/^$/p' daemon/config.h | tr -d '\\\n\t' |
	grep -oP '\b(TEXT|MODE|NUMBER)\(\w+, \w+, [^,]+,' |
	sed -E 's/^(TEXT|MODE|NUMBER)\(\w+, (\w+), ([^,]+),$/\1 \2 \3/')
compare client/man/predictd-share.8 < <(sed -n '/define SETTINGS_TABLE/,/^$/p' daemon/share/settings.h | tr -d '\\\n\t' |
	grep -oP '\b(TEXT|NUMBER)\(\w+, [^,]+,' | sed -E 's/^(TEXT|NUMBER)\((\w+), ([^,]+),$/\1 \2 \3/')
# the keys that a reload leaves
coded=$(sed -n '/define CONFIG_RESTART_TABLE/,/^$/p' daemon/config.h | grep -oP 'X\(\K\w+(?=\) |\)$)' | sort | tr '\n' ' ')
told=$(sed -n '/but these, which are read when the daemon starts/{n;p}' client/man/predictd.conf.5 | sed 's/^\.Cm//' | grep -oE '[a-z_]+' | sort | tr '\n' ' ')
if [ -z "$coded" ] || [ "$coded" != "$told" ]; then
	printf 'defaults: predictd.conf(5): of a restart are "%s", in the code "%s"\n' "$told" "$coded" >&2
	bad=1
fi
exit $bad
