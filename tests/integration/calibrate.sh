#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# From a daemon that knows nothing to a calibration that travels.
. "$SOURCE_ROOT/tests/integration/common.sh"

expect "without a daemon, status says what to start" 3 'systemctl start predictd\|predictd &\|start' ctl status
expect "without a daemon, predict ends with 3" 3 'predictd' ask
start_daemon
expect "a new daemon says its version" 0 '0\.1\.0' ctl status
expect "a device is found" 0 . ctl devices
expect "its language is assumed until its compiler was asked" 0 \
	'language: OpenCL C [0-9.]* by default, .*assumed from the device.s version and extensions: calibrate to ask$' \
	ctl devices --verbose
expect "a device that is not calibrated ends predict with 4, and the sentence says what to type" 4 \
	'predictctl calibrate' ask
expect "export of what is not calibrated says so" 4 'calibrat' ctl export 0 "$scratch/none"
expect "calibrate refuses a device that is not there" 1 'no device\|device' ctl calibrate 77 --quick

stop_daemon

# a calibrator that has half of its stages behind it when it ends
PREDICTD_LIBEXECDIR=$BUILD_ROOT/tests/unit/daemon FAKE_CALIBRATOR=well start_daemon
expect "a quick calibration whose time was up says at what" 0 'time was up at 50 % (pretending)' ctl calibrate 0 --quick
ctl calibrate 0 >"$scratch/full" 2>&1
check "a full one has its time" grep -q calibrated "$scratch/full"
check "and says nothing of it" test "$(grep -c 'time was up' "$scratch/full")" = 0
stop_daemon
rm -rf "$scratch/state"

# one whose compiler was asked, and whose measurements cannot be; and one that nobody asked
PREDICTD_LIBEXECDIR=$BUILD_ROOT/tests/unit/daemon FAKE_CALIBRATOR=speaks start_daemon
expect "a device whose compiler was asked is calibrated" 0 . ctl calibrate 0 --quick
expect "its language is said" 0 'language: OpenCL C 1.2 by default, 1 macros, asked of the device.s compiler$' \
	ctl devices --verbose
expect "with the options that it refuses" 0 'refused options: -cl-fake$' ctl devices --verbose
expect "and what is doubted" 0 'doubted: a launch of 8 us' ctl devices --verbose
expect "below the table, too" 0 '^0: doubted: a way of 512 bytes' ctl devices
expect "to programs as well" 0 '"a way of 512 bytes"' ctl devices --json
check "and to the journal" grep -q 'calibration-doubted.*doubt="a way of 512 bytes"' "$scratch/log"
check "each" grep -q 'calibration-doubted.*doubt="a launch of 8 us"' "$scratch/log"
ctl doctor >"$scratch/doctor" || true
check "doctor warns of what is doubted" grep -q '^warning *calibration .*doubted: a way of 512 bytes' "$scratch/doctor"
is "and says what to do" "-> predictctl calibrate 0" \
	"$(grep -A1 'doubted: a way of 512 bytes' "$scratch/doctor" | sed -n '2s/^ *//; 2s/`//gp')"
is "to programs as well" "[('warning', False, True)]" "$(ctl doctor --json | json '[
	(f["level"], f["ok"], "calibrate 0" in f["mend"]) for f in x["findings"] if "a way of 512" in f["finding"]]')"
check "and nothing of a language that was asked" test "$(grep -c '^warning *language' "$scratch/doctor")" = 0
stop_daemon
rm -rf "$scratch/state"
PREDICTD_LIBEXECDIR=$BUILD_ROOT/tests/unit/daemon FAKE_CALIBRATOR=well start_daemon
expect "one whose compiler nobody asked is calibrated" 0 . ctl calibrate 0 --quick
ctl doctor >"$scratch/doctor" || true
check "doctor warns of it" grep -q '^warning *language .*assumed from the device.s version' "$scratch/doctor"
stop_daemon
rm -rf "$scratch/state"

# a calibrator that others disturb while somebody waits for it, and nobody when nobody does
write_config '[calibration]' 'again_quiet_s = 1'
PREDICTD_LIBEXECDIR=$BUILD_ROOT/tests/unit/daemon FAKE_CALIBRATOR=busy start_daemon
expect "a calibration says what others had" 0 'others had 50 % of the processors meanwhile' ctl calibrate 0 --quick
expect "and so does the device" 0 'others had, in the mean  *0.5' ctl devices --verbose
for _ in $(seq 100); do
	ctl devices >"$scratch/devices"
	grep -q busy "$scratch/devices" || break
	sleep 0.2
done
if grep -q busy "$scratch/devices"; then
	ok "it is made again by itself # SKIP others use this machine"
else
	check "it is made again by itself" grep -q 'calibration-kept.*epoch=2' "$scratch/log"
fi
stop_daemon
rm -rf "$scratch/state"
write_config '[calibration]' 'again_quiet_s = soon'
expect "what is no time is refused by its line" 1 'again_quiet_s: want 0 to 1048576, got \"soon\"' \
	"$PREDICTD" --config "$scratch/predictd.conf"
write_config
start_daemon

begin=$(date +%s)
expect "calibrate --quick succeeds" 0 . ctl calibrate 0 --quick
printf '# calibrated in %d s\n' $(($(date +%s) - begin))
expect "the device is calibrated now" 0 'quick\|calibrated' ctl devices
expect "what was found can be read" 0 'launch.base.time_s\|launch' ctl devices --verbose
expect "and by programs" 0 '"launch.base.time_s"' ctl devices --verbose --json
expect "the compiler was asked for its language" 0 \
	'language: OpenCL C [0-9.]* by default, .*, [0-9]* macros, asked of the device.s compiler$' ctl devices --verbose
language=$(ctl devices --json | json '[x["devices"][0][k] for k in ("language", "language_assumed", "refused_options")]')
expect "predict answers" 0 . ask
first=$(ask --json)

expect "a calibration is exported" 0 '' ctl export 0 "$scratch/device.cal"
check "the file has something in it" test -s "$scratch/device.cal"
stop_daemon
[ $stopped -eq 0 ] && ok "SIGTERM ends the daemon with 0" || not_ok "SIGTERM ends the daemon with 0: got $stopped"
start_daemon
expect "a calibration survives the daemon" 0 . ask
stop_daemon

rm -rf "$scratch/state"
start_daemon
expect "a fresh state directory has no calibration" 4 calibrat ask
expect "a calibration is imported" 0 '' ctl import "$scratch/device.cal"
is "with its language" "$language" \
	"$(ctl devices --json | json '[x["devices"][0][k] for k in ("language", "language_assumed", "refused_options")]')"
expect "and predictions rest on it" 0 . ask
second=$(ask --json)
time_of() { grep -o '"kernel_time_s": *[0-9.e+-]*' <<<"$1" | head -n 1; }
if [ -n "$(time_of "$first")" ] && [ "$(time_of "$first")" = "$(time_of "$second")" ]; then
	ok "an imported calibration gives the same prediction, to the last digit"
else
	not_ok "an imported calibration gives the same prediction: $(time_of "$first"), $(time_of "$second")"
fi

size=$(stat -c %s "$scratch/device.cal")
head -c $((size / 2)) "$scratch/device.cal" >"$scratch/short.cal"
expect "half of a file is refused" 1 . ctl import "$scratch/short.cal"
cp "$scratch/device.cal" "$scratch/bent.cal"
printf '\x5a' | dd of="$scratch/bent.cal" bs=1 seek=$((size / 2)) conv=notrunc status=none
cmp -s "$scratch/device.cal" "$scratch/bent.cal" && printf '\xa5' |
	dd of="$scratch/bent.cal" bs=1 seek=$((size / 2)) conv=notrunc status=none
expect "a file with one byte changed is refused" 1 . ctl import "$scratch/bent.cal"
head -c 4096 /dev/urandom >"$scratch/noise.cal"
expect "noise is refused" 1 . ctl import "$scratch/noise.cal"
: >"$scratch/empty.cal"
expect "an empty file is refused as such" 1 'empty' ctl import "$scratch/empty.cal"
expect "a file that is not there is named" 1 'nowhere.cal' ctl import "$scratch/nowhere.cal"
expect "after all that, predictions go on" 0 . ask

mkdir -p "$(dirname "$CALIBRATION")"
[ ! -s "$scratch/device.cal" ] || cp "$scratch/device.cal" "$CALIBRATION.new" && mv "$CALIBRATION.new" "$CALIBRATION"
stop_daemon
finish
