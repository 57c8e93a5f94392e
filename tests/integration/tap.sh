# SPDX-License-Identifier: Apache-2.0
# Sourced by tests in bash: assertions as TAP. Wants a folder of the test's own in $scratch.
# shellcheck shell=bash
tests=0
failures=0

bail() {
	printf 'Bail out! %s\n' "$*"
	exit 1
}

ok() {
	tests=$((tests + 1))
	printf 'ok %d - %s\n' $tests "$*"
}

not_ok() {
	tests=$((tests + 1))
	failures=$((failures + 1))
	printf 'not ok %d - %s\n' $tests "$*"
}

# A misspelt assertion would pass by never running. Bash calls this in a child of the test.
command_not_found_handle() {
	printf 'no command %s\n' "$1" >&2
	kill -TERM $$
	return 127
}

# json EXPRESSION: of Python, about the JSON x of standard input.
json() {
	python3 -c 'import json, sys; print(eval(sys.argv[1], {"x": json.load(sys.stdin)}))' "$1"
}

# is SENTENCE WANT GOT
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1: want \"$2\", got \"$3\""
	fi
}

# check SENTENCE COMMAND...: the command succeeds.
check() {
	local sentence=$1
	shift
	if "$@" >"$scratch/out" 2>"$scratch/err"; then
		ok "$sentence"
	else
		not_ok "$sentence"
		printf '# %s\n' "$*"
		head -n 5 "$scratch/out" "$scratch/err" | sed 's/^/# /'
	fi
}

# expect SENTENCE STATUS FRAGMENT COMMAND...: the exit status, and words (any case, basic regular
# expression) somewhere in what it says, unless they are empty. What it said stays in $scratch/out
# and err.
expect() {
	local sentence=$1 status=$2 fragment=$3 got
	shift 3
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	got=$?
	if [ $got -eq "$status" ] && { [ -z "$fragment" ] || grep -qi -- "$fragment" "$scratch/out" "$scratch/err"; }; then
		ok "$sentence"
	else
		not_ok "$sentence"
		printf '# want status %s and "%s", got status %s and:\n' "$status" "$fragment" $got
		head -n 8 "$scratch/out" "$scratch/err" | sed 's/^/# /'
	fi
}

# The plan comes last, when it is known how many there were.
finish() {
	printf '1..%d\n' $tests
	exit 0
}
