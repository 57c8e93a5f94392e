#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: a user without the packages is told one command, and a folder he may not write to is named
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"

# stub NAME LINE...: a command of that name, first in PATH.
stub() {
	local name=$1
	shift
	printf '%s\n' '#!/bin/bash' "$@" >"$scratch/bin/$name"
	chmod +x "$scratch/bin/$name"
}
# shellcheck disable=SC2016 # the stub's own
stub dpkg-query '[ "${!#}" = meson ] || echo "install ok installed"'
stub id 'echo 1000'
stub apt-get "touch '$scratch/installed'"
stub sudo "touch '$scratch/installed'"

bad=0
wrong() {
	printf 'newcomer: %s\n' "$1" >&2
	sed 's/^/  /' "$scratch/said" >&2
	bad=1
}
want='apt-get update && apt-get install --no-install-recommends meson'
for script in check demo; do
	status=0
	PATH=$scratch/bin:$PATH ./$script >"$scratch/said" 2>&1 || status=$?
	[ $status -eq 1 ] || wrong "./$script without meson: want exit status 1, got $status"
	[ "$(grep '^apt-get' "$scratch/said")" = "$want" ] || wrong "./$script without meson: want one line \"$want\", got"
	[ ! -e "$scratch/installed" ] || wrong "./$script installed packages as a user"

	status=0
	bash -c '
		. .ci/packages
		want_writable /proc/1/nowhere' $script >"$scratch/said" 2>&1 || status=$?
	[ $status -eq 1 ] && grep -q "^$script: /proc/1/nowhere: .*may not write" "$scratch/said" ||
		wrong "a folder that cannot be written to: want status 1 and its name, got status $status and"
done
exit $bad
