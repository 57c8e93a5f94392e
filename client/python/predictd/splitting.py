# SPDX-License-Identifier: Apache-2.0
"""One launch over several devices (predictd_split.h)."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence

from . import errors
from .native import Native, predictd_question, slowdown_matrix
from .values import Launch

DEVICES_MAX = 16


class predictd_split_buffer(ctypes.Structure):
    _fields_ = [("argument", c_size_t), ("granule_bytes", c_uint64)]


class predictd_splitting(ctypes.Structure):
    _fields_ = [
        ("question", POINTER(predictd_question)),
        ("devices", POINTER(c_char_p)),
        ("device_count", c_size_t),
        ("dimension", c_uint32),
        ("granule_items", c_uint64),
        ("buffer_count", c_size_t),
        ("buffers", POINTER(predictd_split_buffer)),
        ("slowdowns", POINTER(c_double)),
    ]


class predictd_share(ctypes.Structure):
    _fields_ = [
        ("granules", c_uint64),
        ("begin", c_uint64),
        ("items", c_uint64),
        ("time_s", c_double),
        ("low_s", c_double),
        ("high_s", c_double),
        ("launch_time_s", c_double),
        ("kernel_time_s", c_double),
        ("h2d_time_s", c_double),
        ("d2h_time_s", c_double),
        ("h2d_bytes", c_uint64),
        ("d2h_bytes", c_uint64),
        ("reason", c_int),
        ("granule_time_s", c_double),
        ("alone_s", c_double),
        ("alone_low_s", c_double),
        ("alone_high_s", c_double),
    ]


class predictd_split_answer(ctypes.Structure):
    _fields_ = [
        ("granule_items", c_uint64),
        ("granules", c_uint64),
        ("time_s", c_double),
        ("low_s", c_double),
        ("high_s", c_double),
        ("best", c_size_t),
        ("gain", c_double),
        ("gain_low", c_double),
        ("gain_high", c_double),
        ("reason", c_int),
        ("has_slowdowns", c_bool),
        ("reserved", c_uint64 * 4),
    ]


@dataclass(frozen=True)
class Share:
    """A device's part of a launch. Without granules it is left out, and only what is `alone` and `reason` count."""

    device: str
    granules: int
    begin: int  # the first work-item of the dimension, from the offset on
    items: int
    time_s: float  # all of it, with slowdowns; low_s to high_s is its 90 % interval
    low_s: float
    high_s: float
    launch_time_s: float  # of its parts, without slowdowns
    kernel_time_s: float
    h2d_time_s: float
    d2h_time_s: float
    h2d_bytes: int
    d2h_bytes: int
    reason: str  # "balanced", "granule", "launch", "transfers", "slowdown", "alone"
    granule_time_s: float  # one granule alone
    alone_s: float  # the whole launch on this device
    alone_low_s: float
    alone_high_s: float


@dataclass(frozen=True)
class Split:
    """The shares with which a launch ends first."""

    shares: tuple[Share, ...]  # one a device, in the order asked for
    granule_items: int
    granules: int
    time_s: float  # until the last device ends
    low_s: float
    high_s: float
    best: str  # the device that is fastest alone
    gain: float  # its time over time_s
    gain_low: float
    gain_high: float
    reason: str
    has_slowdowns: bool  # else devices are taken not to disturb each other


def split(
    native: Native,
    launch: Launch,
    devices: Sequence[str],
    dimension: int,
    granule_items: int,
    buffers: Mapping[int, int],
    slowdowns: Optional[Sequence[Sequence[float]]],
    transfers: bool,
    pinned: bool,
) -> Split:
    """As `Connection.split`."""
    count = len(devices)
    if not 1 <= count <= DEVICES_MAX:
        raise errors.Invalid(f"want 1 to {DEVICES_MAX} devices, have {count}")
    for what, value, limit in (("dimension", dimension, 3), ("granule", granule_items, 1 << 64)):
        if not 0 <= value < limit:
            raise errors.Invalid(f"{what}: want 0 or more below {limit}, have {value}")
    native.library.predictd_split_reason_name.restype = c_char_p
    with native.turn:
        question = native.question(launch, transfers, pinned)
        given = predictd_splitting(
            question=ctypes.pointer(question),
            devices=(c_char_p * count)(*(device.encode() for device in devices)),
            device_count=count,
            dimension=dimension,
            granule_items=granule_items,
            buffer_count=len(buffers),
            buffers=(predictd_split_buffer * len(buffers))(*(predictd_split_buffer(*one) for one in buffers.items())),
            slowdowns=slowdown_matrix(slowdowns, count),
        )
        shares, answer = (predictd_share * count)(), predictd_split_answer()
        native.check(native.library.predictd_split(native.connection, byref(given), shares, byref(answer)))

    def reason(number: int) -> str:
        name: bytes = native.library.predictd_split_reason_name(number)
        return name.decode()

    def fields(one: ctypes.Structure, without: Sequence[str]) -> dict[str, int | float | bool]:
        return {name: getattr(one, name) for name, *_ in one._fields_ if name not in without}

    return Split(
        shares=tuple(
            Share(device=device, reason=reason(share.reason), **fields(share, ["reason"]))  # type: ignore[arg-type]
            for device, share in zip(devices, shares)
        ),
        best=devices[answer.best],
        reason=reason(answer.reason),
        **fields(answer, ["best", "reason", "reserved"]),  # type: ignore[arg-type]
    )
