# SPDX-License-Identifier: Apache-2.0
"""A site on one machine: a PostgreSQL server, a pool before it, links that can be cut, and nodes.

Everything lives in one folder, with sockets of its own, and ends with it.
"""

import glob
import os
import pwd
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GPU = os.path.join(ROOT, "tests", "accuracy", "data", "h200", "device.calibration")


def launch(connection, size, kernel):
    """Of one of many kernels that are alike."""
    from predictd import Buffer, Launch
    source = f"kernel void work{kernel}(global const float *a, global float *b)" \
             "{ size_t i = get_global_id(0); b[i] = a[i] * 2; }"
    return Launch(connection.register(source), [size], [64], [Buffer(4 * size, "r"), Buffer(4 * size, "w")])


def wait_for(what, seconds=30.0):
    """Calls what() until it gives something true, which it returns; None: not in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.02)
    return None


class Server:
    """PostgreSQL, as a user that may run it, on a Unix socket."""

    def __init__(self, folder, connections=200, options=()):
        self.folder, self.connections, self.options = folder, connections, options
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        self.bin = found[-1]
        self.process = None
        self.prefix = []
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self.prefix = ["setpriv", "--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups"]
        self.data = os.path.join(folder, "data")
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8",
                  "--locale", "C")
        self.start()

    def _run(self, program, *arguments):
        subprocess.run([*self.prefix, os.path.join(self.bin, program), *arguments], check=True,
                       cwd=self.folder, stdout=subprocess.DEVNULL)

    def start(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, os.path.join(self.bin, "postgres"), "-D", self.data, "-c", "listen_addresses=",
                 "-c", f"unix_socket_directories={self.folder}", "-c", f"max_connections={self.connections}",
                 *(word for option in self.options for word in ("-c", option))],
                cwd=self.folder, stdout=log, stderr=log)
        if not wait_for(lambda: self.sql("SELECT 1", database="postgres", fails=True) == "1", 120):
            raise RuntimeError("PostgreSQL does not start: " + os.path.join(self.folder, "log"))

    def stop(self, number=signal.SIGINT):
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait()
            self.process = None

    def kill(self):
        """SIGKILL to the postmaster and all that it started: as a machine's end has it."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], stdout=subprocess.PIPE,
                                  check=False).stdout.split()
        self.stop(signal.SIGKILL)
        for child in children:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                pass
        # what they held in shared memory goes with the last of them
        wait_for(lambda: not any(os.path.exists(f"/proc/{int(child)}") for child in children))

    def pause(self):
        for pid in self._pids():
            os.kill(pid, signal.SIGSTOP)

    def go_on(self):
        for pid in self._pids():
            os.kill(pid, signal.SIGCONT)

    def _pids(self):
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], stdout=subprocess.PIPE,
                                  check=False).stdout.split()
        return [self.process.pid] + [int(child) for child in children]

    def cpu_s(self):
        """Of the postmaster, of those that it started, and of those that ended."""
        ticks = 0
        for pid in self._pids():
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except FileNotFoundError:
                continue
            ticks += sum(int(field) for field in fields[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")

    def connection(self, user="postgres", database="site"):
        return f"host={self.folder} user={user} dbname={database}"

    def sql(self, text, user="postgres", database="site", fails=False):
        """The result, unaligned; what went wrong where it may fail."""
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
                               self.connection(user, database), "-c", text],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 and not fails:
            raise RuntimeError(f"{text}: {done.stderr}")
        return done.stdout.strip() if done.returncode == 0 else done.stderr.strip()


class Link:
    """A Unix socket in a folder of its own that leads to a server's, and can be cut."""

    def __init__(self, folder, server):
        self.folder = folder
        self.goal = os.path.join(server.folder, ".s.PGSQL.5432")
        self.is_silent = False
        self.pairs = []
        self.lock = threading.Lock()
        os.makedirs(folder, exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(folder, ".s.PGSQL.5432"))
        self.listener.listen(64)
        self.is_over = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.is_over:
            with self.lock:
                ends = {end: other for pair in self.pairs for end, other in (pair, pair[::-1])}
            ready, _, _ = select.select([self.listener, *ends], [], [], 0.05)
            for end in ready:
                if end is self.listener:
                    self._accept()
                elif not self.is_silent:
                    self._pass_on(end, ends[end])
                else:
                    time.sleep(0.01)

    def _accept(self):
        near, _ = self.listener.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(self.goal)
        except OSError:
            near.close()
            far.close()
            return
        with self.lock:
            self.pairs.append((near, far))

    def _pass_on(self, end, other):
        try:
            data = end.recv(65536)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        self._close(end)

    def _close(self, end):
        with self.lock:
            for pair in [pair for pair in self.pairs if end in pair]:
                self.pairs.remove(pair)
                for one in pair:
                    one.close()

    def cut(self):
        """Both ends learn of it."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                end.close()

    def cut_behind(self):
        """The server alone loses it: the node's end stays open and says nothing."""
        with self.lock:
            pairs = list(self.pairs)
        for _, far in pairs:
            far.shutdown(socket.SHUT_RDWR)

    def end(self):
        self.is_over = True
        self.thread.join()
        self.cut()
        self.listener.close()


class Node:
    """A predictd and its predictd-share."""

    QUICK = "interval_ms = 100\nretry_ms = 1000\ndeadline_ms = 2000\n"

    def __init__(self, site, name, connection=None, agreement=3, settings=QUICK, gpu=True, vendors="/nonexistent",
                 store="[store]\ncommit_ms = 200\n"):
        self.site, self.name = site, name
        self.folder = os.path.join(site.folder, name)
        self.vendors = vendors
        os.makedirs(self.folder)
        self.socket = os.path.join(self.folder, "socket")
        self.state = os.path.join(self.folder, "share")
        self.daemon = self.sharing = None
        with open(self._path("predictd.conf"), "w", encoding="utf-8") as file:
            file.write(f"[calibration]\nat_start = never\n[daemon]\nsocket = {self.socket}\nstate = {self.folder}/state\n"
                       f"{store}")
        self.configure(connection or site.server.connection("node_" + name), agreement, settings)
        self.start_daemon()
        if gpu:
            self.ctl("import", GPU)

    def configure(self, connection, agreement=3, settings=QUICK):
        with open(self._path("share.conf"), "w", encoding="utf-8") as file:
            file.write(f"[share]\nserver = {connection}\nsocket = {self.socket}\nstate = {self.state}\n"
                       f"agreement = {agreement}\n{settings}")

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _start(self, log, *words):
        build = self.site.build
        environment = dict(os.environ, OCL_ICD_VENDORS=self.vendors, PREDICTD_SOCKET=self.socket,
                           POCL_CACHE_DIR=os.path.join(self.site.folder, "pocl"),
                           PREDICTD_LIBEXECDIR=f"{build}/daemon/analyser:{build}/daemon/calibrator")
        with open(self._path(log), "ab") as file:
            return subprocess.Popen(words, stdout=file, stderr=file, env=environment)

    def start_daemon(self):
        self.daemon = self._start("log", f"{self.site.build}/daemon/predictd", "--config",
                                  self._path("predictd.conf"))
        if not wait_for(lambda: self.ctl("status", fails=True) is not None):
            raise RuntimeError(f"{self.name}: predictd does not answer")

    def start(self):
        self.sharing = self._start("share.log", f"{self.site.build}/daemon/share/predictd-share", "--config",
                                   self._path("share.conf"))
        return self

    @staticmethod
    def _stop(process, number):
        if process is not None:
            process.send_signal(number)
            process.wait()

    def stop(self, number=signal.SIGTERM):
        self._stop(self.sharing, number)
        self.sharing = None

    def stop_daemon(self, number=signal.SIGTERM):
        self._stop(self.daemon, number)
        self.daemon = None

    def log(self):
        with open(self._path("share.log"), encoding="utf-8") as file:
            return file.read()

    def ctl(self, *words, fails=False):
        """predictctl; None where it may fail and does."""
        done = subprocess.run([f"{self.site.build}/client/predictctl", *words],
                              env=dict(os.environ, PREDICTD_SOCKET=self.socket,
                                       PREDICTD_SHARE=f"{self.site.build}/daemon/share/predictd-share"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0 and not fails:
            raise RuntimeError(f"{self.name}: {words}: {done.stdout}")
        return done.stdout if done.returncode == 0 else None

    def share(self, word):
        return self.ctl("share", word, "--config", self._path("share.conf"), fails=True)

    def connect(self):
        from predictd import connect
        return connect(self.socket)

    def predict(self, size=1 << 20, kernel=0):
        with self.connect() as connection:
            return connection.predict(launch(connection, size, kernel), device="H200")

    def observe(self, times_s, size=1 << 20, kernel=0):
        """Reports runs of one launch, and returns when they are kept."""
        from predictd import Observation
        with self.connect() as connection:
            one = launch(connection, size, kernel)
            for problem in connection.observe([Observation(one, time_s, device="H200") for time_s in times_s]):
                if problem is not None:
                    raise problem

    def identity(self):
        said = self.share("status") or ""
        words = said.split()
        return words[1] if len(words) > 1 and words[0] == "node" else None


class Site:
    """The server with its schema, and what is started beside it."""

    def __init__(self, build, **options):
        self.build = build
        self.folder = tempfile.mkdtemp(prefix="predictd-share.", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.nodes, self.links, self.pool = [], [], None
        os.mkdir(os.path.join(self.folder, "pg"))
        self.server = Server(os.path.join(self.folder, "pg"), **options)
        self.server.sql("CREATE DATABASE site", database="postgres")
        subprocess.run([f"{build}/daemon/share/predictd-share", "--init", self.server.connection()], check=True,
                       stdout=subprocess.DEVNULL)

    def node(self, name, **options):
        self.server.sql(f"CREATE ROLE node_{name} LOGIN IN ROLE predictd_node")
        node = Node(self, name, **options)
        self.nodes.append(node)
        return node

    def link(self):
        link = Link(os.path.join(self.folder, f"link{len(self.links)}"), self.server)
        self.links.append(link)
        return link

    def start_pool(self):
        """PgBouncer, which hands each transaction to another connection; returns its folder."""
        folder = os.path.join(self.folder, "pool")
        os.mkdir(folder)
        with open(os.path.join(folder, "users"), "w", encoding="utf-8") as file:
            file.write('"node_pooled" ""\n')
        with open(os.path.join(folder, "ini"), "w", encoding="utf-8") as file:
            file.write(f"[databases]\nsite = host={self.server.folder} dbname=site\n[pgbouncer]\n"
                       f"listen_addr =\nunix_socket_dir = {folder}\nlisten_port = 5432\nauth_type = trust\n"
                       f"pool_mode = transaction\ndefault_pool_size = 2\nlogfile =\npidfile =\n"
                       f"auth_file = {folder}/users\nignore_startup_parameters = extra_float_digits\n")
            if os.getuid() == 0:
                file.write("user = postgres\n")
        if os.getuid() == 0:
            for path in (folder, os.path.join(folder, "ini"), os.path.join(folder, "users")):
                shutil.chown(path, "postgres")
        with open(os.path.join(folder, "log"), "ab") as log:
            self.pool = subprocess.Popen(["/usr/sbin/pgbouncer", os.path.join(folder, "ini")], stdout=log, stderr=log)
        if not wait_for(lambda: os.path.exists(os.path.join(folder, ".s.PGSQL.5432"))):
            raise RuntimeError("PgBouncer does not start: " + os.path.join(folder, "log"))
        return folder

    def end(self, keep=False):
        for node in self.nodes:
            node.stop(signal.SIGKILL)
            node.stop_daemon(signal.SIGKILL)
        for link in self.links:
            link.end()
        if self.pool is not None:
            self.pool.kill()
            self.pool.wait()
        self.server.kill()
        if keep:
            print(f"# kept: {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def pause(least, most):
    time.sleep(random.uniform(least, most))
