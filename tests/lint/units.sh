#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: systemd accepts the units, and their exposure is at most 1.0
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# the program need not be installed for its unit to be judged
sed 's#@sbindir@/predictd#/bin/true#' systemd/predictd.service.in >"$scratch/predictd.service"
cp systemd/predictd.socket "$scratch/"

said=$(systemd-analyze verify --man=no "$scratch/predictd.service" "$scratch/predictd.socket" 2>&1) || {
	printf 'units: %s\n' "$said" >&2
	exit 1
}
if grep -q 'predictd\.' <<<"$said"; then
	printf 'units: %s\n' "$said" >&2
	exit 1
fi
systemd-analyze security --offline=yes --no-pager --threshold=10 "$scratch/predictd.service" >/dev/null || {
	systemd-analyze security --offline=yes --no-pager "$scratch/predictd.service" >&2 || true
	printf 'units: the exposure of predictd.service is over 1.0\n' >&2
	exit 1
}
