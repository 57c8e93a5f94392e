#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: the defaults that the manual documents are those of the code
set -euo pipefail
cd "$(dirname "$0")/../.."

page=$(git ls-files 'client/man/predictd.conf.5*' 'daemon/man/predictd.conf.5*' | head -n 1)
if [ -z "$page" ]; then
	printf 'defaults: there is no manual page predictd.conf(5)\n' >&2
	exit 1
fi

# One "key default" per row of CONFIG_TABLE, numbers reckoned out.
documented=$(mktemp)
trap 'rm -f "$documented"' EXIT
mandoc -T utf8 -O width=200 "$page" | col -b >"$documented"

bad=0
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
done < <(sed -n '/define CONFIG_TABLE/,/^$/p' daemon/config.h | tr -d '\\\n\t' |
	grep -oP '\b(TEXT|MODE|NUMBER)\(\w+, \w+, [^,]+,' |
	sed -E 's/^(TEXT|MODE|NUMBER)\(\w+, (\w+), ([^,]+),$/\1 \2 \3/')
# the keys that a reload leaves
coded=$(sed -n '/define CONFIG_RESTART_TABLE/,/^$/p' daemon/config.h | grep -oP 'X\(\K\w+(?=\) |\)$)' | sort | tr '\n' ' ')
told=$(sed -n '/but these, which are read when the daemon starts/{n;p}' "$page" | sed 's/^\.Cm//' | grep -oE '[a-z_]+' | sort | tr '\n' ' ')
if [ -z "$coded" ] || [ "$coded" != "$told" ]; then
	printf 'defaults: %s: of a restart are "%s", in the code "%s"\n' "$page" "$told" "$coded" >&2
	bad=1
fi
exit $bad
