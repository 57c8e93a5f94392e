# SPDX-License-Identifier: Apache-2.0
"""How long an OpenCL kernel launch takes, asked of predictd before it has ever run.

    import predictd

    with predictd.connect() as daemon:
        program = daemon.load("saxpy.cl")
        launch = predictd.Launch(program, 1 << 20, 256, [
            predictd.Buffer(4 << 20, "r"), predictd.Buffer(4 << 20), predictd.Scalar("float", 2)])
        print(daemon.predict(launch).kernel_time_s)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .arguments import Argument, BranchHint, Buffer, Hint, Image, Local, LoopHint, Sampler, Scalar, Struct
from .client import Connection, connect
from .errors import (
    Busy,
    Cancelled,
    Corrupt,
    Denied,
    DeviceFailure,
    Error,
    InputOutput,
    Internal,
    Invalid,
    Limit,
    NoMemory,
    NotFound,
    SyntaxFailure,
    Timeout,
    Unavailable,
    Uncalibrated,
    Unregistered,
    Unsampled,
    Unsupported,
)
from .reports import ReportCounts
from .samples import Sample
from .source import Source
from .transport import default_socket
from .values import (
    FIRST_RUN,
    OVERLAPPED,
    THROTTLED,
    Device,
    HistoryEntry,
    Kernel,
    Launch,
    LineCost,
    Observation,
    Occupancy,
    Placement,
    Prediction,
    Program,
    Removal,
    Row,
    Status,
    WhatIf,
)

if TYPE_CHECKING:
    from .scheduling import Plan, Planned, PlannedCopy, Schedule, ScheduleDevice, Task
    from .splitting import Share, Split

__version__ = "0.1.0"

# imported by whoever first names them: a command line's user waits for each module
_LATER = {
    **dict.fromkeys(("Plan", "Planned", "PlannedCopy", "Schedule", "ScheduleDevice", "Task"), ".scheduling"),
    **dict.fromkeys(("Share", "Split"), ".splitting"),
}

__all__ = [
    "Argument",
    "BranchHint",
    "Buffer",
    "Busy",
    "Cancelled",
    "Connection",
    "Corrupt",
    "Denied",
    "Device",
    "DeviceFailure",
    "Error",
    "FIRST_RUN",
    "Hint",
    "HistoryEntry",
    "Image",
    "InputOutput",
    "Internal",
    "Invalid",
    "Kernel",
    "Launch",
    "LineCost",
    "Limit",
    "Local",
    "LoopHint",
    "NoMemory",
    "NotFound",
    "OVERLAPPED",
    "Observation",
    "Occupancy",
    "Placement",
    "Plan",
    "Planned",
    "PlannedCopy",
    "Prediction",
    "Program",
    "Removal",
    "ReportCounts",
    "Row",
    "Sample",
    "Sampler",
    "Scalar",
    "Schedule",
    "ScheduleDevice",
    "Share",
    "Source",
    "Split",
    "Status",
    "Struct",
    "SyntaxFailure",
    "THROTTLED",
    "Task",
    "Timeout",
    "Unavailable",
    "Uncalibrated",
    "Unregistered",
    "Unsampled",
    "Unsupported",
    "WhatIf",
    "connect",
    "default_socket",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_LATER[name], __name__), name)
    return found


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext predictd`: the cell magic `%%predictd`, of programs that use pyopencl."""
    from .magic import register

    register(shell)
