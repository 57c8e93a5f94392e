#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lint: includes follow the arrows between the parts and their rooms, and each library has one owner
set -euo pipefail
cd "$(dirname "$0")/../.."

bad=0

complain() {
	printf 'arrows: %s\n' "$*" >&2
	bad=1
}

sources() {
	find "$@" -name '*.[ch]' -type f
}

# may PART PREFIX...: the sources of PART include from the repository these prefixes alone.
may() {
	local part=$1 allowed pattern file line
	shift
	pattern=$(printf '|%s' "$@")
	allowed="^($(printf '%s' "${pattern:1}"))"
	while IFS=: read -r file line include; do
		[[ $include =~ $allowed ]] ||
			complain "$file:$line: $part may not include \"$include\""
	done < <(sources "$part" | xargs -r grep -nHoP '^\s*#\s*include\s+"\K[^"]+' || true)
}

# The library's header comes from <predictd.h>'s folder; generated messages stand beside frame.h.
may proto 'proto/' 'predictd\.pb-c\.h$'
may model 'model/'
may store 'store/' 'model/' 'proto/device_key\.h$'
may client 'client/' 'proto/' 'predictd\.pb-c\.h$' 'predictd(_contention|_lines|_measure|_prepared|_schedule|_split|_tune)?\.h$'
may client/library 'client/library/' 'client/predictd(_lines|_operation)?\.h$' 'proto/' 'predictd\.pb-c\.h$'
may client/starpu 'client/starpu/'
may client/predictctl 'client/predictctl/' 'client/predictd(_operation)?\.h$' 'proto/(init|other_load|printed|text)\.h$'
may daemon 'daemon/' 'proto/' 'store/' 'model/' 'predictd\.pb-c\.h$'

# Within model, the front-end is used by nobody but the analyser and tests.
while IFS=: read -r file line _; do
	case $file in
	# the corpus is analysed as predictd is built; who receives programs and replies shares their bounds; that predictd does not link it is
	# seen by tests/integration/install.sh
	model/frontend/* | daemon/analyser/* | daemon/calibrator/corpus/* | daemon/codec/ir_reply.c | daemon/services/registration.c) ;;
	*) complain "$file:$line: only the analyser and tests use model/frontend" ;;
	esac
done < <(sources model daemon store client proto | xargs grep -nH '^\s*#\s*include\s*"model/frontend/' || true)

# The children know nothing of the store, and the daemon nothing of the children's insides.
while IFS=: read -r file line _; do
	complain "$file:$line: child processes do not use the store"
done < <(sources daemon/analyser daemon/calibrator 2>/dev/null | xargs -r grep -nH '^\s*#\s*include\s*"store/' || true)
while IFS=: read -r file line _; do
	case $file in
	daemon/analyser/* | daemon/calibrator/*) ;;
	*) complain "$file:$line: predictd does not reach into its child processes" ;;
	esac
done < <(sources daemon | xargs -r grep -nHE '^\s*#\s*include\s*"daemon/(analyser|calibrator)/' || true)

# owner HEADER-PATTERN PART...: only these parts include the library.
owner() {
	local pattern=$1 file line allowed
	shift
	allowed="^($(
		IFS='|'
		printf '%s' "$*"
	))/"
	while IFS=: read -r file line _; do
		[[ $file =~ $allowed ]] || complain "$file:$line: <$pattern> belongs to $*"
	done < <(sources model proto store daemon client | xargs grep -nHE "^\s*#\s*include\s*<$pattern" || true)
}
owner 'clang-c/' model/frontend
owner 'sqlite3\.h' store
owner 'uv\.h' daemon
# client/opencl: a header for programs that use OpenCL, which the library does not include
owner 'CL/' daemon/calibrator client/layer client/opencl client/starpu client/examples
owner 'starpu' client/starpu client/examples
owner 'seccomp\.h' daemon/analyser
while IFS=: read -r file line _; do
	complain "$file:$line: children do not use libuv"
done < <(sources daemon/analyser daemon/calibrator 2>/dev/null | xargs -r grep -nH '^\s*#\s*include\s*<uv\.h' || true)

# model is pure: no I/O, clock, thread or socket.
while IFS=: read -r file line _; do
	complain "$file:$line: model does no I/O and knows no clock, thread or socket"
done < <(find model -path model/frontend -prune -o -name '*.[ch]' -print0 |
	xargs -0 grep -nHE '^\s*#\s*include\s*<(pthread|unistd|sys/|fcntl|signal|threads|poll)' || true)
# a calendar may be printed, a clock not be read
while IFS=: read -r file line _; do
	complain "$file:$line: model reads no clock"
done < <(find model -path model/frontend -prune -o -name '*.[ch]' -print0 |
	xargs -0 grep -nHE '\b(time|clock|clock_gettime|gettimeofday|localtime|localtime_r) *\(' || true)

# private HEADER FILE...: only these files include what is in the making.
private() {
	local header=$1 file line allowed
	shift
	allowed=" $* "
	[ -f "$header" ] || complain "$header: no such header"
	while IFS=: read -r file line _; do
		[[ $allowed == *" $file "* ]] || complain "$file:$line: $header is private to $*"
	done < <(sources model | xargs grep -nHE "^\s*#\s*include\s*\"$header\"" || true)
}
private model/evaluate/walk.h model/evaluate/{evaluate,walk,branch,loop}.c
private model/evaluate/loop.h model/evaluate/{loop,assume,trips}.c
private model/evaluate/dryrun_state.h model/evaluate/dryrun{,_memory,_node,_slice}.c

# Rooms within the parts; calls between them are tests/lint/rooms.py --build's, a test of each build.
python3 tests/lint/rooms.py || bad=1

exit $bad
