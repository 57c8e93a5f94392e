#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `meson install` puts where a distribution expects it.
. "$SOURCE_ROOT/tests/integration/common.sh"

root=$scratch/root
check "meson install succeeds" env DESTDIR="$root" meson install -C "$BUILD_ROOT" --no-rebuild

# is_installed PATTERN: a file whose path ends so
is_installed() {
	find "$root" -path "*$1" \( -type f -o -type l \) | grep -q .
}
for file in /bin/predictctl /sbin/predictd /libexec/predictd/predictd-analyser \
	/libexec/predictd/predictd-calibrator /libpredictd.so /libpredictd.so.0 /include/predictd.h \
	/include/predictd_measure.h /include/predictd_opencl.h /include/predictd_prepared.h \
	/include/predictd_contention.h \
	/include/predictd_lines.h \
	/include/predictd_schedule.h \
	/include/predictd_split.h \
	/pkgconfig/predictd.pc /system/predictd.service /system/predictd.socket \
	/system/predictd-metrics.socket /catalog/predictd.catalog /share/predictd/grafana.json \
	/sysusers.d/predictd.conf /tmpfiles.d/predictd.conf /man1/predictctl.1 /man8/predictd.8 \
	/man5/predictd.conf.5 /bash-completion/completions/predictctl /predictd/__init__.py \
	/predictd/predictd_pb2.py; do
	check "$file is installed" is_installed "$file"
done

library=$(find "$root" -name 'libpredictd.so.0*' -type f | head -n 1)
others=$(nm -D --defined-only "$library" | awk '$2 ~ /[TDBRW]/ {print $3}' | sed 's/@.*//' | grep -v '^predictd_' | grep -v '^PREDICTD_' || true)
[ -z "$others" ] && ok "the library exports predictd_ alone" || not_ok "the library exports predictd_ alone: $others"
daemon_links=$(ldd "$root/usr/sbin/predictd" | grep -E 'libclang|libOpenCL|libLLVM' || true)
[ -z "$daemon_links" ] && ok "predictd links neither libclang nor an OpenCL driver" || not_ok "predictd links $daemon_links"
unit=$(find "$root" -name predictd.service)
grep -q "^ExecStart=/usr/sbin/predictd" "$unit" && ok "the unit starts what is installed" || not_ok "the unit starts what is installed"

cat >"$scratch/use.c" <<'C'
#include <predictd.h>
#include <stdio.h>
int main(void)
{
	return puts(predictd_version()) < 0;
}
C
pc=$(dirname "$(find "$root" -name predictd.pc)")
flags=$(PKG_CONFIG_PATH=$pc PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs predictd)
if [ "$(nm -D "$library" | grep -c __asan_init)" -gt 0 ]; then
	ok "a program is built by pkg-config # SKIP the library is built with sanitizers"
else
	# shellcheck disable=SC2086
	check "a program is built by pkg-config" ${CC:-cc} "$scratch/use.c" -o "$scratch/use" $flags
	expect "and runs" 0 '0\.1\.0' env LD_LIBRARY_PATH="$(dirname "$library")" "$scratch/use"
fi
# modules FOLDER: of the package in it
modules() {
	(cd "$(dirname "$(find "$1" -path '*/predictd/sweep')")" && find . -name '*.py*' | sort)
}
if /usr/bin/python3 -c 'import setuptools' 2>/dev/null; then
	mkdir "$scratch/tree"
	cp -r "$SOURCE_ROOT/client" "$SOURCE_ROOT/proto" "$scratch/tree"
	check "pip's build of the package succeeds" sh -c 'cd "$1/tree/client/python" && /usr/bin/python3 setup.py -q build -b "$1/built"' - "$scratch"
	is "with the modules that are installed" "$(modules "$root")" "$(modules "$scratch/built" | grep -v __pycache__)"
else
	ok "pip's build of the package succeeds # SKIP no setuptools"
fi
bash -n "$(find "$root" -path '*completions/predictctl')" && ok "the completion is bash" || not_ok "the completion is bash"

# completed WORD...: what is offered for the last of the words, without bash-completion itself
completed() {
	PATH=$(dirname "$PREDICTCTL"):$PATH bash -c '
		source "$1"
		shift
		_init_completion() { cur=${words[cword]} prev=${words[cword - 1]}; }
		_filedir() { COMPREPLY+=("file:$1"); }
		__ltrim_colon_completions() { :; }
		ask() {
			local words=(predictctl "$@") cword=$#
			eval "$(declare -f _predictctl | sed "s/local cur prev words cword split=false/local cur prev/")"
			_predictctl
		}
		ask "$@"
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$(find "$root" -path '*completions/predictctl')" "$@"
}
for command in sweep report advise tune predict; do
	"$PREDICTCTL" help $command | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort >"$scratch/listed"
	completed $command -- | sort >"$scratch/offered"
	check "each option of $command is completed" \
		sh -c "test \"\$(wc -l <'$scratch/listed')\" -gt 5 && cmp '$scratch/listed' '$scratch/offered'"
done
for command in sweep report advise; do
	expect "$command is completed with sources" 0 '^file:@(cl|ocl|clh)$' completed $command ''
done
expect "a page of a run is completed with JSON" 0 '^file:json$' completed report --run ''
expect "a page is completed with HTML" 0 '^file:html$' completed report x.cl --output ''
expect "a sweep of all devices is completed" 0 '^all$' completed sweep x.cl --device ''
expect "its CSV is completed with files" 0 '^file:$' completed sweep x.cl --csv ''
finish
