# SPDX-License-Identifier: Apache-2.0
"""What indices of devices mean on a connection, whatever a restarted daemon gives them to.

An index that was listed, or answered, is sent as the key that it stood for from then on; a later
list says anew what its indices mean. So does libpredictd (client/library/names.h).
"""

from __future__ import annotations

from typing import Iterator, Optional

from . import predictd_pb2 as pb

_BATCHES = {"predict_batch": "predictions", "observe": "observations"}
_SINGLE = ("predict", "history", "forget", "calibrate", "export", "remove_calibration")
_WITHIN = {"keep_choice": "choice", "find_choice": "choice", "find_reaches": "question"}
_LISTS = ("place", "contention")


class Names:
    """Of one connection; not safe for threads by itself."""

    def __init__(self) -> None:
        self._keys: dict[int, Optional[str]] = {}  # None: asked, and not answered yet

    def _translate(self, device: str) -> str:
        if not (device.isascii() and device.isdigit() and len(device) < 10):
            return device
        return self._keys.setdefault(int(device), None) or device

    def translate(self, request: pb.Request) -> None:
        """Puts keys in place of indices that are known, and remembers the others."""
        kind = request.WhichOneof("body")
        if kind in _SINGLE:
            body = getattr(request, kind)
            body.device = self._translate(body.device)
            if kind == "calibrate":
                body.other = self._translate(body.other)
        elif kind in _BATCHES:
            for one in getattr(getattr(request, kind), _BATCHES[kind]):
                one.device = self._translate(one.device)
        elif kind in _LISTS:
            devices = getattr(request, kind).devices
            devices[:] = [self._translate(one) for one in devices]
        elif kind in _WITHIN:
            within = getattr(getattr(request, kind), _WITHIN[kind])
            within.device = self._translate(within.device)

    @staticmethod
    def _told(response: pb.Response) -> Iterator[tuple[int, str]]:
        """What the caller gets to see: an index and the key of its device."""
        kind = response.WhichOneof("body")
        if kind == "devices":
            yield from ((one.index, one.key) for one in response.devices.devices)
        elif kind in ("calibrate", "import"):
            device = getattr(response, kind).device
            yield device.index, device.key
        elif kind == "place":
            yield from ((one.index, one.device_key) for one in response.place.placements)

    @staticmethod
    def _answered(response: pb.Response) -> Iterator[pb.DeviceName]:
        """The devices that an answer was for."""
        kind = response.WhichOneof("body")
        if kind == "predict":
            yield response.predict.prediction.device
        elif kind == "predict_batch":
            yield from (one.prediction.device for one in response.predict_batch.entries)
        elif kind == "observe":
            yield from response.observe.devices
        elif kind in ("history", "forget", "export", "remove_calibration", "keep_choice", "find_choice"):
            yield getattr(response, kind).device

    def learn(self, response: pb.Response) -> bool:
        """What a response says of the devices that were meant. True: an index means another one now."""
        has_changed = False
        for index, key in self._told(response):
            if key:
                has_changed |= self._keys.get(index) not in (None, key)
                self._keys[index] = key
        for name in self._answered(response):
            if name.key and self._keys.get(name.index, "") is None:
                self._keys[name.index] = name.key
        return has_changed
