#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: the Python client's types hold
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r client/python/predictd client/python/pyproject.toml "$scratch"
protoc --proto_path=proto --python_out="$scratch/predictd" --pyi_out="$scratch/predictd" predictd.proto
cd "$scratch"
/usr/bin/mypy --no-error-summary --cache-dir="$scratch/cache" predictd
