#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program's row of the table of programs, from the JSON of `predictctl run`.

row.py --head                                          the columns
row.py NAME SAME RUN.json PLAIN_S LAYERED_S            the row, as CSV
row.py --reasons NAME RUN.json                         each miss: program, launches, shapes, why
row.py --share RUN.json                                launches, and predicted ones in percent
row.py --table FILE.csv                                the rows as a table of Markdown
"""
import csv
import json
import statistics
import sys

COLUMNS = ["program", "same", "launches", "predicted_launches", "near_launches", "distinct",
           "predicted_distinct", "compared", "within_1.5", "median_ratio", "plain_s", "layered_s"]


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def ratios(run):
    """predicted / observed, of each kernel with its sizes that ran twice or more by itself."""
    return [shape["ratio"] for kernel in run["kernels"] for shape in kernel["shapes"]
            if shape["ratio"] is not None and
            shape["launches"] - shape["untimed"] - shape["failed"] - shape["overlapped"] > 1]


def row(name, same, path, plain_s, layered_s):
    run = load(path)
    both = ratios(run)
    return [name, same, run["launches"], run["predicted_launches"], run["near_launches"],
            run["distinct"], run["predicted_distinct"], len(both),
            sum(1 / 1.5 <= ratio <= 1.5 for ratio in both),
            f"{statistics.median(both):.3g}" if both else "", plain_s, layered_s]


def percent(part, whole):
    part, whole = int(part), int(whole)
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table(path):
    print("| Program | same | launches | predicted | kernels with sizes | predicted | compared "
          "| within x1.5 | median ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with open(path, encoding="utf-8") as file:
        for one in csv.DictReader(file):
            cells = [one["program"], one["same"], one["launches"],
                     percent(one["predicted_launches"], one["launches"]), one["distinct"],
                     percent(one["predicted_distinct"], one["distinct"]), one["compared"],
                     percent(one["within_1.5"], one["compared"]), one["median_ratio"] or "-"]
            print("| " + " | ".join(cells) + " |")


def main(words):
    out = csv.writer(sys.stdout, lineterminator="\n")
    if words[0] == "--head":
        out.writerow(COLUMNS)
    elif words[0] == "--table":
        table(words[1])
    elif words[0] == "--reasons":
        for miss in load(words[2])["unpredicted"]:
            out.writerow([words[1], miss["launches"], miss["shapes"], miss["why"]])
    elif words[0] == "--share":
        run = load(words[1])
        launches = run["launches"]
        share = 100 * run["predicted_launches"] / launches if launches else 0
        print(launches, int(share))
    else:
        out.writerow(row(*words))


main(sys.argv[1:])
