# SPDX-License-Identifier: Apache-2.0
"""One socket to the daemon: frames of four bytes of length and a message, requests by id."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Callable, Optional

from . import errors
from . import predictd_pb2 as pb
from .memo import Epochs, Memo
from .names import Names

PROTOCOL = 1
FRAME_BYTES_MAX = 32 << 20
RETRY_FIRST_S = 0.05
RETRY_MOST_S = 1.0
BACKLOG_WAIT_S = 0.1  # at most, before it is looked whether there still is time

# One message more of the same request: true when it was the last.
Progress = Callable[[pb.Response], bool]


def default_socket() -> str:
    """$PREDICTD_SOCKET, else the user's own daemon's socket where there is one, else the system's."""
    named = os.environ.get("PREDICTD_SOCKET")
    if named:
        return named
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.path.isabs(runtime):
        own = os.path.join(runtime, "predictd", "predictd.sock")
        if os.path.exists(own):
            return own
    return "/run/predictd/predictd.sock"


class Transport:
    """Connects when first asked, and again, with back-off, after the connection broke.

    Safe for threads, which take turns; a child of a fork connects for itself.
    """

    def __init__(self, path: Optional[str], timeout_s: float) -> None:
        self.path = path or default_socket()
        self.timeout_s = timeout_s
        self.serial = 0
        self.memo = Memo()
        self._names = Names()
        self._lock = threading.RLock()
        self._depth = 0  # of turns within each other, of the thread that has the lock
        self._deadline: Optional[float] = None
        self._socket: Optional[socket.socket] = None
        self._owner = os.getpid()
        self._id = 0
        self._retry_at = 0.0
        self._retry_s = RETRY_FIRST_S
        self._frame_bytes_max = FRAME_BYTES_MAX
        self._was_asked_for_epochs = False  # of this link, which passes them once
        self._passed: Optional[list[int]] = None  # descriptors, while one is expected

    def interrupt(self) -> None:
        """Ends the exchange that another thread waits for, if one does."""
        connection = self._socket
        if connection is not None:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already

    def close(self) -> None:
        with self._lock:
            self._drop()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A connection, for calls that belong together: with one deadline, over one socket.

        Other threads wait for its end, each until its own deadline.
        """
        self._after_fork()
        deadline = None if self.timeout_s <= 0 else time.monotonic() + self.timeout_s
        if not self._lock.acquire(timeout=-1 if deadline is None else self.timeout_s):
            raise errors.Timeout(f"calls of other threads took the {self.timeout_s:g} s of this one")
        self._depth += 1
        try:
            if self._depth == 1:
                self._deadline = deadline
                if self._is_dead():
                    self._drop()
                self._connect(deadline)
            yield
        finally:
            self._depth -= 1
            self._lock.release()

    def call(self, request: pb.Request, wants: str, more: Optional[Progress] = None) -> pb.Response:
        """Sends a request and waits for its answer, a response whose body is `wants`.

        more  sees each response but errors and says whether it is the last; such a call has no
              deadline.
        """
        with self.turn():
            deadline = None if more is not None else self._deadline
            try:
                return self._exchange(request, wants, deadline, more)
            except errors.Error:
                raise
            except TimeoutError as error:
                self._drop()
                raise errors.Timeout(f"predictd at {self.path} did not answer within {self.timeout_s:g} s") from error
            except OSError as error:
                self._drop()
                raise errors.Unavailable(f"the connection to predictd at {self.path} broke: {error}") from error
            except BaseException:
                # an interrupted exchange leaves half an answer in the socket
                self._drop()
                raise

    def watch(self) -> None:
        """Has the daemon share its epochs, in a turn whose questions are answered.

        Where that cannot be, nothing is kept, and every question is asked: an older daemon, a system without
        sealed memory.
        """
        if self._was_asked_for_epochs:
            return
        self._was_asked_for_epochs = True
        self._passed = []
        try:
            reply = self.call(pb.Request(watch_epochs=pb.WatchEpochs()), "watch_epochs").watch_epochs
            if self._passed and self._socket is not None:
                self.memo.watch(Epochs(self._passed[0], reply.slots, self._socket))
        except errors.Busy:
            self._was_asked_for_epochs = False
        except (errors.Error, OSError, ValueError):
            pass  # the answers are there
        finally:
            for descriptor in self._passed:
                os.close(descriptor)
            self._passed = None

    def send(self, request: pb.Request) -> int:
        """Sends another request of the exchange that is going on; its id."""
        self._id += 1
        request.id = self._id
        body = request.SerializeToString()
        if len(body) > self._frame_bytes_max:
            raise errors.Limit(f"a request of {len(body)} bytes: the daemon takes {self._frame_bytes_max}")
        assert self._socket is not None
        try:
            self._socket.sendall(struct.pack("<I", len(body)) + body)
        except BrokenPipeError:
            pass  # who closed said why before: it is read next
        return self._id

    def _after_fork(self) -> None:
        if self._owner == os.getpid():
            return
        # the parent's lock may be held for ever here, and its socket is the parent's
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._depth = 0
        self.memo.expire()
        inherited, self._socket = self._socket, None
        if inherited is not None:
            inherited.close()

    def _is_dead(self) -> bool:
        """A daemon that went away while nobody asked has left an end of file behind."""
        if self._socket is None:
            return False
        self._socket.settimeout(0)  # each exchange sets its own
        try:
            return not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _drop(self) -> None:
        self.memo.expire()
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _wait_connected(self, connection: socket.socket, deadline: Optional[float]) -> None:
        """Where the daemon's queue is full the kernel lets those wait in turn who block."""
        while True:
            left = BACKLOG_WAIT_S if deadline is None else min(deadline - time.monotonic(), BACKLOG_WAIT_S)
            wait = struct.pack("@ll", 0, max(int(1e6 * left), 1))  # 0 would be for ever
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, wait)
            try:
                connection.connect(self.path)
                return
            except BlockingIOError:
                if left <= 0:
                    raise

    def _connect(self, deadline: Optional[float]) -> None:
        if self._socket is not None:
            return
        now = time.monotonic()
        if now < self._retry_at:
            raise errors.Unavailable(f"predictd at {self.path} was away a moment ago; trying again later")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._wait_connected(connection, deadline)
            connection.settimeout(None if deadline is None else max(deadline - time.monotonic(), 0.001))
        except OSError as error:
            connection.close()
            self._retry_at = now + self._retry_s
            self._retry_s = min(2 * self._retry_s, RETRY_MOST_S)
            mend = "start it with `systemctl start predictd` or `predictd`, or set PREDICTD_SOCKET"
            if isinstance(error, PermissionError):
                mend = "join the socket's group"
            raise errors.Unavailable(f"cannot reach predictd at {self.path}: {error.strerror or error}; {mend}") from error
        self._socket = connection
        self._was_asked_for_epochs = False
        self._retry_at, self._retry_s = 0.0, RETRY_FIRST_S
        self.serial += 1
        try:
            hello = pb.Request(hello=pb.Hello(protocol=PROTOCOL, client="predictd for Python"))
            reply = self._exchange(hello, "hello", deadline, None).hello
        except (OSError, errors.Error) as error:
            self._drop()
            if isinstance(error, errors.Error):
                raise
            if isinstance(error, TimeoutError):
                raise errors.Timeout(f"predictd at {self.path} greeted nobody within {self.timeout_s:g} s") from error
            raise errors.Unavailable(f"predictd at {self.path} does not answer: {error}") from error
        self._frame_bytes_max = min(reply.frame_bytes_max or FRAME_BYTES_MAX, FRAME_BYTES_MAX)

    def _exchange(
        self, request: pb.Request, wants: str, deadline: Optional[float], more: Optional[Progress]
    ) -> pb.Response:
        assert self._socket is not None
        self._limit(deadline)
        self._names.translate(request)
        mine = self.send(request)
        while True:
            response = self._receive(deadline)
            if response.id not in (0, mine):
                continue  # of a request that was given up, or a cancellation's
            kind = response.WhichOneof("body")
            if kind == "error":
                if response.id == 0:
                    self._drop()
                failure = errors.of_status(response.error.status, response.error.text)
                if isinstance(failure, errors.SyntaxFailure):
                    failure.header = response.error.header
                    failure.header_from = response.error.header_from
                raise failure
            if kind != wants:
                self._drop()
                raise errors.Corrupt(f"predictd at {self.path} answered {kind}, not {wants}")
            if self._names.learn(response):
                self.memo.forget()
            if more is None or more(response):
                return response

    def _limit(self, deadline: Optional[float]) -> None:
        assert self._socket is not None
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)

    def _receive(self, deadline: Optional[float]) -> pb.Response:
        (length,) = struct.unpack("<I", self._read(4, deadline))
        if length > FRAME_BYTES_MAX:
            self._drop()
            raise errors.Corrupt(f"{self.path}: a reply of more than {FRAME_BYTES_MAX} bytes: no predictd")
        response = pb.Response()
        try:
            response.ParseFromString(self._read(length, deadline))
        except Exception as error:  # protobuf's DecodeError has another base in each implementation
            if isinstance(error, (OSError, errors.Error)):
                raise
            self._drop()
            raise errors.Corrupt(f"{self.path}: a reply that cannot be read: no predictd") from error
        return response

    def _receive_some(self, size: int) -> bytes:
        assert self._socket is not None
        if self._passed is None:
            return self._socket.recv(size)
        chunk, passed, _, _ = socket.recv_fds(self._socket, size, 1, socket.MSG_CMSG_CLOEXEC)
        self._passed += passed
        return chunk

    def _read(self, size: int, deadline: Optional[float]) -> bytes:
        assert self._socket is not None
        chunks = bytearray()
        while len(chunks) < size:
            self._limit(deadline)
            chunk = self._receive_some(min(size - len(chunks), 1 << 20))
            if not chunk:
                raise ConnectionError("the daemon closed it")
            chunks += chunk
        return bytes(chunks)
