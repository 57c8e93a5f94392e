#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of docs/sharing.md, by row: `measure.py BUILD ROW...`. See tests/share/measure."""

import argparse
import glob
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from place import ROOT, Site, wait_for  # noqa: E402

ROWS = {}


def row(name, words):
    def remember(function):
        ROWS[name] = (words, function)
        return function
    return remember


def tell(what, value):
    print(f"  {what:<68} {value}", flush=True)


def load(site, server=None, **numbers):
    """Runs share-load against the site's server: what it prints, and the server's seconds of CPU."""
    folder = os.path.join("/dev/shm", f"share-load.{os.getpid()}")  # a disk for each of many nodes
    os.makedirs(folder, exist_ok=True)
    before = site.server.cpu_s()
    said = {}
    words = [f"{site.build}/tests/share/share-load", server or site.server.connection("node_load"), folder,
             *(f"{name}={value}" for name, value in numbers.items())]
    try:
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            signal.signal(signal.SIGTERM, lambda *_: (process.kill(), sys.exit(143)))
            for line in process.stdout:
                said.update({name: float(value) for name, value in (word.split("=") for word in line.split())})
                now = site.server.cpu_s()
                said["idle_server_s" if "server_s" in said else "server_s"] = now - before
                before = now
        if process.returncode != 0:
            raise RuntimeError("share-load failed")
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)
    return said


def exactly(site, said):
    """What the server has is what the nodes had, once each; asked of its tables."""
    rows, runs, distinct = site.server.sql(
        "SELECT count(*), sum(runs), count(DISTINCT (node, sequence)) FROM predictd.observation").split("|")
    wanted = (int(said["rows"]), int(said["runs"]), int(said["rows"]))
    got = (int(rows), int(runs), int(distinct))
    gaps = site.server.sql("SELECT count(*) FROM (SELECT node FROM predictd.observation GROUP BY node"
                           " HAVING max(sequence) <> count(*) OR min(sequence) <> 1) a")
    return "nothing lost, nothing twice" if got == wanted and gaps == "0" else f"WANT {wanted}, GOT {got}, GAPS {gaps}"


@row("rate", "observations a second into one server")
def rate(build, options):
    for burst in options.bursts:
        site = load_site(build=build)
        try:
            said = load(site, nodes=options.nodes or 8, models=options.nodes or 8,
                        runs=(options.runs or 200000) * burst, burst=burst, launches=20000)
            tell(f"{burst:2} runs a row: runs a second", f"{said['runs'] / said['written_s']:,.0f}")
            tell("              rows a second", f"{said['rows'] / said['written_s']:,.0f}")
            tell("              server, nodes: us of CPU a row",
                 f"{1e6 * said['server_s'] / said['rows']:.1f}, {1e6 * said['cpu_s'] / said['rows']:.1f}")
            tell("              at the server", exactly(site, said))
        finally:
            site.end()


def load_site(**options):
    site = Site(**options)
    site.server.sql("CREATE ROLE node_load LOGIN IN ROLE predictd_node")
    return site


@row("hour", "an hour of 1,000 nodes that each observe 20 a second: 72,000,000 runs, as fast as they go (--nodes, --runs: others)")
def hour(build, options):
    nodes = options.nodes or 1000
    site = load_site(build=build, connections=nodes + 20)
    try:
        said = load(site, nodes=nodes, models=nodes, runs=options.runs or 72000, burst=options.bursts[-1], limit_s=3600)
        heap, index = site.server.sql("SELECT sum(pg_table_size(inhrelid)), sum(pg_indexes_size(inhrelid)) FROM pg_inherits"
                                      " WHERE inhparent = 'predictd.observation'::regclass").split("|")
        tell("runs, in rows", f"{said['runs']:,.0f}, {said['rows']:,.0f}")
        tell("at the server", exactly(site, said))
        tell("seconds; runs a second", f"{said['written_s']:.0f}; {said['runs'] / said['written_s']:,.0f}")
        tell("server: MB of rows, of their index; bytes a run",
             f"{int(heap) / 1e6:,.0f}, {int(index) / 1e6:,.0f}; {(int(heap) + int(index)) / said['runs']:.0f}")
        tell("memory of a node's exchange, MB", f"{said['resident_bytes'] / 1e6 / nodes:.1f}")
    finally:
        site.end()


@row("poll", "nodes of ten models, 1,000 or --nodes, that look for news when there is none")
def poll(build, options):
    nodes, seconds = options.nodes or 1000, 30
    site = load_site(build=build, connections=nodes + 20)
    try:
        said = load(site, nodes=nodes, models=10, runs=16, burst=16, reads=1, idle_s=seconds, limit_s=3600)
        tell("server: processors busy", f"{said['idle_server_s'] / seconds:.3f}")
        tell("server: us of CPU, of a node in a second", f"{1e6 * said['idle_server_s'] / seconds / nodes:.0f}")
        tell("node: us of CPU in a second", f"{1e6 * said['idle_cpu_s'] / seconds / nodes:.0f}")
    finally:
        site.end()


@row("read", "nodes of one model that read each other's rows")
def read(build, options):
    nodes, runs = options.nodes or 32, options.runs or 2000
    for burst in options.bursts:
        costs = []
        for models, reads in ((nodes, 0), (1, 1)):
            site = load_site(build=build)
            try:
                costs.append(load(site, nodes=nodes, models=models, runs=runs * burst, burst=burst, reads=reads))
            finally:
                site.end()
        count = costs[1]["rows"] * (nodes - 1)
        tell(f"{burst:2} runs a row: rows read a second", f"{count / costs[1]['read_s']:,.0f}")
        tell("              server, nodes: us of CPU a row read",
             ", ".join(f"{1e6 * (costs[1][what] - costs[0][what]) / count:.1f}" for what in ("server_s", "cpu_s")))


@row("follow", "a run on one node moves another's answer: seconds, with default settings, of 20")
def follow(build, options):
    site = Site(build)
    try:
        nodes = [site.node(name, agreement=1, settings="", store="") for name in "ab"]
        for node in nodes:
            node.start()
        if not wait_for(lambda: all("share-connected" in node.log() for node in nodes)):
            raise RuntimeError("a node does not connect")
        times = []
        for number in range(20):
            nodes[1].predict(1 << 16, number)  # analysed on both: what is timed is the way of a run
            nodes[0].predict(1 << 16, number)
            time.sleep(random.uniform(0, 1))
            began = time.monotonic()
            nodes[0].observe([1e-3] * 3, 1 << 16, number)
            if not wait_for(lambda: nodes[1].predict(1 << 16, number).nodes == 1):  # pylint: disable=cell-var-from-loop
                raise RuntimeError("the answer does not move")
            times.append(time.monotonic() - began)
        tell("median, worst", f"{statistics.median(times):.2f}, {max(times):.2f}")
    finally:
        site.end()


def warm(site, node):
    """A repeated question's median time over that of a bare echo, asked in turns: by bench-warm."""
    done = subprocess.run([f"{site.build}/tests/bench/bench-warm", node.socket, "H200", "20000",
                           f"{site.build}/tests/bench/bench-echo"], stdout=subprocess.PIPE, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("predictd, same"))
    return float(line.rsplit("x", 1)[1])


@row("hot", "the daemon's repeated answer with sharing, and with a server that is stopped, over that without; --nodes rounds, 11")
def hot(build, options):
    site = Site(build)
    try:
        node = site.node("a", agreement=1, settings="", store="")
        other = site.node("b", agreement=1, settings="", store="").start()
        times = {"without": [], "with": [], "with; the server is stopped": []}
        for _ in range(options.nodes or 11):
            for name, each in times.items():
                if name != "without":
                    node.start()
                    wait_for(lambda: "share-connected" in node.log())
                    other.observe([random.uniform(1e-4, 1e-3)] * 3)
                if "stopped" in name:
                    site.server.pause()
                each.append(warm(site, node))
                if "stopped" in name:
                    site.server.go_on()
                node.stop()
        base = statistics.median(times.pop("without"))
        for name, each in times.items():
            tell(name, f"{statistics.median(each) / base:.3f}")
    finally:
        site.server.go_on()
        site.end()


@row("borrow", "launches within x1.5 by a borrowed calibration, in points beside a node's own: each left out in turn")
def borrow(build, options):
    data = os.path.join(ROOT, "tests", "accuracy", "data")
    cases = os.path.join(ROOT, "tests", "accuracy", "cases")
    site = Site(build)
    try:
        node = site.node("a", gpu=False)
        for model in ("h200", "pocl-16"):
            folders = sorted(glob.glob(f"{data}/{model}*"))
            points = []
            for own in folders:
                made = os.path.join(site.folder, "made.calibration")
                subprocess.run([f"{build}/tests/share/share-borrow", made,
                                *(f"{other}/device.calibration" for other in folders if other != own)], check=True)
                hits = [0, 0]
                count = 0
                for measured in sorted(glob.glob(f"{own}/*.csv")):
                    name = os.path.basename(measured)[:-len(".csv")]
                    file = f"{cases}/{name}.json"
                    if name == "random-4":
                        made_cases = os.path.join(site.folder, os.path.basename(own))
                        subprocess.run([os.path.join(ROOT, "tests", "accuracy", "generate"), "--seed", "4", "--only",
                                        measured, made_cases], check=True, stdout=subprocess.DEVNULL)
                        file = f"{made_cases}/cases.json"
                    if not os.path.exists(file):
                        continue
                    for i, calibration in enumerate((f"{own}/device.calibration", made)):
                        device = node.ctl("import", calibration).split("imported as device ")[1].split(",")[0].split()[0]
                        said = json.loads(node.ctl("evaluate", "--json", "--model", "default", "--cases", file,
                                                   "--device", device, "--measured", measured))
                        score = said["models"]["default"]["all"]["all"]
                        hits[i] += score["within15"] * score["cases"]
                    count += score["cases"]
                points.append(100 * (hits[1] - hits[0]) / count)
                tell(f"{os.path.basename(own)}, {count} launches: own, borrowed",
                     f"{100 * hits[0] / count:.1f} %, {100 * hits[1] / count:.1f} %")
            tell(f"{model}: points, mean and least", f"{statistics.mean(points):+.1f}, {min(points):+.1f}")
    finally:
        site.end()


def main():
    parser = argparse.ArgumentParser(epilog="rows: " + "; ".join(f"{name}: {words}" for name, (words, _) in ROWS.items()))
    parser.add_argument("build")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="or all of them by \"all\"")
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--burst", type=int, action="append", help="runs a row")
    parser.add_argument("--runs", type=int, help="of each node")
    options = parser.parse_intermixed_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options.bursts = options.burst or (1, 4, 16)
    if not options.rows:
        parser.print_help()
        return 2
    names = [*ROWS] if options.rows == ["all"] else options.rows
    for name in names:
        if name not in ROWS:
            parser.error(f"{name}: want one of {', '.join(ROWS)}")
    for name in names:
        words, function = ROWS[name]
        print(f"{name}: {words}", flush=True)
        function(os.path.abspath(options.build), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
