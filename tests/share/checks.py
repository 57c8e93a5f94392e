#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/sharing.md promises, each with real processes: nodes, predictd-share, PostgreSQL.

    checks.py BUILD [--only WORDS] [--keep] [--seed N]

Prints a line for each check, in TAP's words.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from place import Site, pause, wait_for  # noqa: E402

CHECKS = []


def check(words):
    def remember(function):
        CHECKS.append((words, function))
        return function
    return remember


def close(got, want, relative=0.02):
    assert abs(got / want - 1) <= relative, f"want {want}, got {got}"


def until(what, want, seconds=30):
    got = [None]

    def look():
        got[0] = what()
        return want(got[0])
    assert wait_for(look, seconds), f"still {got[0]} after {seconds} s"
    return got[0]


def runs_at(site, node):
    text = site.server.sql(f"SELECT coalesce(sum(runs), 0) FROM predictd.observation WHERE node = '{node}'", fails=True)
    return int(text) if text.isdigit() else -1


def teach(nodes, time_s, size=1 << 20, kernel=0):
    for node in nodes:
        node.observe([time_s] * 3, size, kernel)


@check("a schema is made once, and brought up to date")
def schema(site):
    assert "nothing to do" in site.nodes[0].ctl("share", "init", site.server.connection())
    site.server.sql("UPDATE predictd.site SET version = 99")
    assert site.nodes[0].ctl("share", "init", site.server.connection(), fails=True) is None
    site.server.sql("UPDATE predictd.site SET version = 1")


@check("three nodes' runs move a fourth's answer, which says so")
def moves(site):
    before = site.nodes[3].predict()
    assert before.nodes == 0
    began = time.monotonic()
    teach(site.nodes[:3], 3 * before.kernel_time_s)
    after = until(site.nodes[3].predict, lambda answer: answer.nodes == 3)
    print(f"# {time.monotonic() - began:.2f} s from the first report to the answer")
    close(after.kernel_time_s, 3 * before.kernel_time_s)
    said = site.nodes[3].ctl("devices")
    assert "H200" in said


@check("two nodes of three move nobody")
def agreement(site):
    before = site.nodes[3].predict(1 << 16, 1)
    teach(site.nodes[:2], 10 * before.kernel_time_s, 1 << 16, 1)
    teach(site.nodes[:3], 5e-3, 1 << 17, 2)  # what comes later is there
    until(lambda: site.nodes[3].predict(1 << 17, 2), lambda answer: answer.nodes == 3)
    assert site.nodes[3].predict(1 << 16, 1).nodes == 0


@check("a node that lies moves nobody: the others agree without it")
def liar(site):
    before = site.nodes[3].predict(1 << 18, 3)
    site.nodes[0].observe([1000.0] * 16, 1 << 18, 3)
    teach(site.nodes[1:3], 2 * before.kernel_time_s, 1 << 18, 3)
    after = until(lambda: site.nodes[3].predict(1 << 18, 3), lambda answer: answer.nodes == 3)
    close(after.kernel_time_s, 2 * before.kernel_time_s)


@check("a node's own runs outweigh the site's word")
def own(site):
    told = site.nodes[3].predict()
    site.nodes[3].observe([told.kernel_time_s / 3] * 5)
    close(site.nodes[3].predict().kernel_time_s, told.kernel_time_s / 3, 0.05)


@check("a role writes what is its own alone")
def rights(site):
    node = site.nodes[0].identity()
    other = "node_" + site.nodes[1].name
    for text in (f"UPDATE predictd.node SET session = node WHERE node = '{node}' RETURNING 1",
                 f"DELETE FROM predictd.observation WHERE node = '{node}' RETURNING 1",
                 f"SELECT predictd.forget('{node}')", f"UPDATE predictd.head SET last_sequence = 0 RETURNING node"):
        said = site.server.sql(text, user=other, fails=True)
        assert node not in said and said in ("", "0", site.nodes[1].identity()) or "permission" in said, said
    said = site.server.sql("INSERT INTO predictd.calibration SELECT node, model, driver, epoch, received, ''"
                           f" FROM predictd.head, (SELECT 1::bigint epoch, now() received) e WHERE node = '{node}'",
                           user=other, fails=True)
    assert "row-level security" in said, said
    assert runs_at(site, node) > 0


@check("what a user may not read of the daemon, predictd-share says, and goes on")
def refused(site):
    # the daemon of a node whose [share] user is nobody's still answers root and itself
    assert "share-refused" not in site.nodes[0].log(), site.nodes[0].log()


@check("a daemon that was restarted is told the site's word again")
def told_again(site):
    node = site.nodes[3]
    node.stop_daemon()
    node.start_daemon()
    until(lambda: node.predict(1 << 18, 3), lambda answer: answer.nodes == 3)


@check("while the server is stopped, answers are as before; what was observed meanwhile arrives")
def paused(site):
    site.server.pause()
    before = site.nodes[3].predict(1 << 19, 4)
    teach(site.nodes[:3], 4 * before.kernel_time_s, 1 << 19, 4)
    time.sleep(3)
    assert site.nodes[3].predict(1 << 19, 4).nodes == 0
    assert "waiting   0" not in site.nodes[0].share("status")
    site.server.go_on()
    until(lambda: site.nodes[3].predict(1 << 19, 4), lambda answer: answer.nodes == 3)


class Reporting:
    """Reports runs of launches that are all different, until it is told to stop; counts those kept."""

    def __init__(self, node, first_kernel):
        self.node, self.kernel, self.kept, self.is_over = node, first_kernel, 0, False
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        from predictd import Error, Observation
        from place import launch
        while not self.is_over:
            try:
                with self.node.connect() as connection:
                    while not self.is_over:
                        launches = [launch(connection, 64 << i, self.kernel) for i in range(12)]
                        for one in launches:
                            kept = connection.observe([Observation(one, 1e-4, device="H200")] * 4)
                            assert kept == [None] * 4, kept
                            self.kept += 4
                            time.sleep(0.004)
                        self.kernel += 1
            except Error:
                # what was on its way is not known to be kept: the next kernel begins anew
                self.kernel += 1
                time.sleep(0.05)

    def stop(self):
        self.is_over = True
        self.thread.join()
        return self.kept


def exactly(site, node, reporting, before):
    """All that the daemon has, once each; and it has all that it acknowledged."""
    identity = node.identity()
    kept = reporting.stop()
    from predictd import connect
    with connect(node.socket) as connection:
        known = connection.status().observations
    until(lambda: runs_at(site, identity), lambda runs: runs == known, 60)
    assert known - before >= kept > 0, (known, before, kept)
    time.sleep(0.5)
    assert runs_at(site, identity) == known
    doubled = site.server.sql("SELECT count(*) FROM (SELECT node, sequence FROM predictd.observation"
                              " GROUP BY 1, 2 HAVING count(*) > 1) a")
    assert doubled == "0"
    print(f"# {kept} acknowledged, {known - before} kept, each once at the server")


def known_runs(node):
    with node.connect() as connection:
        return connection.status().observations


def storm(site, node, kernel, strike, times):
    """Strikes while the node reports; then each run is at the server once."""
    before = known_runs(node)
    reporting = Reporting(node, kernel)
    for _ in range(times):
        pause(0.05, 0.4)
        strike()
    exactly(site, node, reporting, before)


@check("predictd-share is killed again and again: nothing is lost, nothing twice")
def sharing_killed(site):
    node = site.nodes[0]

    def strike():
        node.stop(signal.SIGKILL)
        node.start()
    storm(site, node, 1000, strike, site.times)


@check("the server is killed again and again")
def server_killed(site):
    def strike():
        site.server.kill()
        site.server.start()
    storm(site, site.nodes[0], 2000, strike, max(2, site.times // 4))


@check("the daemon is killed again and again")
def daemon_killed(site):
    node = site.nodes[0]

    def strike():
        node.stop_daemon(signal.SIGKILL)
        node.start_daemon()
    storm(site, node, 3000, strike, max(2, site.times // 4))


@check("links are cut, at both ends, behind the node's back, or go silent")
def cut(site):
    link = site.link()
    node = site.node("cut", connection=f"host={link.folder} user=node_cut dbname=site").start()
    until(node.identity, bool)
    until(lambda: "share-connected" in node.log(), bool)

    def strike():
        way = random.randrange(3)
        if way == 0:
            link.cut()
        elif way == 1:
            link.cut_behind()
        else:
            link.is_silent = True
            pause(0.0, 2.5)  # its deadline is 2 s
            link.cut()
            link.is_silent = False
    storm(site, node, 4000, strike, site.times)


@check("a node behind PgBouncer, whose transactions go to any connection")
def pooled(site):
    folder = site.start_pool()
    node = site.node("pooled", connection=f"host={folder} user=node_pooled dbname=site")
    before = node.predict(1 << 18, 3)  # before the site's word can arrive
    node.start()
    answer = until(lambda: node.predict(1 << 18, 3), lambda answer: answer.nodes == 3)
    close(answer.kernel_time_s, before.kernel_time_s * 2, 0.1)
    node.observe([1e-3] * 4, 1 << 12, 9)
    until(lambda: runs_at(site, node.identity()), lambda runs: runs == 4)
    node.stop()


@check("a node that is restored from a backup is another one, and its old identity retires")
def restored(site):
    node = site.node("restored").start()
    node.observe([1e-3] * 4, 1 << 12, 10)
    until(lambda: runs_at(site, node.identity()), lambda runs: runs == 4)
    node.stop()
    backup = node.state + ".backup"
    shutil.copytree(node.state, backup)
    node.start()
    node.observe([1e-3] * 4, 1 << 13, 10)
    old = node.identity()
    until(lambda: runs_at(site, old), lambda runs: runs == 8)
    node.stop()
    shutil.rmtree(node.state)
    shutil.copytree(backup, node.state)
    # its session is as old as a backup is
    site.server.sql(f"UPDATE predictd.node SET last_seen = now() - interval '1 hour' WHERE node = '{old}'")
    node.start()
    until(node.identity, lambda identity: identity not in (None, old))
    until(lambda: runs_at(site, node.identity()), lambda runs: runs == 8)
    assert runs_at(site, old) == 0
    assert site.server.sql(f"SELECT retired IS NOT NULL FROM predictd.node WHERE node = '{old}'") == "t"
    node.stop()


@check("two with one identity become two, and send what is new to each")
def twins(site):
    node = site.node("twin").start()
    node.observe([1e-3] * 4, 1 << 12, 11)
    until(lambda: runs_at(site, node.identity()), lambda runs: runs == 4)
    other = site.node("twin2", connection=site.server.connection("node_twin"))
    node.stop()
    shutil.copytree(node.state, other.state)
    node.start()
    until(lambda: node.log().count("share-connected"), lambda count: count == 2)
    other.start()
    node.observe([1e-3] * 4, 1 << 13, 11)
    other.observe([1e-3] * 4, 1 << 14, 11)
    until(lambda: node.identity() != other.identity(), bool)
    until(lambda: runs_at(site, node.identity()) + runs_at(site, other.identity()), lambda runs: runs in (8, 12))
    total = site.server.sql("SELECT sum(runs) FROM predictd.observation JOIN predictd.node USING (node)"
                            " WHERE owner = 'node_twin' AND retired IS NULL")
    assert total == "12", total
    node.stop()
    other.stop()


@check("what a node sent is forgotten, by the server and by the others")
def forgotten(site):
    assert site.nodes[3].predict(1 << 18, 3).nodes == 3
    node = site.nodes[1]
    said = node.share("forget")
    assert "observations of this node are deleted" in said, said
    until(lambda: site.nodes[3].predict(1 << 18, 3), lambda answer: answer.nodes == 0)
    # it goes on as another one, with what is new
    node.observe([1e-3], 1 << 18, 3)
    until(lambda: node.log().count("share-identity"), lambda count: count >= 1)
    until(lambda: runs_at(site, node.identity()), lambda runs: runs == 1)


@check("a server that lies is decoded, bounded, and can be as wrong as a node")
def hostile(site):
    victim = site.nodes[3]
    liar = "00000000-0000-4000-8000-00000000000"
    model, driver = site.server.sql("SELECT model, driver FROM predictd.head LIMIT 1").split("|")
    site.server.sql("ALTER TABLE predictd.observation DROP CONSTRAINT observation_state_check")
    site.server.sql("ALTER TABLE predictd.observation DROP CONSTRAINT observation_observer_check")
    states = ["''", "'x'", "convert_to(repeat('junk', 100), 'UTF8')", "convert_to(repeat('j', 1000000), 'UTF8')",
              "decode('0300ffff', 'hex')", "decode(repeat('ff', 305), 'hex')"]
    good = site.server.sql("SELECT encode(state, 'hex') FROM predictd.observation LIMIT 1")
    for _ in range(40):  # damaged in one place
        at = random.randrange(0, len(good), 2)
        states.append(f"decode('{good[:at]}{random.randrange(256):02x}{good[at + 2:]}', 'hex')")
    observers = ("'short'", "'0123456789abcdef'", "'0123456789abcdef'")
    for number in range(4):
        node = liar + str(number)
        site.server.sql(f"INSERT INTO predictd.node (node, machine, session) VALUES ('{node}', 'x', '{node}')")
        rows = ", ".join(
            f"('{node}', {sequence}, '{model}', '{driver}', 1, {sequence}, {random.choice([0, 0, 0, 1, 7, -3])},"
            f" {observers[sequence % 3]}, 1, {state})"
            for sequence, state in enumerate(states, 1))
        site.server.sql("INSERT INTO predictd.observation (node, sequence, model, driver, kernel, launch, kind,"
                        f" observer, runs, state) VALUES {rows}")
        site.server.sql("INSERT INTO predictd.head (node, model, driver, last_sequence)"
                        f" VALUES ('{node}', '{model}', '{driver}', {len(states)})")
    teach([site.nodes[0], site.nodes[1], site.nodes[2]], 7e-3, 1 << 15, 12)
    answer = until(lambda: victim.predict(1 << 15, 12), lambda answer: answer.nodes == 3)
    close(answer.kernel_time_s, 7e-3, 0.05)
    assert victim.sharing.poll() is None and victim.daemon.poll() is None


@check("a device without a calibration borrows the site's, until it has its own")
def borrowed(site):
    vendors = "/etc/OpenCL/vendors"
    nodes = [site.node(name, gpu=False, vendors=vendors) for name in ("cpu1", "cpu2", "cpu3", "cpu4")]
    device = until(lambda: [one for one in devices(nodes[0]) if one.is_present], bool)[0].key
    nodes[0].ctl("calibrate", device, "--quick")
    file = os.path.join(site.folder, "cpu.calibration")
    nodes[0].ctl("export", device, file)
    for node in nodes[1:3]:
        node.ctl("import", file)
    assert not devices(nodes[3])[0].is_calibrated
    for node in nodes:
        node.start()
    found = until(lambda: devices(nodes[3]), lambda found: found and found[0].is_calibrated, 60)[0]
    assert found.borrowed_nodes == 3, found
    assert "borrowed" in nodes[3].ctl("devices")
    nodes[3].ctl("import", file)
    assert devices(nodes[3])[0].borrowed_nodes == 0
    for node in nodes:
        node.stop()
        node.stop_daemon()


def devices(node):
    with node.connect() as connection:
        return connection.devices()


@check("months' tables come, and go when they are old")
def months(site):
    site.server.sql("CREATE TABLE predictd.observation_201001 PARTITION OF predictd.observation"
                    " FOR VALUES FROM ('2010-01-01') TO ('2010-02-01')")
    site.server.sql("SELECT predictd.maintain()", user="node_" + site.nodes[0].name)
    tables = site.server.sql("SELECT string_agg(relname, ' ') FROM pg_class WHERE relname ~ '^observation_[0-9]{6}$'"
                             " AND relkind = 'r'").split()
    assert "observation_201001" not in tables and len(tables) == 2, tables


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--times", type=int, default=12, help="of each kill and cut")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"# seed {arguments.seed}", flush=True)
    site = Site(os.path.abspath(arguments.build))
    site.times = arguments.times
    failed = 0
    try:
        for name in "abcd":
            site.node(name)
        for node in site.nodes:
            node.start()
        for number, (words, function) in enumerate(CHECKS, 1):
            if arguments.only not in words:
                continue
            began = time.monotonic()
            try:
                function(site)
                result = "ok"
            except Exception:  # pylint: disable=broad-except
                failed += 1
                result = "not ok"
                print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), end="")
            print(f"{result} {number} - {words} # {time.monotonic() - began:.1f} s", flush=True)
    finally:
        if failed:
            for node in site.nodes:
                log = node.log() if os.path.exists(os.path.join(node.folder, "share.log")) else ""
                print("".join(f"# {node.name}: {line}\n" for line in log.splitlines()[-6:]), end="")
        site.end(arguments.keep and failed > 0)
    print(f"1..{len(CHECKS)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
