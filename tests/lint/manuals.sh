#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: manual pages are without faults
set -euo pipefail
cd "$(dirname "$0")/../.."

mapfile -t pages < <(git ls-files '*.[1-8]' '*.[1-8].in')
if [ ${#pages[@]} -eq 0 ]; then
	printf 'manuals: there are no manual pages\n' >&2
	exit 1
fi
mandoc -T lint -W warning "${pages[@]}"
