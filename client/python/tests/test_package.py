# SPDX-License-Identifier: Apache-2.0
"""The package by itself: arguments, sources, and a daemon that misbehaves."""

import os
import re
import select
import socket
import struct
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path
from typing import Callable

import predictd
from predictd import client, errors, names, predictd_pb2 as pb, source, values

ROOT = Path(os.environ["SOURCE_ROOT"])


def table(header: str, name: str) -> list[str]:
    """The words of an X-macro table of the model."""
    text = (ROOT / header).read_text()
    start = text.index(f"#define {name}(X)")
    body = text[start : text.index("\n\n", start)]
    return re.findall(r'X\(\w+, "([^"]+)"', body)


class Indices(unittest.TestCase):
    """A restarted daemon may give an index to another device: what was meant stays."""

    def setUp(self) -> None:
        self.names = names.Names()

    def sent(self, device: str) -> str:
        request = pb.Request(predict=pb.Predict(device=device))
        self.names.translate(request)
        return request.predict.device

    def answered(self, index: int, key: str) -> None:
        named = pb.DeviceName(index=index, key=key)
        self.names.learn(pb.Response(predict=pb.PredictReply(prediction=pb.Prediction(device=named))))

    def listed(self, index: int, key: str) -> None:
        self.names.learn(pb.Response(devices=pb.DevicesReply(devices=[pb.Device(index=index, key=key)])))

    def test_the_first_answer_says_what_an_index_means(self) -> None:
        self.answered(1, "name:b")  # to a question that named it otherwise
        self.assertEqual(self.sent("1"), "1")
        self.answered(1, "name:a")
        self.answered(1, "name:b")
        self.assertEqual(self.sent("1"), "name:a")
        self.assertEqual([self.sent(one) for one in ("0", "", "GPU", "name:b", "\u0661")], ["0", "", "GPU", "name:b", "\u0661"])

    def test_a_list_says_it_anew(self) -> None:
        self.listed(1, "name:a")
        self.assertEqual(self.sent("1"), "name:a")
        self.listed(1, "name:b")
        self.assertEqual(self.sent("01"), "name:b")
        self.listed(1, "")  # of an older daemon
        self.assertEqual(self.sent("1"), "name:b")

    def test_keys_stand_in_every_question(self) -> None:
        self.listed(0, "name:a")
        requests = [
            pb.Request(predict_batch=pb.PredictBatch(predictions=[pb.Predict(device="0")])),
            pb.Request(place=pb.Place(devices=["0"])),
            pb.Request(observe=pb.Observe(observations=[pb.Observation(device="0")])),
            pb.Request(history=pb.History(device="0")),
            pb.Request(forget=pb.Forget(device="0")),
            pb.Request(calibrate=pb.Calibrate(device="0")),
            pb.Request(calibrate=pb.Calibrate(other="0")),
            pb.Request(find_reaches=pb.FindReaches(question=pb.Predict(device="0"))),
            pb.Request(contention=pb.Contention(devices=["0"])),
            pb.Request(keep_choice=pb.KeepChoice(choice=pb.Choice(device="0"))),
            pb.Request(find_choice=pb.FindChoice(choice=pb.Choice(device="0"))),
            pb.Request(export=pb.Export(device="0")),
            pb.Request(remove_calibration=pb.RemoveCalibration(device="0")),
        ]
        for request in requests:
            self.names.translate(request)
            self.assertIn("name:a", str(request))
        # no question that names a device was left out
        kinds = {request.WhichOneof("body") for request in requests} | {"predict"}
        kinds.add("tell_site")  # of models, which have one key on every node

        def names_device(message: object) -> bool:
            return message is not None and any(
                one.name in ("device", "devices") or names_device(one.message_type) for one in message.fields
            )

        for field in pb.Request.DESCRIPTOR.fields:
            if names_device(field.message_type):
                self.assertIn(field.name, kinds)


class Tables(unittest.TestCase):
    def test_every_status_has_its_class_in_the_order_of_the_protocol(self) -> None:
        words = table("model/status.h", "STATUS_TABLE")[1:]
        self.assertEqual(len(words), len(errors._BY_STATUS))
        others = {"syntax": "SyntaxFailure", "io": "InputOutput", "device": "DeviceFailure"}
        for word, kind in zip(words, errors._BY_STATUS):
            self.assertEqual(kind.__name__, others.get(word, word.title().replace("-", "")))

    def test_models_bases_and_bottlenecks_are_those_of_the_model(self) -> None:
        self.assertEqual(list(values.MODELS), table("model/prediction.h", "KERNEL_MODEL_TABLE"))
        self.assertEqual(list(values.BASES), table("model/prediction.h", "BASIS_TABLE"))
        self.assertEqual(list(values.BOTTLENECKS), table("model/prediction.h", "BOTTLENECK_TABLE"))


class Arguments(unittest.TestCase):
    def test_a_scalar_is_checked_against_its_type(self) -> None:
        for kind, value in (("uint", -1), ("char", 128), ("ulong", 1 << 64), ("long", 1 << 63)):
            with self.assertRaisesRegex(ValueError, "does not fit"):
                predictd.Scalar(kind, value)
        for kind in ("quad", "float5", "int1", "", "u", "ufloat"):
            with self.assertRaisesRegex(ValueError, "want a scalar"):
                predictd.Scalar(kind, 1)
        with self.assertRaises(TypeError):
            predictd.Scalar("int", 1.5)
        with self.assertRaisesRegex(ValueError, "want 4 values"):
            predictd.Scalar("float4", [1.0, 2.0])

    def test_the_largest_ulong_keeps_its_bits(self) -> None:
        self.assertEqual(predictd.Scalar("ulong", (1 << 64) - 1)._message().integers, [-1])

    def test_one_value_fills_every_lane(self) -> None:
        self.assertEqual(predictd.Scalar("float4", 0.5)._message().reals, [0.5] * 4)

    def test_sizes_are_one_to_three_positive_numbers(self) -> None:
        program = values.Program(predictd.Source(b""), (), 0, 1, 1)
        for wrong in ([], [1, 2, 3, 4], [0], [-1], [1 << 64]):
            with self.assertRaises(ValueError):
                predictd.Launch(program, wrong)._message()
        self.assertEqual(predictd.Launch(program, 64)._message().global_items, [64])

    def test_wrong_words_are_named(self) -> None:
        with self.assertRaisesRegex(ValueError, "'x'"):
            predictd.Buffer(4, "x")
        with self.assertRaisesRegex(ValueError, "range"):
            predictd.Buffer(4, "r", (2, 1))
        with self.assertRaisesRegex(ValueError, "sampler"):
            predictd.Sampler("cubic")

    def test_what_cannot_be_is_refused_where_it_is_made(self) -> None:
        for make in (
            lambda: predictd.Buffer(0),
            lambda: predictd.Buffer(0),
            lambda: predictd.Local(1 << 64),
            lambda: predictd.Struct(0),
            lambda: predictd.Image(0, 4),
            lambda: predictd.LoopHint(0, 4),
            lambda: predictd.LoopHint(3, -1.0),
            lambda: predictd.LoopHint(3, float("nan")),
            lambda: predictd.BranchHint(3, 1.5),
        ):
            with self.assertRaisesRegex(ValueError, "^want "):
                make()


class Sources(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_headers_are_found_beside_their_includer_and_in_folders(self) -> None:
        self.write("a/one.h", '#include "two.h"\n')
        self.write("a/two.h", "int two;\n")
        self.write("inc/three.h", "")
        file = self.write("k.cl", '#include "a/one.h"\n# include <three.h>\n#include "missing.h"\n')
        loaded = source.load(file, f"-I {self.folder}/inc -DX=1")
        self.assertEqual(sorted(loaded.headers), ["a/one.h", "a/two.h", "three.h"])

    def test_a_directive_in_a_comment_or_a_text_is_none(self) -> None:
        self.write("x.h", "")
        file = self.write("k.cl", '// #include "x.h"\n/*\n#include "x.h"\n*/\nconstant char *t = "\\\n#include";\n')
        self.assertEqual(source.load(file).headers, {})

    def test_a_header_that_includes_itself_ends(self) -> None:
        self.write("x.h", '#include "x.h"\n')
        self.assertEqual(list(source.load(self.write("k.cl", '#include "x.h"\n')).headers), ["x.h"])

    def test_headers_that_nest_without_end_are_refused(self) -> None:
        for depth in range(40):
            self.write(f"h{depth}.h", f'#include "h{depth + 1}.h"\n')
        self.write("h40.h", "")
        with self.assertRaisesRegex(predictd.Limit, "nest deeper"):
            source.load(self.write("k.cl", '#include "h0.h"\n'))

    def test_what_is_no_file_is_refused(self) -> None:
        with self.assertRaisesRegex(predictd.InputOutput, "not a file"):
            source.load(self.folder)
        with self.assertRaises(predictd.InputOutput):
            source.load(self.folder / "nothing.cl")


class Sockets(unittest.TestCase):
    """Where the daemon is looked for, as it looks for a place itself."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        Path(self.folder, "predictd").mkdir()
        self.own = Path(self.folder, "predictd", "predictd.sock")

    def found(self, runtime: str, named: str = "") -> str:
        with unittest.mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": runtime, "PREDICTD_SOCKET": named}):
            return predictd.default_socket()

    def test_the_users_own_comes_before_the_systems(self) -> None:
        self.assertEqual(self.found(self.folder), "/run/predictd/predictd.sock")
        self.own.touch()
        self.assertEqual(self.found(self.folder), str(self.own))
        self.assertEqual(self.found(self.folder, "/named"), "/named")

    def test_a_relative_folder_is_none(self) -> None:
        self.own.touch()
        self.assertEqual(self.found("."), "/run/predictd/predictd.sock")


class FakeDaemon:
    """A listener whose connections are each served by a function."""

    def __init__(self, serve: Callable[[socket.socket], None]) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "s")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen()
        self.serve = serve
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                try:
                    self.serve(connection)
                except OSError:
                    pass

    def close(self) -> None:
        self.listener.close()
        self.folder.cleanup()


def read_request(connection: socket.socket) -> pb.Request:
    (length,) = struct.unpack("<I", connection.recv(4, socket.MSG_WAITALL))
    request = pb.Request()
    request.ParseFromString(connection.recv(length, socket.MSG_WAITALL))
    return request


def write_response(connection: socket.socket, response: pb.Response) -> None:
    body = response.SerializeToString()
    connection.sendall(struct.pack("<I", len(body)) + body)


def greet(connection: socket.socket) -> None:
    request = read_request(connection)
    write_response(connection, pb.Response(id=request.id, hello=pb.HelloReply(protocol=1)))


class Misbehaviour(unittest.TestCase):
    def against(self, serve: Callable[[socket.socket], None]) -> predictd.Connection:
        daemon = FakeDaemon(serve)
        self.addCleanup(daemon.close)
        connection = predictd.Connection(daemon.path, timeout_s=0.3)
        self.addCleanup(connection.close)
        return connection

    def test_no_daemon_is_unavailable_and_says_what_to_do(self) -> None:
        with self.assertRaisesRegex(predictd.Unavailable, "systemctl start predictd"):
            predictd.connect("/nonexistent/socket")

    def test_a_socket_that_may_not_be_written_to_says_what_to_join(self) -> None:
        denied = PermissionError(13, "Permission denied")
        with unittest.mock.patch.object(socket.socket, "connect", side_effect=denied):
            with self.assertRaisesRegex(predictd.Unavailable, "Permission denied; join the socket's group$"):
                predictd.connect("/run/predictd-test.sock")

    def test_after_a_failure_the_next_call_does_not_try_at_once(self) -> None:
        connection = predictd.Connection("/nonexistent/socket")
        with self.assertRaises(predictd.Unavailable):
            connection.status()
        with self.assertRaisesRegex(predictd.Unavailable, "a moment ago"):
            connection.status()

    def test_a_silent_daemon_is_a_timeout(self) -> None:
        def serve(connection: socket.socket) -> None:
            greet(connection)
            connection.recv(1 << 16)
            connection.recv(1 << 16)

        with self.assertRaises(predictd.Timeout):
            self.against(serve).status()

    def test_a_length_of_4_gb_is_corrupt(self) -> None:
        def serve(connection: socket.socket) -> None:
            greet(connection)
            read_request(connection)
            connection.sendall(b"\xff\xff\xff\xff")

        with self.assertRaises(predictd.Corrupt):
            self.against(serve).status()

    def test_garbage_is_corrupt(self) -> None:
        def serve(connection: socket.socket) -> None:
            greet(connection)
            read_request(connection)
            connection.sendall(struct.pack("<I", 5) + b"\xff\xff\xff\xff\xff")

        with self.assertRaises(predictd.Corrupt):
            self.against(serve).status()

    def test_an_answer_of_another_kind_is_corrupt(self) -> None:
        def serve(connection: socket.socket) -> None:
            greet(connection)
            request = read_request(connection)
            write_response(connection, pb.Response(id=request.id, cancel=pb.CancelReply()))

        with self.assertRaises(predictd.Corrupt):
            self.against(serve).status()

    def test_a_connection_that_breaks_is_unavailable_and_made_again(self) -> None:
        served = []

        def serve(connection: socket.socket) -> None:
            served.append(1)
            greet(connection)
            request = read_request(connection)
            if len(served) > 1:
                write_response(connection, pb.Response(id=request.id, status=pb.StatusReply(version="7")))

        connection = self.against(serve)
        with self.assertRaises(predictd.Unavailable):
            connection.status()
        self.assertEqual(connection.status().version, "7")

    def test_a_forgotten_program_is_registered_again(self) -> None:
        registered = []

        def serve(connection: socket.socket) -> None:
            greet(connection)
            while True:
                request = read_request(connection)
                response = pb.Response(id=request.id)
                if request.WhichOneof("body") == "register_program":
                    registered.append(request.register_program.program.source)
                    response.register_program.handle = len(registered)
                else:
                    for question in request.predict_batch.predictions:
                        entry = response.predict_batch.entries.add()
                        if question.handle == 1:
                            entry.error.status = 17
                            entry.error.text = "program: the handle is not known (any more): register it again"
                        else:
                            entry.prediction.kernel_time_s = 2.5
                write_response(connection, response)

        connection = self.against(serve)
        program = connection.register("kernel void k() {}")
        launches = [predictd.Launch(program, 64), predictd.Launch(program, 128)]
        times = [answer.kernel_time_s for answer in connection.predict_many(launches)]  # type: ignore[union-attr]
        self.assertEqual(times, [2.5, 2.5])
        self.assertEqual(len(registered), 2)

    def test_a_daemon_that_went_away_between_two_calls_is_found_again(self) -> None:
        served = []

        def serve(connection: socket.socket) -> None:
            served.append(1)
            greet(connection)
            request = read_request(connection)
            write_response(connection, pb.Response(id=request.id, status=pb.StatusReply(version="7")))

        connection = self.against(serve)  # which closes after one answer
        for _ in range(3):
            self.assertEqual(connection.status().version, "7")
            select.select([connection._transport._socket], [], [], 20)  # it has closed
        self.assertEqual(len(served), 3)

    def test_a_handle_is_of_its_link_alone(self) -> None:
        # the first daemon's handle 1 is another program's at the second
        asked = []

        def serve(connection: socket.socket) -> None:
            greet(connection)
            sources: list[bytes] = [b""] if not asked else [b"", b"another"]
            while True:
                request = read_request(connection)
                response = pb.Response(id=request.id)
                if request.WhichOneof("body") == "register_program":
                    sources.append(request.register_program.program.source)
                    response.register_program.handle = len(sources) - 1
                elif request.WhichOneof("body") == "history":
                    asked.append(sources[request.history.handle])
                    response.history.total = 1
                else:
                    asked.extend(sources[one.handle] for one in request.predict_batch.predictions)
                    for _ in request.predict_batch.predictions:
                        response.predict_batch.entries.add().prediction.kernel_time_s = 1
                write_response(connection, response)
                if response.WhichOneof("body") != "register_program" and len(asked) % 2 == 1:
                    return

        connection = self.against(serve)
        program = connection.register("mine")
        connection.predict(predictd.Launch(program, 64))
        select.select([connection._transport._socket], [], [], 20)
        connection.predict(predictd.Launch(program, 64))
        connection.history(program)
        select.select([connection._transport._socket], [], [], 20)
        connection.history(program)
        self.assertEqual(asked, [b"mine"] * 4)

    def test_the_history_of_a_forgotten_program_is_registered_again(self) -> None:
        registered = []

        def serve(connection: socket.socket) -> None:
            greet(connection)
            while True:
                request = read_request(connection)
                response = pb.Response(id=request.id)
                if request.WhichOneof("body") == "register_program":
                    registered.append(1)
                    response.register_program.handle = len(registered)
                elif getattr(request, request.WhichOneof("body")).handle % 2 == 1:
                    response.error.status = 17
                    response.error.text = "program: the handle is not known (any more): register it again"
                elif request.WhichOneof("body") == "history":
                    response.history.total = 0
                else:
                    response.forget.forgotten = 3
                write_response(connection, response)

        connection = self.against(serve)
        program = connection.register("kernel void k() {}")
        self.assertEqual(connection.history(program), [])
        other = connection.register("kernel void k() {}")
        self.assertEqual(connection.forget(other), 3)
        self.assertEqual(len(registered), 4)

    def test_a_call_of_several_requests_has_one_deadline(self) -> None:
        # of what a call asks, each alone would have been in time
        asked = []

        def serve(connection: socket.socket) -> None:
            greet(connection)
            while True:
                request = read_request(connection)
                asked.append(request.WhichOneof("body"))
                if len(asked) > 1:
                    time.sleep(0.2)
                response = pb.Response(id=request.id)
                response.register_program.handle = 1
                if request.WhichOneof("body") == "predict_batch":
                    entry = response.predict_batch.entries.add()
                    entry.error.status = 17
                    entry.error.text = "program: the handle is not known (any more): register it again"
                write_response(connection, response)

        connection = self.against(serve)
        program = connection.register("kernel void k() {}")
        with self.assertRaises(predictd.Timeout):
            connection.predict(predictd.Launch(program, 64))

    def test_a_turn_is_waited_for_no_longer_than_an_answer(self) -> None:
        held = threading.Event()

        def serve(connection: socket.socket) -> None:
            greet(connection)
            request = read_request(connection)
            held.wait(20)
            write_response(connection, pb.Response(id=request.id, status=pb.StatusReply(version="7")))

        connection = self.against(serve)
        outcomes: list[str] = []

        def ask() -> None:
            # as long as it likes: it is not this one's time that is up
            connection._transport.timeout_s = 0
            outcomes.append(connection.status().version)

        first = threading.Thread(target=ask)
        first.start()
        while not connection._transport._depth:
            time.sleep(0.001)
        connection._transport.timeout_s = 0.1
        with self.assertRaisesRegex(predictd.Timeout, "other threads"):
            connection.status()
        held.set()
        first.join()
        self.assertEqual(outcomes, ["7"])

    def test_a_daemon_that_greets_nobody_is_a_timeout(self) -> None:
        def serve(connection: socket.socket) -> None:
            connection.recv(1 << 16)
            connection.recv(1 << 16)

        with self.assertRaisesRegex(predictd.Timeout, "greeted"):
            self.against(serve).status()

    def test_a_child_connects_for_itself(self) -> None:
        served = []

        def serve(connection: socket.socket) -> None:
            served.append(1)
            greet(connection)
            while True:
                request = read_request(connection)
                write_response(connection, pb.Response(id=request.id, status=pb.StatusReply(version="7")))

        daemon = FakeDaemon(lambda connection: threading.Thread(target=serve, args=(connection.dup(),)).start())
        self.addCleanup(daemon.close)
        connection = predictd.Connection(daemon.path)
        self.addCleanup(connection.close)
        connection.status()
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if connection.status().version == "7" else 1)
            finally:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(connection.status().version, "7")
        self.assertEqual(len(served), 2)


if __name__ == "__main__":
    unittest.main()
