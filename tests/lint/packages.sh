#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: every library that the build asks for is among the packages that the scripts install
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=.ci/packages
. .ci/packages

bad=0
while IFS=: read -r file name; do
	case $name in
	threads) continue ;;
	esac
	folder=$(pkg-config --variable=pcfiledir "$name") || {
		printf 'packages: %s: %s is not installed\n' "$file" "$name" >&2
		bad=1
		continue
	}
	package=$(dpkg-query -S "$folder/$name.pc" 2>/dev/null | cut -d: -f1) || continue
	case " ${packages_build[*]} ${packages_check[*]} ${packages_starpu[*]} " in
	*" $package "*) ;;
	*)
		printf 'packages: %s: %s comes from %s, which .ci/packages does not name\n' "$file" "$name" "$package" >&2
		bad=1
		;;
	esac
done < <(git ls-files '*meson.build' | xargs grep -oP "\bdependency\('\K[^']+" | sort -t: -k2 -u)
exit $bad
