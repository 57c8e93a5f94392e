# SPDX-License-Identifier: Apache-2.0
"""What can go wrong: one class per status of the protocol, all of them `Error`."""

from __future__ import annotations


class Error(Exception):
    """A question that has no answer; its text says where, wanted, got."""


class Invalid(Error):
    """The question is wrong."""


class SyntaxFailure(Error):
    """The kernel source does not compile: the first diagnostic, with line and column.

    `header` is the one that was not among those sent, if that is why, and `header_from` what includes it.
    """

    header: str = ""
    header_from: str = ""


class Unsupported(Error):
    """A construct or request that this version of the daemon lacks."""


class Limit(Error):
    """A budget, quota or bound was reached."""


class NotFound(Error):
    """No such kernel, device or program."""


class Uncalibrated(Error):
    """The device has no calibration: `predictctl calibrate` it."""


class Unavailable(Error):
    """The daemon cannot be reached."""


class Denied(Error):
    """The caller may not do this."""


class Busy(Error):
    """Try again later."""


class Timeout(Error):
    """The deadline of the call passed."""


class Cancelled(Error):
    """Somebody asked to stop."""


class InputOutput(Error):
    """A file, socket or database failed."""


class Corrupt(Error):
    """Bytes are not what they claim to be."""


class NoMemory(Error):
    """The daemon's memory is short."""


class DeviceFailure(Error):
    """The OpenCL driver failed."""


class Internal(Error):
    """A defect of the daemon."""


class Unregistered(Error):
    """The daemon has forgotten a program time and again."""


class Unsampled(Error):
    """The daemon has forgotten a sample time and again."""


# By number: the order of STATUS_TABLE in model/status.h, from 1 on.
_BY_STATUS: tuple[type[Error], ...] = (
    Invalid,
    SyntaxFailure,
    Unsupported,
    Limit,
    NotFound,
    Uncalibrated,
    Unavailable,
    Denied,
    Busy,
    Timeout,
    Cancelled,
    InputOutput,
    Corrupt,
    NoMemory,
    DeviceFailure,
    Internal,
    Unregistered,
    Unsampled,
)


def of_status(status: int, text: str) -> Error:
    """The exception of a status's number; `Internal` for one that is not known."""
    if 1 <= status <= len(_BY_STATUS):
        return _BY_STATUS[status - 1](text)
    return Internal(text)
