#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# OpenCL drivers that are missing, crash or hang: reported so, and the rest works.
. "$SOURCE_ROOT/tests/integration/common.sh"

sq_source="$kernels/demo/vector_add.cl"
vendors=$scratch/vendors
mkdir "$vendors"

# devices that come and go while the daemon lives; it asks the drivers twice a minute
mkdir "$scratch/node"
export OCL_ICD_VENDORS=$scratch/node
printf '[calibration]\nat_start = never\n[daemon]\nsocket = %s\nstate = %s\n' "$PREDICTD_SOCKET" "$scratch/node.state" >"$scratch/predictd.conf"
start_daemon
expect "without a driver no device is there" 0 'no OpenCL device' ctl status
# lists COUNT: `devices` has so many GPUs that are here
lists() {
	for _ in $(seq 200); do
		[ "$(ctl devices 2>/dev/null | grep -c 'NVIDIA H200')" -eq "$1" ] && return 0
		sleep 0.25
	done
	return 1
}
printf '%s\n' "$FAKE_ICDS/fake_node.so" >"$scratch/node/node.icd"
check "a driver that is installed meanwhile has its devices listed" lists 8
is "and the log names each that came, with its key" 9 "$(grep -cE 'device-came device=.* key=' "$scratch/log")"
is "by another key each" 9 "$(grep -oE 'device-came .* key=.*' "$scratch/log" | sed 's/.* key=//' | sort -u | wc -l)"
is "and none that went" 0 "$(grep -c 'device-went' "$scratch/log")"
rm "$scratch/node/node.icd"
# it is looked at again at the end
node=$daemon node_socket=$PREDICTD_SOCKET node_log=$scratch/node.log
mv "$scratch/log" "$node_log"
trap 'status=$?; kill "$node" 2>/dev/null; (exit $status); leave' EXIT
daemon=
PREDICTD_SOCKET=$scratch/run/other.sock

export OCL_ICD_VENDORS=/nonexistent
write_config
start_daemon
expect "without a driver the daemon answers" 0 . ctl status
expect "and has no device" 0 . ctl devices
expect "status says why" 0 'devices *no OpenCL device' ctl status
expect "also to programs" 0 '"device_problem": "no OpenCL device' ctl status --json
expect "a prediction without any device says so" 1 'no.*device' ctl predict "$sq_source" \
	--global 1024 --local 64 --arg buffer:4K:r --arg buffer:4K:r --arg buffer:4K:w
expect "calibrate says that there is none" 1 'no.*device\|OpenCL' ctl calibrate 0 --quick
expect "doctor says what is missing" 1 'OpenCL\|driver' ctl doctor
if [ -s "$CALIBRATION" ]; then
	expect "a calibration from elsewhere can be imported" 0 . ctl import "$CALIBRATION"
	expect "and asked about by name" 0 . ask --device 0
	expect "though not chosen, since it is away" 1 "name one that is away" ask
fi
stop_daemon
[ $stopped -eq 0 ] && ok "and it ends with 0" || not_ok "and it ends with 0: got $stopped"
rm -rf "$scratch/state"

for way in crash hang; do
	rm -f "$vendors"/*
	printf '%s\n' "$FAKE_ICDS/fake_icd_$way.so" >"$vendors/a-$way.icd"
	cp /etc/OpenCL/vendors/*.icd "$vendors/" 2>/dev/null
	export OCL_ICD_VENDORS=$vendors
	write_config
	start_daemon
	expect "beside a driver that can $way, the daemon answers" 0 . ctl status
	for _ in $(seq 200); do
		ctl devices 2>/dev/null | grep -qi 'misbehaving' && break
		sleep 0.25
	done
	expect "devices names the driver that can $way, and what it does" 0 \
		'misbehaving.*\(crashes\|does not answer\)' ctl devices
	check "and so does the log" grep -qi 'driver-failed device=.*misbehaving.*\(crashes\|does not answer\)' "$scratch/log"
	if ls "$vendors"/pocl.icd >/dev/null 2>&1; then
		expect "and lists the device of the other driver" 0 'pthread\|cpu\|pocl' ctl devices
		expect "which runs kernels as before" 0 . ctl measure "$kernels/copy.cl" --device 0 \
			--global 65536 --local 64 --arg buffer:256K:r --arg buffer:256K:w
	fi
	if [ -s "$CALIBRATION" ]; then
		expect "a calibration serves it" 0 . ctl import "$CALIBRATION"
		expect "and predictions go on" 0 . ask
	fi
	expect "the bad one cannot be calibrated, and why is said" 1 'crashes\|does not answer' ctl calibrate misbehaving --quick
	stop_daemon
	[ $stopped -eq 0 ] && ok "and it ends with 0" || not_ok "and it ends with 0: got $stopped"
	rm -rf "$scratch/state"
done

unset OCL_ICD_VENDORS

if [ -e /etc/OpenCL/vendors/pocl.icd ]; then
	: >"$scratch/file"
	POCL_CACHE_DIR=$scratch/file/cache expect "a folder without which PoCL has no device is named" 1 \
		"^problem *OpenCL *PoCL may not write to $scratch/file/cache" ctl doctor
	POCL_CACHE_DIR=$scratch/file/cache expect "and who measures is told where to look" 1 'no OpenCL device: .*predictctl doctor' \
		ctl measure "$kernels/copy.cl" --global 64 --arg buffer:256:r --arg buffer:256:w
fi

write_config
# root may write anywhere, so a path that can never be made stands for a read-only disk
printf '[calibration]\nat_start = never\n[daemon]\nsocket = %s\nstate = /proc/predictd/state\n' "$PREDICTD_SOCKET" >"$scratch/predictd.conf"
"$PREDICTD" --config "$scratch/predictd.conf" >>"$scratch/log" 2>&1 &
daemon=$!
for _ in $(seq 600); do
	ctl status >/dev/null 2>&1 && break
	kill -0 $daemon 2>/dev/null || break
	sleep 0.1
done
if kill -0 $daemon 2>/dev/null; then
	expect "a state directory that cannot be written is told by status" 0 '/proc/predictd' ctl status
	stop_daemon
else
	wait $daemon
	[ $? -ne 0 ] && grep -q '/proc/predictd' "$scratch/log" &&
		ok "a state directory that cannot be made is named" ||
		not_ok "a state directory that cannot be made is named: $(tail -n 1 "$scratch/log")"
	daemon=
fi

mkdir -p "$scratch/state"
head -c 8192 /dev/urandom >"$scratch/state/predictd.db"
write_config
start_daemon
expect "a database that is noise is set aside and the daemon answers" 0 . ctl status
compgen -G "$scratch/state/*corrupt*" >/dev/null && ok "and what was there is kept" || not_ok "and what was there is kept: $(ls "$scratch/state")"
stop_daemon
# the node's daemon
daemon=$node PREDICTD_SOCKET=$node_socket
check "once a driver is removed its devices are listed no more" lists 0
is "and the log names each that went" 9 "$(grep -cE 'warning device-went device=.* key=' "$node_log")"
stop_daemon
finish
