# SPDX-License-Identifier: Apache-2.0
# Sourced: a Debian made anew, booted in a container, and what is asked of it there. The script that
# sources it has .ci/packages, runs in the tree's root, and calls scratch_begin first; then $scratch
# is its own folder and $root the Debian's, whose /test has `inside`, which writes TAP.
# shellcheck shell=bash

BOOT_S=600 # the longest that a boot may take, with what is done then

began=$SECONDS
cgroups=()
makers=()
passed=0
failed=0
scratch=

# scratch_begin FOLDER: $scratch, a folder in that one, until the script ends.
scratch_begin() {
	mkdir -p "$1"
	scratch=$(mktemp -d "$1/run.XXXXXX")
	root=$scratch/root
	trap leave EXIT
	trap 'exit 143' TERM
	trap 'exit 130' INT
}

leave() {
	local status=$?

	trap - EXIT
	[ ${#makers[@]} -eq 0 ] || kill -- "${makers[@]}" 2>/dev/null || true
	wait
	[ ${#cgroups[@]} -eq 0 ] || find "${cgroups[@]}" -depth -type d -exec rmdir {} + 2>/dev/null || true
	rm -rf "$scratch"
	exit $status
}

# cached_root VARIANT FOLDER PACKAGE...: make_root, once for those packages and apt's lists: what it
# made is kept in build-roots for a week, for every script of this tree that wants the same.
cached_root() {
	local file key maker variant=$1 folder=$2
	shift 2

	key=$(cat <(printf '%s\n' "$variant" "$@" "${more_sources:-}") /var/lib/apt/lists/*Release | sha256sum)
	file=$PWD/build-roots/$variant-${key:0:16}.tar
	mkdir -p build-roots "$folder" && find build-roots -name '*.tar*' -mtime +7 -delete || return
	if [ ! -f "$file" ]; then
		make_root "$variant" "$folder.tar" "$@" &
		maker=$!
		trap 'kill "$maker"' TERM
		wait "$maker" && mv "$folder.tar" "$file" || return
		rm -f "$folder.tar.conf"
	fi
	tar -C "$folder" -x --same-permissions --numeric-owner --xattrs --file="$file"
}

# The Landlock of this kernel, which the container shares: its version, or 0.
landlock_version() {
	python3 -c '
import ctypes
print(max(0, ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint(1))))'
}

# What starts /test/inside as soon as the container is up, with the number of the boot.
furnish_unit() {
	mkdir -p "$root/test" "$root/var/log/journal" || return
	cat >"$root/etc/systemd/system/predictd-test.service" <<-'UNIT' || return
		[Unit]
		Description=Test of predictd
		After=multi-user.target
		SuccessAction=poweroff
		FailureAction=poweroff
		[Service]
		Type=oneshot
		ExecStart=/bin/sh -c 'exec /test/inside $(cat /test/boot) >/test/tap 2>/test/err'
		[Install]
		WantedBy=multi-user.target
	UNIT
	systemctl --root="$root" enable predictd-test.service 2>&1
}

# Where no systemd manages this machine's control groups, a container's are below one of its own.
enter_cgroup() {
	local cgroup pid=$1 name=$2

	for cgroup in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
		[ -w "$cgroup/cgroup.procs" ] || continue
		mkdir -p "$cgroup/$name"
		printf '%d\n' "$pid" >"$cgroup/$name/cgroup.procs"
	done
}

# contain SECONDS FOLDER OPTION...: systemd-nspawn on the folder, without a network, so long at most.
contain() {
	local seconds=$1 folder=$2 keep=() name=predictd-test-$$-${2##*/}
	shift 2

	if [ ! -d /run/systemd/system ]; then
		keep=(--keep-unit)
		cgroups+=(/sys/fs/cgroup/{systemd,unified,.}/"$name")
	fi
	(
		[ ${#keep[@]} -eq 0 ] || enter_cgroup $BASHPID "$name"
		exec timeout --kill-after=60 "$seconds" systemd-nspawn --quiet --directory="$folder" \
			--machine="$name" --register=no "${keep[@]}" --private-network \
			--system-call-filter='landlock_create_ruleset landlock_add_rule landlock_restrict_self' \
			--link-journal=no --resolv-conf=off --timezone=off "$@"
	)
}

# boot NUMBER: boots the root, waits until it has powered itself off, and adds up what it found.
boot() {
	local status=0

	say "boot $1"
	rm -f "$root/test/tap" "$root/test/err"
	printf '%d\n' "$1" >"$root/test/boot"
	contain $BOOT_S "$root" --boot --console=pipe </dev/null >"$scratch/console.$1" 2>&1 || status=$?
	cat "$root/test/tap" 2>/dev/null || true
	if ! grep -q '^1\.\.' "$root/test/tap" 2>/dev/null; then
		tail -n 20 "$root/test/err" "$scratch/console.$1" >&2 || true
		journal | tail -n 40 >&2
		[ $status -ne 124 ] || fail "boot $1 did not come to its end within $BOOT_S s; what it said stands above"
		fail "the container did not boot, or not to the end of boot $1 (status $status); what it said stands above"
	fi
	# shellcheck disable=SC2015
	[ ! -s "$root/test/err" ] || sed 's/^/# /' "$root/test/err"
	passed=$((passed + $(grep -c '^ok ' "$root/test/tap" || true)))
	failed=$((failed + $(grep -c '^not ok ' "$root/test/tap" || true)))
}

# journal [OPTION]...: lines of the container's journal, without times and process ids.
journal() {
	journalctl --directory="$root/var/log/journal" --quiet --no-hostname --output=short "$@" |
		sed -E 's/^[A-Z][a-z]{2} [0-9 :]{11} //; s/^([^:]*)\[[0-9]+\]: /\1: /'
}
