#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What bad input gets: the exit status, and a sentence that helps.
. "$SOURCE_ROOT/tests/integration/common.sh"
start_calibrated

write() {
	cat >"$scratch/$1"
}

# predict FILE ARGUMENT...: of a file in the scratch folder
predict() {
	local file=$1
	shift
	ctl predict "$scratch/$file" --device 0 "$@"
}

write broken.cl <<'K'
kernel void k(global float *x)
{
	x[get_global_id(0)] = 1.0f +;
}
K
expect "a syntax error comes with line and column" 1 'broken.cl:3:[0-9]' predict broken.cl --global 64 --arg buffer:4K
printf 'kernel void k(global float *x) { x[0] = "%s" }\n' "$(head -c 100000 /dev/zero | tr '\0' 'a')" |
	write long.cl
expect "the text of a diagnostic is bounded" 1 'long.cl:1' predict long.cl --global 64 --arg buffer:4K
[ "$(cat "$scratch/out" "$scratch/err" | wc -c)" -lt 1000 ] && ok "to a line" || not_ok "to a line"

expect "a macro that nobody defined falls back, and is named" 0 'VENDOR_SHIFT' ctl predict \
	"$kernels/fallback_unknown.cl" --device 0 --global 1048576 --local 64 --arg buffer:4M:rw
write type.cl <<'K'
kernel void k(global float *x)
{
	mystery_type t = {0};
	x[get_global_id(0)] = t.y;
}
K
expect "an unknown type falls back, and is named" 0 'mystery_type' predict type.cl --global 64 --arg buffer:4K
printf 'kernel void k(global float *x, mystery_type t) { x[get_global_id(0)] = t.y; }\n' | write parameter.cl
expect "so does one of a parameter, whatever is given for it" 0 'fallback: .*mystery_type' predict parameter.cl \
	--global 64 --arg buffer:4K --arg bytes:16
expect "also a scalar" 0 'mystery_type' predict parameter.cl --global 64 --arg buffer:4K --arg float:1

write two.cl <<'K'
kernel void first(global float *x) { x[get_global_id(0)] = 1; }
kernel void second(global float *x, int n, local float *t) { x[get_global_id(0)] = n; t[0] = 1; }
kernel void group(global float *x) __attribute__((reqd_work_group_size(64, 1, 1)));
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void exact(global float *x) { x[get_global_id(0)] = 1; }
K
sed -i '/void group/d' "$scratch/two.cl"
expect "an unknown kernel gets the names that there are" 1 'first.*second' predict two.cl:third --global 64 --arg buffer:4K
expect "two kernels and no name: the same, and how to name one" 1 'want a kernel, as in .*two.cl:first; the source has 3: first, second, exact' predict two.cl --global 64 --arg buffer:4K
expect "the same where it is measured" 1 'kernel "third": the source has first, second, exact' ctl measure "$scratch/two.cl:third" --device 0 --global 64
expect "and where no name is given" 1 'the source has 3: first, second, exact' ctl measure "$scratch/two.cl" --device 0 --global 64
write far.cl <<'K'
kernel void far(global float *x) { x[get_global_id(0) << 30] = 1; }
K
expect "a buffer that is too small is noted where the driver goes down over it" 1 'driver went down: it .*warning: argument 0 (x): want at least [0-9]* bytes, as line 1 reaches, got 4096' \
	ctl measure "$scratch/far.cl" --device 0 --global 64 --local 64 --arg buffer:4K
expect "too few arguments: wanted and got" 1 '3.*1\|1.*3' predict two.cl:second --global 64 --arg buffer:4K
expect "too many arguments" 1 '1.*2\|2.*1' predict two.cl:first --global 64 --arg buffer:4K --arg int:1
expect "an argument of the wrong kind is named" 1 'n' predict two.cl:second --global 64 --arg buffer:4K --arg buffer:4K --arg local:64
grep -qi 'buffer' "$scratch/err" && ok "with what came" || not_ok "with what came: $(cat "$scratch/err")"
expect "an argument of the wrong type: wanted and got" 1 'int.*float\|float.*int' predict two.cl:second --global 64 --arg buffer:4K --arg float:1 --arg local:64
expect "a type that is no type is a usage error" 2 'quux' predict two.cl:first --global 64 --arg quux:1
expect "a size that is no size is a usage error" 2 'many' predict two.cl:first --global 64 --arg buffer:many
expect "arguments count from 0 on the command line" 2 '^predictctl: --arg 1: .*many' predict two.cl:second --global 64 --arg buffer:4K --arg buffer:many
expect "as where the kernel refuses them" 1 'argument 1 (n): want scalar int' predict two.cl:second --global 64 --arg buffer:4K --arg buffer:4K --arg local:64
expect "a buffer over the device's memory names it" 1 'argument 0 (x): 1073740750258176 bytes is over the device.s memory of [0-9]* bytes' predict two.cl:first --global 64 --arg buffer:999999G
expect "a buffer that ends before its accesses is warned of" 0 'warning: argument 0 (x): want at least 4194304 bytes, as line 1 reaches, got 100' predict two.cl:first --global 1M --arg buffer:100

# piped FILE COMMAND ARGUMENT...: with the file as standard input
piped() {
	local file=$1
	shift
	ctl "$@" <"$scratch/$file"
}
cat >"$scratch/twice.json" <<'K'
[{"id": "a", "file": "two.cl", "kernel": "first", "global": [64], "args": [{"buffer": 4096}]},
 {"id": "a", "file": "two.cl", "kernel": "exact", "global": [64], "args": [{"buffer": 4096}]}]
K
for command in predict measure place evaluate; do
	expect "$command: an id that comes twice is named with both places" 1 "case 1: id 'a' is that of case 0" ctl "$command" --cases "$scratch/twice.json"
	expect "$command: that of standard input, too" 1 "^predictctl: stdin: case 1: id 'a' is that of case 0" piped twice.json "$command" --cases -
done
expect "standard input is a source" 0 'first' piped two.cl predict -:first --device 0 --global 64 --arg buffer:4K
expect "that is measured as well" 0 'first' piped two.cl measure -:first --device 0 --global 64 --arg buffer:4K
expect "is called stdin in diagnostics" 1 'stdin:3:[0-9]' piped broken.cl predict - --device 0 --global 64 --arg buffer:4K
: >"$scratch/empty.cl"
expect "and may not be empty" 1 'source is empty' piped empty.cl predict - --device 0 --global 64
expect "cases wants a file, not standard input" 2 'want a file' piped two.cl cases -
expect "nor closed" 1 'source is empty' ctl predict - --device 0 --global 64 <&-
expect "a kernel of it is looked for" 1 'third.*first' piped two.cl predict --global 64 -:third --arg buffer:4K --device 0
expect "one at a time" 2 'have 2 arguments' piped two.cl predict -:first two.cl --global 64

write image.cl <<'K'
kernel void look(read_only image2d_t in, sampler_t by, global float4 *out)
{
	int x = get_global_id(0);
	out[x] = read_imagef(in, by, (float2)(x, 0));
}
kernel void count(read_only image3d_t in, write_only image2d_t out)
{
	int x = get_global_id(0);
	write_imageui(out, (int2)(x, 0), read_imageui(in, (int4)(x, 0, 0, 0)));
}
K
look() { predict image.cl:look --global 64 "$@"; }
expect "an image and a sampler are taken" 0 'look' look --arg image:64x64 --arg sampler:linear --arg buffer:1K
expect "a buffer for an image is refused" 1 'argument 0 (in): want image of kind 2d, got buffer' look --arg buffer:4K --arg sampler --arg buffer:1K
expect "an image for a buffer is refused" 1 'argument 2 (out): want buffer, got image' look --arg image:64x64 --arg sampler --arg image:64x64
expect "an image for a sampler is refused" 1 'argument 1 (by): want sampler, got image' look --arg image:64x64 --arg image:64x64 --arg buffer:1K
expect "a format of integers for reals is refused" 1 'want a format of reals.*got rgba8ui' look --arg image:64x64:rgba8ui --arg sampler --arg buffer:1K
expect "a format of reals for integers is refused" 1 'want a format of unsigned integers.*got rgba8$' predict image.cl:count --global 64 --arg image:8x8x8:rgba8 --arg image:64x64
expect "an image that lacks a size is refused" 1 'want 3 sizes of an image 3d' predict image.cl:count --global 64 --arg image:8x8 --arg image:64x64
expect "an image that is written where the kernel reads is refused" 1 'declares it read_only' look --arg image:64x64:rgba8:w --arg sampler --arg buffer:1K
expect "an image over the device's limit names it" 1 'width of the image: want at most [0-9]*, the device' look --arg image:4000000000x4 --arg sampler --arg buffer:1K
expect "a format that is none is a usage error" 2 'format such as rgba8' look --arg image:64x64:rgb565 --arg sampler --arg buffer:1K
expect "sizes that are none are a usage error" 2 'WIDTHxHEIGHT' look --arg image:64by64 --arg sampler --arg buffer:1K
expect "a sampler that is none is a usage error" 2 'nearest.linear' look --arg image:64x64 --arg sampler:cubic --arg buffer:1K
expect "an image is measured" 0 '[0-9]' ctl measure "$scratch/image.cl:count" --device 0 --global 64 --arg image:64x8x8:rgba8ui --arg image:64x64:r32ui
expect "an image that no device has is not measured" 1 'at most [0-9]*, the device.s limit, got 2000000000' ctl measure "$scratch/image.cl:look" --device 0 --global 64 --arg image:2000000000x4 --arg sampler --arg buffer:1K

expect "an NDRange of zero is a usage error" 2 'global.*0' predict two.cl:first --global 0 --arg buffer:4K
expect "an NDRange of four dimensions" 2 'three\|3' predict two.cl:first --global 2,2,2,2 --arg buffer:4K
expect "a local size of other dimensions" 2 'as many' predict two.cl:first --global 64 --local 8,8 --arg buffer:4K
expect "a local size over the device's limit names the limit" 1 '[0-9][0-9][0-9]' predict two.cl:first --global 1048576 --local 1048576 --arg buffer:4M
expect "a local size unlike the kernel's own" 1 '64' predict two.cl:exact --global 128 --local 32 --arg buffer:4K
expect "an NDRange that overflows" 1 . predict two.cl:first --global 18446744073709551615,18446744073709551615 --arg buffer:4K
expect "an NDRange of more than 64 bits is a usage error" 2 'over 64 bits' predict two.cl:first --global 99999999999999999999 --arg buffer:4K
expect "an NDRange that is no number is a usage error" 2 'sixty' predict two.cl:first --global sixty --arg buffer:4K
expect "more local memory than the device has names the limit" 1 'local' predict two.cl:second --global 64 --local 64 --arg buffer:4K --arg int:1 --arg local:1G

for option in '-MD -MF x' '-include /etc/passwd' '-Xclang -ast-dump' '-fplugin=x.so' '-o x' '@file' \
	'-fmodules-cache-path=x' '-Wl,x' '-load x'; do
	word=${option%% *}
	expect "the build option $word is refused by name" 1 "${word//./\\.}" predict two.cl:first --options "$option" --global 64 --arg buffer:4K
done
[ ! -e x ] && ok "and nothing was written" || not_ok "and nothing was written"

expect "a file that is not there is named" 1 'nowhere.cl' predict nowhere.cl --global 64
[ "$(grep -o 'nowhere.cl' "$scratch/err" | wc -l)" -eq 1 ] && ok "once" || not_ok "once: $(cat "$scratch/err")"
expect "a directory is no source" 1 . ctl predict "$scratch" --device 0 --global 64
expect "no file is a usage error" 2 . ctl predict --global 64
expect "no global size is a usage error" 2 'global' predict two.cl:first --arg buffer:4K
expect "an unknown option is a usage error" 2 'frobnicate' predict two.cl:first --frobnicate
expect "an unknown subcommand is a usage error" 2 'prophesy' ctl prophesy
expect "no subcommand is a usage error" 2 . ctl
expect "an option before the command is told so" 2 'want a command first' ctl --json status
expect "arguments that are missing are named" 2 'want DEVICE FILE, have 1 argument$' ctl export 0
[ "$(wc -l <"$scratch/err")" -le 3 ] && ok "in a few lines" || not_ok "in a few lines"
expect "arguments where there are none are too many" 2 'want no argument' ctl status now
expect "help is none" 0 'predict' ctl --help
expect "a device that is not there is named, with those that are" 1 'voodoo.*want one of 0 (' ctl predict "$scratch/two.cl:first" --device voodoo --global 64 --arg buffer:4K

printf '#include "/etc/passwd"\n' | write steal.cl
expect "a file of the system is one that the caller may read, and no source" 1 "/etc/passwd:1:" predict steal.cl --global 64
grep -q 'root:' "$scratch/out" "$scratch/err" && not_ok "not one line" || ok "not one line"
printf '#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\n#define C(x) B(B(B(B(x))))\nkernel void k(global int *x) { C(C(x[0]++;)) }\n' |
	write bomb.cl
expect "a macro bomb ends within its limits" 1 . timeout 30 "$PREDICTCTL" predict "$scratch/bomb.cl" --device 0 --global 64 --arg buffer:4K
{
	printf 'kernel void k(global int *x) { x[0] = '
	head -c 200000 /dev/zero | tr '\0' '-' | sed 's/-/- /g'
	printf '1; }\n'
} | write deep.cl
expect "an expression too deep ends within its limits" 1 . timeout 30 "$PREDICTCTL" predict "$scratch/deep.cl" --device 0 --global 64 --arg buffer:4K
write forever.cl <<'K'
kernel void k(global int *x, uint n)
{
	int sum = 0;
	for (uint a = 0; a < n; a++)
		for (uint b = 0; b < n; b++)
			for (uint c = 0; c < n; c++)
				if ((a ^ b ^ c) & 1)
					sum += x[a & b & c & 63];
	x[get_global_id(0)] = sum;
}
K
expect "loops of 2^93 rounds are predicted at once" 0 . timeout 20 "$PREDICTCTL" predict "$scratch/forever.cl" --device 0 --global 1024 --local 64 --arg buffer:4K --arg uint:2147483647
expect "a device that is not there is not calibrated" 1 'calibrate: device 77: want one of' ctl calibrate 77 --quick
: | write empty.cl
expect "an empty source has no kernel" 1 'source' predict empty.cl --global 64
printf 'float f(float x) { return x; }\n' | write functions.cl
expect "a source without kernels has none to guess for" 1 'no kernel$' ctl cases "$scratch/functions.cl"
expect "nor has a kernel that is not there" 1 "no kernel 'third'; it has first, second, exact" ctl cases "$scratch/two.cl:third"
head -c 65536 /dev/urandom | write noise.cl
expect "noise is no source" 1 . predict noise.cl --global 64
expect "after all that, the daemon answers" 0 . ask
stop_daemon
[ $stopped -eq 0 ] && ok "and ends with 0" || not_ok "and ends with 0: got $stopped"
finish
