#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Splits of a launch over two devices that are away, by recorded calibrations.
export OCL_ICD_VENDORS=/nonexistent
. "$SOURCE_ROOT/tests/integration/common.sh"
start_daemon

keys=()
for recorded in pocl-2 pocl-16; do
	ctl import "$SOURCE_ROOT/tests/accuracy/data/$recorded/device.calibration" >"$scratch/import" ||
		bail "$recorded: no import"
done
mapfile -t keys < <(ctl devices --json | python3 -c 'import json, sys
for device in json.load(sys.stdin)["devices"]:
    print(device["key"])')
[ ${#keys[@]} = 2 ] && ok "two devices are known" || not_ok "two devices are known: ${keys[*]}"

split() {
	ctl split "$kernels/copy.cl" --global "$1" --local 64 --arg "buffer:$((4 * $1)):r" \
		--arg "buffer:$((4 * $1)):w" --device "${keys[0]}" --device "${keys[1]}" "${@:2}"
}
expect "a launch is split" 0 'times as fast as' split 16777216 --transfers
split 16777216 --json >"$scratch/split.json"
whole=$(json '(sum(s.get("items", 0) for s in x["shares"]), len(x["shares"]), x["granule_items"])' \
	<"$scratch/split.json")
[ "$whole" = "(16777216, 2, 64)" ] && ok "shares are the range" || not_ok "shares are the range: $whole"
gain=$(json 'x["gain"] > 1 and x["gain_low"] <= x["gain"] <= x["gain_high"]' <"$scratch/split.json")
[ "$gain" = True ] && ok "the gain is over the best alone" || not_ok "the gain is over the best alone: $gain"
best=$(json 'abs(x["time_s"] * x["gain"] / min(s["alone_time_s"] for s in x["shares"]) - 1) < 1e-6 and not x["contention_known"] and max(s["time_s"] for s in x["shares"]) == x["time_s"]' <"$scratch/split.json")
[ "$best" = True ] && ok "its time is that of the last device" ||
	not_ok "its time is that of the last device: $best"
# what is said of a part is what is said of that launch by itself
part=$(json '[(s["begin"], s["items"], s["kernel_time_s"]) for s in x["shares"] if s["device_key"] == "'"${keys[1]}"'"][0]' \
	<"$scratch/split.json")
read -r begin items time_s < <(tr -d '(),' <<<"$part")
alone=$(ctl predict "$kernels/copy.cl" --global "$items" --offset "$begin" --local 64 \
	--arg buffer:64M:r --arg buffer:64M:w --device "${keys[1]}" --json |
	json 'x["predictions"][0]["kernel_time_s"]')
[ "$alone" = "$time_s" ] && ok "a part is predicted as that launch is" ||
	not_ok "a part is predicted as that launch is: want $alone, got $time_s"
forth=$(split 1000000 --json | json '[s.get("items", 0) for s in x["shares"]]')
back=$(ctl split "$kernels/copy.cl" --global 1000000 --local 64 --arg buffer:4000000:r \
	--arg buffer:4000000:w --device "${keys[1]}" --device "${keys[0]}" --json |
	json '[s.get("items", 0) for s in reversed(x["shares"])]')
[ "$forth" = "$back" ] && ok "the order of devices does not matter" ||
	not_ok "the order of devices does not matter: $forth, $back"
expect "one granule has one device" 0 'nothing is gained' split 4096 --granule 4096
expect "a buffer is named" 0 'in all' split 65536 --split from --split to
expect "what each argument is to a part is shown" 0 'from: *reads 256 B a granule' split 65536
expect "and what the caller says comes first" 0 'from: *split, as --split says' split 65536 --split 0
said=$(split 65536 --json | json '[(a["name"], a["reads"]["kind"], a["writes"].get("stride_bytes"), a["is_filled"], a["is_said"]) for a in x["arguments"]]')
[ "$said" = "[('from', 'part', None, False, False), ('to', 'nothing', 4, True, False)]" ] &&
	ok "as JSON, too" || not_ok "as JSON, too: $said"
halo=$(ctl split "$kernels/convolution3x3.cl" --global 1024,1024 --local 64,4 --arg buffer:4210704:r \
	--arg buffer:4M:w --arg buffer:36:r --arg int:1024 --device "${keys[0]}" --device "${keys[1]}" \
	--dimension 1 --transfers --json |
	json '([x["arguments"][0]["reads"][k + "_bytes"] for k in ("stride", "low", "high")], [s["h2d_bytes"] - s["items"] * 4104 for s in x["shares"] if s["granules"]])')
[ "$halo" = "([4104, 0, 8208], [8244, 8244])" ] &&
	ok "a part is sent its halo and a table whole" || not_ok "a part is sent its halo and a table whole: $halo"
expect "columns that write into each other's part are refused" 1 "dimension 0: line 17: neighbours" \
	ctl split "$kernels/convolution3x3.cl" --global 1024,1024 --local 64,4 --arg buffer:4210704:r \
	--arg buffer:4M:w --arg buffer:36:r --arg int:1024 --device "${keys[0]}" --device "${keys[1]}"
expect "a histogram is refused" 1 'argument 1 (.*an atomic is' ctl split "$kernels/histogram_global.cl" \
	--global 1048576 --local 64 --arg buffer:4M:r --arg buffer:4K:rw --device "${keys[0]}" --device "${keys[1]}"
expect "a granule of nothing is refused" 2 'want 1 work-item or more' split 65536 --granule 0
expect "a granule above the range is refused" 1 'larger than the range of 65536' \
	split 65536 --granule 65537 --split 1
expect "a dimension that there is not is refused" 1 'dimension 1 of 1' split 65536 --dimension 1 --split 1
expect "a fourth dimension is refused" 2 'want 0, 1 or 2' split 65536 --dimension 3
expect "an argument that there is not is refused" 2 "no argument 'nobody' of" split 65536 --split nobody
expect "an argument's number, too" 1 'argument 9 of 2' split 65536 --split 1 --split 9
expect "a buffer that is too small for its granules is refused" 1 'too few for 1024 granules' \
	split 65536 --split 1:1M
expect "a device that there is not is refused" 1 "no device 'abacus'" \
	split 65536 --split 1 --device abacus
expect "a device that is there twice is refused" 1 'is there twice' split 65536 --split 1 --device "${keys[0]}"
expect "2^63 work-items are refused" 1 'more work-items than can be counted' \
	ctl split "$kernels/copy.cl" --global 9223372036854775808 --local 64 --arg buffer:64M:r \
	--arg buffer:64M:w --device "${keys[0]}" --device "${keys[1]}"
expect "without devices here some have to be named" 4 'name some with --device' \
	ctl split "$kernels/copy.cl" --global 65536 --arg buffer:256K:r --arg buffer:256K:w --split 1
# what is found, beside every step of a sweep
check "no step of a sweep ends sooner by more than 2 %" "$PYTHON" \
	"$SOURCE_ROOT/tests/integration/sweep.py" "${keys[0]}" "${keys[1]}"
expect "numbers of groups are refused" 1 'get_group_id(0) is of the part' \
	ctl split "$kernels/dot_partial.cl" --global 1048576 --local 128 --arg buffer:4M:r --arg buffer:4M:r \
	--arg buffer:32K:w --arg local:512 --device "${keys[0]}" --device "${keys[1]}" --split 2
finish
