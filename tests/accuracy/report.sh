#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The report of recorded devices: made without the device, whole, and with the figures that
# `predictctl evaluate` gives. From meson: see tests/integration/common.sh.
. "$SOURCE_ROOT/tests/integration/common.sh"

accuracy=$SOURCE_ROOT/tests/accuracy
export OCL_ICD_VENDORS=/nonexistent PYTHONDONTWRITEBYTECODE=1

report() {
	"$accuracy/report" --build "$BUILD_ROOT" "$@"
}

# whole PAGE: well-formed, self-contained, every section, three histograms a set, their bins full.
whole() {
	python3 - "$1" <<'EOF'
import sys
import xml.etree.ElementTree as xml

root = xml.parse(sys.argv[1]).getroot()
heads = [h.text for h in root.iter("h2")]
want = ["Against the goals", "In all", "Predicted / measured", "Over size", "By class", "The worst 20",
        "By bottleneck", "By access pattern", "The interval"]
assert heads[: len(want)] == want, heads
assert heads[len(want) :] in ([], ["Families left out"]), heads  # where there are two families
for element in root.iter():
    for name, value in element.attrib.items():
        assert name not in ("src", "href") and "url(" not in value, (element.tag, name, value)
svg = ""
titles = [t.text for t in root.iter(svg + "title")]
launches = int(root.find("body/p").text.split(": ")[1].split()[0])
bins = [int(r.find(svg + "title").text.split()[0]) for r in root.iter(svg + "rect") if r.get("class") == "bin"]
assert sum(bins) == 3 * launches, (sum(bins), launches)
dots = sum(1 for _ in root.iter(svg + "circle"))
assert dots == 2 * launches, (dots, launches)
assert 1 <= len(list(root.iter("details"))) <= 20
EOF
}

# same_figures PAGE FOLDER SET: the page's row of a set says what evaluate says.
same_figures() {
	"$PREDICTCTL" evaluate --cases "$accuracy/cases/$3.json" --device 0 --measured "$2/$3.csv" \
		--model default >"$scratch/figures" || return 1
	python3 - "$1" "$scratch/figures" "$3" <<'EOF'
import sys
import xml.etree.ElementTree as xml

told = next(line.split() for line in open(sys.argv[2]) if line.startswith("all "))
told = [word for word in told if word != "%"]
cells = next(
    ["".join(td.itertext()).removesuffix(" %") for td in tr.iter("td")]
    for tr in xml.parse(sys.argv[1]).getroot().iter("tr")
    if [td.text for td in tr.iter("td")][:2] == [sys.argv[3], "default"]
)
# class model cases 30% x1.5 median mean large 30% x1.5 median Spearman covered width
told = [told[i].removesuffix("%") for i in (2, 3, 4, 5, 6, 7, 8, 11, 12)]
cells = [cells[i] for i in (2, 3, 5, 7, 8, 9, 10, 11, 12)]
assert told == cells, (told, cells)
EOF
}

# some NAME SET...: the sets of pocl-2 alone, as a folder of their own
some() {
	mkdir -p "$scratch/$1"
	cp "$accuracy"/data/pocl-2/{device.calibration,devices.txt,generator} "$scratch/$1"
	for set in "${@:2}"; do
		cp "$accuracy/data/pocl-2/$set.csv" "$scratch/$1"
	done
}
some files demo real
some seeds random-1
some images images

# quoted: the goals are those of the device's type and of the seed that is quoted; of its launches none is named
quoted() {
	mkdir -p "$scratch/quoted"
	cp "$accuracy"/data/h200/{device.calibration,random-1.csv,random-4.csv} "$scratch/quoted"
	report "$scratch/quoted" "$scratch/quoted.html" || return 1
	python3 - "$scratch/quoted.html" <<'EOF'
import sys
import xml.etree.ElementTree as xml

page = open(sys.argv[1]).read()
assert "rich.s1." in page and ".s4." not in page
rows = {r[0].text: ["".join(td.itertext()) for td in r] for r in xml.fromstring(page.split("?>")[-1].replace("<!DOCTYPE html>", "")).iter("tr")}
assert rows["realistic random kernels, within 30 %"][2:4] == ["94 %", "98 %"], rows  # of a GPU
assert rows["library (developed on): mean error"][4] == "not measured", rows
assert rows["calibration"][4].endswith(" s"), rows
assert "<p>Random kernels: random-4." in page
EOF
}

# one of each kind: cases of files, of seeds, and of one class
for folder in "$scratch"/files/ "$scratch"/seeds/ "$scratch"/images/; do
	name=$(basename "$folder")
	check "$name: the page is made" report "$folder" "$scratch/$name.html"
	check "$name: the page is whole" whole "$scratch/$name.html"
	rm -rf "$scratch/state"
	start_daemon
	ctl import "$folder"/*.calibration >/dev/null || bail "$name: no import"
	for measured in "$folder"/*.csv; do
		cases=$(basename "$measured" .csv)
		[ -f "$accuracy/cases/$cases.json" ] || continue
		check "$name $cases: the page has the figures of evaluate" \
			same_figures "$scratch/$name.html" "$folder" "$cases"
	done
	stop_daemon
done

check "goals are the device's, and judged by what is quoted" quoted
mkdir "$scratch/empty" "$scratch/strange"
expect "a folder without measurements is refused" 1 "no measured" report "$scratch/empty" "$scratch/none.html"
cp "$accuracy"/data/pocl-2/*.calibration "$scratch/strange"
printf 'case,kernel_time_s,error\nmade.up.1,0.001,\n' >"$scratch/strange/unknown.csv"
expect "measurements without a cases file are refused" 1 "no cases file unknown.json" \
	report "$scratch/strange" "$scratch/none.html"
mv "$scratch/strange/unknown.csv" "$scratch/strange/demo.csv"
expect "measurements of other cases are refused" 1 "no case was measured" \
	report "$scratch/strange" "$scratch/none.html"
printf 'case,kernel_time_s,error\ndemo.sq_mod.512x512,soon,\n' >"$scratch/strange/demo.csv"
expect "a time that is none is named" 1 "sq_mod.512x512: want seconds, have 'soon'" \
	report "$scratch/strange" "$scratch/none.html"
check "no page is left of a refused report" test ! -e "$scratch/none.html"

# ablated: a model without its launch cost is off on a demo of short launches.
ablated() {
	"$accuracy/ablate" --build "$BUILD_ROOT" --only "launch cost" "$accuracy/data/h200" demo >"$scratch/ablated" ||
		return 1
	awk 'NR == 2 { whole = $5 + 0 } /^launch cost/ { without = $4 + 0 } END { exit !(NR == 3 && without < whole) }' \
		"$scratch/ablated"
}

# compared: every launch of a device takes as long as itself, and counts nowhere.
compared() {
	"$accuracy/faster" "$BUILD_ROOT" "$scratch/files" "$scratch/files" >"$scratch/compared" &&
		grep -q '^[1-9][0-9]* launches on both devices, 0 more than 20% apart' "$scratch/compared" &&
		"$accuracy/faster" "$BUILD_ROOT" "$accuracy/data/h200" "$scratch/images" >"$scratch/compared" &&
		grep -q '^all  *[1-9][0-9]* ' "$scratch/compared"
}

check "a mechanism that is taken out is missed" ablated
expect "a mechanism of another name is refused" 1 "no mechanism has 'magic' in its name" \
	"$accuracy/ablate" --build "$BUILD_ROOT" --only magic "$accuracy/data/pocl-2"
check "devices are compared on the launches they share" compared
expect "devices with nothing in common are not compared" 1 "have no set in common" \
	"$accuracy/faster" "$BUILD_ROOT" "$scratch/files" "$scratch/images"
printf '# one\na.time_s 1 0.1\nb.time_s 2 0\n' >"$scratch/one"
printf 'a.time_s 1.2 0.1\nb.time_s 2 0\nc.time_s 1 0\n' >"$scratch/two"
varies() {
	"$accuracy/repeat" "$scratch/one" "$scratch/two" >"$scratch/varies" &&
		grep -qx '2 coefficients of 2 calibrations, 1 apart' "$scratch/varies" &&
		grep -q '^ *9.1%  a.time_s ' "$scratch/varies"
}
check "repeated calibrations are compared" varies
expect "a file without coefficients is refused" 1 "no coefficients" "$accuracy/repeat" "$scratch/one" /dev/null
finish
