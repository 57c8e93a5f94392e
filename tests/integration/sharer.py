# SPDX-License-Identifier: Apache-2.0
"""What a process that shares says to daemons, for tests: copies what one observed to another.

sharer.py copy FROM TO NODES     records of FROM as NODES nodes' median; how many were taken
sharer.py borrow FROM TO NODES   the calibration of device 0 of FROM, as of NODES nodes
sharer.py read FROM AFTER        how many records, and the last sequence
"""

import socket
import struct
import sys

from predictd import predictd_pb2 as pb


class Link:
    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.id = 0
        hello = pb.Request()
        hello.hello.protocol = 1
        self.ask(hello)

    def receive(self, size: int) -> bytes:
        got = b""
        while len(got) < size:
            part = self.socket.recv(size - len(got))
            if not part:
                raise EOFError("the daemon closed the connection")
            got += part
        return got

    def ask(self, request: pb.Request) -> pb.Response:
        self.id += 1
        request.id = self.id
        body = request.SerializeToString()
        self.socket.sendall(struct.pack("<I", len(body)) + body)
        (size,) = struct.unpack("<I", self.receive(4))
        response = pb.Response.FromString(self.receive(size))
        if response.WhichOneof("body") == "error":
            sys.exit(response.error.text)
        return response

    def records(self, after: int) -> tuple[list[pb.SharedRecord], int]:
        records: list[pb.SharedRecord] = []
        while True:
            request = pb.Request()
            request.read_records.after = after
            request.read_records.count_max = 100
            reply = self.ask(request).read_records
            records += reply.records
            if reply.last == after:
                return records, after
            after = reply.last


def copy(source: Link, target: Link, nodes: int) -> None:
    request = pb.Request()
    for record in source.records(0)[0]:
        estimate = request.tell_site.estimates.add()
        estimate.kernel, estimate.launch, estimate.kind = record.kernel, record.launch, record.kind
        estimate.device, estimate.driver = record.device, record.driver
        # the newest run of each launch as every node's median: 21 bytes each behind 108 (codec.c)
        state = record.state
        estimate.state = struct.pack("<HH", 3, nodes) + state[4:108] + state[-21:] * nodes
        estimate.nodes = nodes
    request.tell_site.SetInParent()
    reply = target.ask(request).tell_site
    print(reply.taken, reply.refusal)


def borrow(source: Link, target: Link, nodes: int) -> None:
    request = pb.Request()
    request.export.device = "0"
    calibration = source.ask(request).export.calibration
    request = pb.Request()
    setattr(request, "id", 1)
    getattr(request, "import").calibration = calibration
    getattr(request, "import").borrowed_nodes = nodes
    print(getattr(target.ask(request), "import").device.borrowed_nodes)


def main() -> None:
    what, source = sys.argv[1], Link(sys.argv[2])
    if what == "read":
        records, last = source.records(int(sys.argv[3]))
        print(len(records), last)
    elif what == "copy":
        copy(source, Link(sys.argv[3]), int(sys.argv[4]))
    else:
        borrow(source, Link(sys.argv[3]), int(sys.argv[4]))


main()
