# SPDX-License-Identifier: Apache-2.0
"""What is asked and what is answered. Times are seconds, sizes bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Sequence, Union

from . import predictd_pb2 as pb
from . import source as sources
from .arguments import Argument, Hint, Sizes, sizes

MODELS = ("default", "pattern", "uncached")
BASES = ("static", "refined", "observed", "fallback", "history")
BOTTLENECKS = (
    "launch",
    "dispatch",
    "arithmetic",
    "latency",
    "local memory",
    "atomics",
    "barriers",
    "L1 cache",
    "L2 cache",
    "L3 cache",
    "L4 cache",
    "memory",
    "unknown",
)
OCCUPANCY_LIMITS = ("nothing", "work-groups of the launch", "group size", "registers", "local memory")
DEVICE_TYPES = ("CPU", "GPU", "accelerator", "other")
SOURCELESS = 2**64 - 1  # the handle of a kernel without source
FIRST_RUN, OVERLAPPED, THROTTLED = 1, 2, 4

DeviceName = Union[str, int, None]


@dataclass(frozen=True)
class Kernel:
    """A kernel of a program. `unsupported`: why predictions of it are a fallback, or empty."""

    name: str
    unsupported: str
    argument_names: tuple[str, ...]
    argument_types: tuple[str, ...]
    required_local: tuple[int, ...]


@dataclass
class Program:
    """A registered program. It outlives a restart of the daemon: it is registered again when needed."""

    source: sources.Source
    kernels: tuple[Kernel, ...]
    analysis_time_s: float
    _handle: int = field(repr=False)
    _serial: int = field(repr=False)
    undefined: str = ""  # names that are defined nowhere, and the options that would define them, a sentence
    left_out: str = ""  # kernels that the preprocessor left out: "conv (line 1)"


@dataclass(frozen=True)
class Launch:
    """One launch to ask about. `local_size` None: the runtime chooses, and the answer says what.

    `idle_s`: for how long the device has had nothing to do, in seconds; 0: right behind another launch, or not known.
    """

    program: Program
    global_size: Sizes
    local_size: Optional[Sizes] = None
    arguments: Sequence[Argument] = ()
    kernel: str = ""
    offset: Optional[Sizes] = None
    hints: Sequence[Hint] = ()
    idle_s: float = 0.0

    def _message(self) -> pb.Launch:
        return pb.Launch(
            global_items=sizes("the NDRange", self.global_size),
            local_items=sizes("the work-group", self.local_size),
            offset_items=sizes("the offset", self.offset, at_least=0),
            arguments=[argument._message() for argument in self.arguments],
            hints=[hint._message() for hint in self.hints],
            idle_s=self.idle_s,
        )


@dataclass(frozen=True)
class Row:
    """A row of the breakdown: what, how many per work-item, and the time that it would take alone."""

    what: str
    count: float
    time_s: float


@dataclass(frozen=True)
class LineCost:
    """What a line of the source adds to the kernel's time: where all that it does takes 1 % longer, the kernel takes 1 % of
    this longer. A macro counts where it is used, an inlined function where it stands.
    """

    file: str  # a header, as it was registered; empty: the program's own source
    line: int
    time_s: float
    bottleneck: str  # what it asks most of


@dataclass(frozen=True)
class Occupancy:
    """How a launch fills the device: of a GPU the share of a unit's room for work-items, of a CPU that of its cores."""

    share: float
    groups: float  # work-groups that a unit has at once
    limit: str  # one of OCCUPANCY_LIMITS
    registers: int  # of 32 bits, that a work-item needs at most: an estimate; 0: of a CPU
    local_bytes: int  # of a work-group
    multiple: int  # of which a work-group's size had better be one: a warp, a vector


@dataclass(frozen=True)
class WhatIf:
    """A change that a kernel, its launch or its data could follow: model/whatif/whatif.h.

    `kind`, `place` and `detail` mean something to the daemon that told them, for the same launch.
    """

    word: str  # of the kind
    name: str  # of what it changes; "": it has none
    line: int  # in the source; 0: the kernel's own, or not known
    is_sure: bool  # else it hangs on what the model does not see
    detail: float
    kind: int = field(repr=False)
    place: int = field(repr=False)

    def _message(self) -> pb.WhatIf:
        return pb.WhatIf(kind=self.kind, place=self.place, detail=self.detail)


@dataclass(frozen=True)
class Prediction:
    """How long a launch takes. `low_s` to `high_s` is the 90 % interval of `kernel_time_s`."""

    kernel_time_s: float
    low_s: float
    high_s: float
    launch_time_s: float
    h2d_time_s: float
    d2h_time_s: float
    model: str
    basis: str
    bottleneck: str
    local_size: tuple[int, ...]
    note: str
    is_capped: bool
    is_data_dependent: bool
    epoch: int
    rows: tuple[Row, ...]
    ir: str
    device_key: str
    language: str
    warnings: tuple[str, ...] = ()  # what would go wrong where it ran: accesses beyond an argument, a sentence each
    task_time_s: float = 0  # of the whole task, as observations measure tasks; before any, launch and kernel
    task_low_s: float = 0
    task_high_s: float = 0
    task_observation_count: int = 0  # of tasks of this kernel on this device
    nodes: int = 0  # others of the site, whose observations it rests on
    # with explain: how the static time follows each resource's; 0.4: 1 % of it makes 0.4 % of the time
    elasticities: Mapping[str, float] = field(default_factory=dict)
    # with lines, of the default model: at most 256 that add anything; what those beyond add; and what belongs to none, as
    # the launch. All add up to the kernel's time.
    lines: tuple[LineCost, ...] = ()
    lines_rest_s: float = 0
    lines_elsewhere_s: float = 0
    occupancy: Optional[Occupancy] = None  # with explain or lines, of the default model
    what_ifs: tuple[WhatIf, ...] = ()  # of Connection.what_ifs

    @property
    def total_time_s(self) -> float:
        """Transfers (where they were asked for), launch and kernel: equation 2 of the paper."""
        return self.h2d_time_s + self.launch_time_s + self.kernel_time_s + self.d2h_time_s


@dataclass(frozen=True)
class Device:
    """A device of the node, or one whose calibration is known.

    `key` names it across restarts and other devices that come and go; a connection keeps `index` for it
    until a later list tells otherwise.
    """

    index: int
    key: str
    name: str
    platform: str
    vendor: str
    driver: str
    type: str
    compute_units: int
    is_present: bool
    is_calibrated: bool
    is_quick: bool
    is_stale: bool
    was_busy: bool
    calibrated_at_s: int
    failure: str
    coefficients: dict[str, float]
    language: str = ""  # what its compiler makes of sources, in words; empty: not known
    is_language_assumed: bool = False  # its compiler was not asked: a calibration does
    refused_options: tuple[str, ...] = ()  # build options that were tried and are refused
    doubts: tuple[str, ...] = ()  # what its calibration cannot have found, or had no time for
    uuid: str = ""  # 32 hexadecimal digits; empty, as the next: not known
    pci: str = ""  # "0000:3b:00.0"
    borrowed_nodes: int = 0  # its calibration is made of those of so many other nodes


@dataclass(frozen=True)
class Placement:
    """The fastest device for a launch."""

    device: str
    device_index: int
    device_key: str
    prediction: Prediction


@dataclass(frozen=True)
class Removal:
    """What was taken away with a device's calibrations."""

    device_key: str
    calibrations: int
    observations: int


@dataclass(frozen=True)
class Observation:
    """Measured times of a launch: of the kernel (START to END), of the whole task (submission to
    completion, or what the runtime measures), or both. 0: not measured. Those of tasks never change what
    is said of kernels. Flags: FIRST_RUN, OVERLAPPED, THROTTLED."""

    launch: Launch
    kernel_time_s: float = 0
    device: DeviceName = None
    flags: int = 0
    h2d_time_s: float = 0
    d2h_time_s: float = 0
    launch_time_s: float = 0
    measured_at_s: int = 0
    task_time_s: float = 0


@dataclass(frozen=True)
class HistoryEntry:
    """One measured time of a kernel, and what was answered when it came in."""

    measured_at_s: int
    uid: int
    flags: int
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: str
    observed_time_s: float
    static_time_s: float
    predicted_time_s: float
    low_s: float
    high_s: float
    is_task: bool = False  # every time is of a whole task, else of a kernel


@dataclass(frozen=True)
class Status:
    """What the daemon says of itself; problems are sentences, or empty."""

    version: str
    uptime_s: float
    connections: int
    requests: int
    predictions: int
    programs: int
    observations: int
    resident_bytes: int
    socket: str
    state_directory: str
    problems: tuple[str, ...]
    background: int


def _word(words: tuple[str, ...], number: int) -> str:
    return words[number] if number < len(words) else "unknown"


def _occupancy_of(message: pb.Prediction) -> Optional[Occupancy]:
    if not message.HasField("occupancy"):
        return None
    one = message.occupancy
    return Occupancy(one.share, one.groups, _word(OCCUPANCY_LIMITS, one.limit), one.registers, one.local_bytes, one.multiple)


def prediction_of(message: pb.Prediction) -> Prediction:
    return Prediction(
        kernel_time_s=message.kernel_time_s,
        low_s=message.low_s,
        high_s=message.high_s,
        launch_time_s=message.launch_time_s,
        h2d_time_s=message.h2d_time_s,
        d2h_time_s=message.d2h_time_s,
        model=_word(MODELS, message.model),
        basis=_word(BASES, message.basis),
        bottleneck=_word(BOTTLENECKS, message.bottleneck),
        local_size=tuple(message.local_items),
        note=message.note,
        is_capped=message.is_capped,
        is_data_dependent=message.is_data_dependent,
        epoch=message.epoch,
        rows=tuple(Row(row.what, row.count, row.time_s) for row in message.rows),
        ir=message.ir,
        device_key=message.device.key,
        language=message.language,
        warnings=tuple(message.warnings),
        task_time_s=message.task_time_s,
        task_low_s=message.task_low_s,
        task_high_s=message.task_high_s,
        task_observation_count=message.task_observation_count,
        nodes=message.nodes,
        lines=tuple(LineCost(one.file, one.line, one.time_s, _word(BOTTLENECKS, one.bottleneck)) for one in message.lines),
        lines_rest_s=message.lines_rest_s,
        lines_elsewhere_s=message.lines_elsewhere_s,
        occupancy=_occupancy_of(message),
        elasticities={_word(BOTTLENECKS, place): one for place, one in enumerate(message.elasticities) if one},
        what_ifs=tuple(
            WhatIf(one.word, one.name, one.line, one.is_sure, one.detail, one.kind, one.place) for one in message.what_ifs
        ),
    )


def device_of(message: pb.Device) -> Device:
    return Device(
        index=message.index,
        key=message.key,
        name=message.name,
        platform=message.platform,
        vendor=message.vendor,
        driver=message.driver,
        type=DEVICE_TYPES[min(message.type, len(DEVICE_TYPES) - 1)],
        compute_units=message.compute_units,
        is_present=message.is_present,
        is_calibrated=message.is_calibrated,
        is_quick=message.is_quick,
        is_stale=message.is_stale,
        was_busy=message.was_busy,
        calibrated_at_s=message.calibrated_at_s,
        failure=message.failure,
        coefficients={one.name: one.value for one in message.coefficients},
        language=message.language_text,
        is_language_assumed=message.is_language_assumed,
        refused_options=tuple(message.refused_options),
        doubts=tuple(message.doubts),
        uuid=message.uuid,
        pci=message.pci,
        borrowed_nodes=message.borrowed_nodes,
    )
