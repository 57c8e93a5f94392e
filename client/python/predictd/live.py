# SPDX-License-Identifier: Apache-2.0
"""What live pyopencl objects say, in predictd's words: programs, arguments, devices.

Comes in: objects of pyopencl, and numpy's. Goes out: values of this package. Nothing is launched, waited
for, mapped or read but what is handed over as a sample. The rules are those of the OpenCL layer
(client/opencl/layer/question.c).
"""

from __future__ import annotations

import ctypes
import gc
import hashlib
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Optional

import numpy
import pyopencl as cl

from . import errors
from .arguments import Argument, Buffer, Image, Local, Sampler, Scalar, Sizes, Struct
from .samples import Sample
from .values import Device, Kernel

# ---- programs ----------------------------------------------------------------------------------

# what pyopencl adds to a source before it builds, other each time
_DEFEAT = re.compile(r"\n\n__constant int pyopencl_defeat_cache_[0-9a-f]{32} = 0;\s*\Z")


def _keep_sources() -> None:
    """Kernels that are made from now on have their program's source, however they are made.

    pyopencl gives it to those that are attributes of a `Program`. Without it, `Kernel(program, name)` of
    a program from kept binaries would lose it with the `Program`.
    """
    original = cl.Kernel.__init__

    def init(self: Any, program: Any, name: str) -> None:
        original(self, program, name)
        if not getattr(self, "_source", None):
            self._source = getattr(program, "_source", None)

    cl.Kernel.__init__ = init


_keep_sources()


def source_of(kernel: Any) -> Optional[str]:
    """The text that a kernel was made of; None: there is none, or none that is still known.

    pyopencl makes programs of the binaries that it kept. Its `Program` then has the text, as have the
    kernels that are attributes of that. What OpenCL has is empty.
    """
    text = getattr(kernel, "_source", None)
    if isinstance(text, str) and text:
        return text
    program = kernel.get_info(cl.kernel_info.PROGRAM)
    text = _DEFEAT.sub("", program.get_info(cl.program_info.SOURCE) or "")
    if text:
        return text
    return _kept_source(program.int_ptr)


def _kept_source(handle: int) -> Optional[str]:
    """The text that another of pyopencl's objects of the program has. It takes some 10 ms, once a program."""
    for one in gc.get_objects():
        kind = type(one)  # isinstance would ask proxies, too
        if not issubclass(kind, (cl.Program, cl.Kernel)) or not isinstance(getattr(one, "_source", None), str):
            continue
        program = one._prg if kind is cl.Program else one.get_info(cl.kernel_info.PROGRAM)
        if program is not None and program.int_ptr == handle:
            return str(one._source)
    return None


def options_of(kernel: Any, device: Any) -> str:
    """Those that its program was built with for a device."""
    program = kernel.get_info(cl.kernel_info.PROGRAM)
    text = program.get_build_info(device, cl.program_build_info.OPTIONS)
    return (text or "").strip()


def sourceless_name(kernel: Any) -> str:
    """What a kernel without source is known by: its name, and a hash of its program's binaries."""
    program = kernel.get_info(cl.kernel_info.PROGRAM)
    digest = hashlib.sha256()
    for binary in program.get_info(cl.program_info.BINARIES):
        digest.update(binary)
    return f"{kernel.function_name[:230]}@{digest.hexdigest()[:16]}"


# ---- arguments ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """An argument as it was handed over; what a kernel declares says what it is."""

    kind: str  # "memory", "value", "local", "image" or "sampler"
    size_bytes: int = 0
    value: bytes = b""  # of a value in memory
    number: Optional[float] = None  # of a Python number, whose size the kernel declares
    text: str = ""  # format of an image, words of a sampler
    width: int = 0
    height: int = 1
    depth: int = 0


_ORDERS = {
    cl.channel_order.R: "r",
    cl.channel_order.RG: "rg",
    cl.channel_order.RGBA: "rgba",
    cl.channel_order.BGRA: "bgra",
    # of one channel, as the hardware has them
    cl.channel_order.A: "r",
    cl.channel_order.INTENSITY: "r",
    cl.channel_order.LUMINANCE: "r",
}
_CHANNELS = {
    cl.channel_type.UNORM_INT8: "8",
    cl.channel_type.UNORM_INT16: "16",
    cl.channel_type.HALF_FLOAT: "16f",
    cl.channel_type.FLOAT: "32f",
    cl.channel_type.SIGNED_INT8: "8i",
    cl.channel_type.SIGNED_INT16: "16i",
    cl.channel_type.SIGNED_INT32: "32i",
    cl.channel_type.UNSIGNED_INT8: "8ui",
    cl.channel_type.UNSIGNED_INT16: "16ui",
    cl.channel_type.UNSIGNED_INT32: "32ui",
}


def _image(image: Any) -> Seen:
    info, kinds = cl.image_info, cl.mem_object_type
    kind = image.get_info(cl.mem_info.TYPE)
    height = depth = 0
    if kind in (kinds.IMAGE2D, kinds.IMAGE2D_ARRAY, kinds.IMAGE3D):
        height = image.get_image_info(info.HEIGHT)
    if kind == kinds.IMAGE3D:
        depth = image.get_image_info(info.DEPTH)
    elif kind == kinds.IMAGE2D_ARRAY:
        depth = image.get_image_info(info.ARRAY_SIZE)
    elif kind == kinds.IMAGE1D_ARRAY:
        height = image.get_image_info(info.ARRAY_SIZE)
    form = image.get_image_info(info.FORMAT)
    order, channel = _ORDERS.get(form.channel_order), _CHANNELS.get(form.channel_data_type)
    return Seen(
        "image",
        text=order + channel if order is not None and channel is not None else "",
        width=image.get_image_info(info.WIDTH),
        height=max(height, 1),
        depth=depth,
    )


def _sampler(sampler: Any) -> Seen:
    info, modes = cl.sampler_info, cl.addressing_mode
    words = ["linear" if sampler.get_info(info.FILTER_MODE) == cl.filter_mode.LINEAR else "nearest"]
    if sampler.get_info(info.NORMALIZED_COORDS):
        words.append("normalized")
    mode = sampler.get_info(info.ADDRESSING_MODE)
    if mode in (modes.REPEAT, getattr(modes, "MIRRORED_REPEAT", None)):
        words.append("repeat")
    return Seen("sampler", text=",".join(words))


_SVM = tuple(getattr(cl, name) for name in ("SVM", "SVMPointer") if hasattr(cl, name))


def see(argument: Any) -> Seen:
    """What was handed over; TypeError where pyopencl takes no such thing.

    An array of the host's stands for a buffer that holds it.
    """
    if isinstance(argument, cl.Buffer):
        return Seen("memory", argument.size)
    if isinstance(argument, numpy.generic):
        return Seen("value", argument.nbytes, argument.tobytes())
    if isinstance(argument, (bool, int, float)):
        return Seen("value", number=argument)
    if argument is None:
        return Seen("memory")
    if isinstance(argument, cl.LocalMemory):
        return Seen("local", argument.size)
    if isinstance(argument, cl.Image):
        return _image(argument)
    if isinstance(argument, cl.Sampler):
        return _sampler(argument)
    if isinstance(argument, cl.MemoryObjectHolder):  # of a pool
        return Seen("memory", argument.get_info(cl.mem_info.SIZE))
    if isinstance(argument, _SVM):
        size = getattr(argument, "size", None)
        return Seen("memory", memoryview(argument.mem).nbytes if size is None else size)
    if isinstance(argument, numpy.ndarray) and argument.ndim > 0:
        return Seen("memory", argument.nbytes)
    base = getattr(argument, "base_data", None)  # of a pyopencl.array.Array
    if base is not None:
        return see(base)
    try:
        with memoryview(argument) as view:
            return Seen("value", view.nbytes, view.tobytes())
    except TypeError:
        raise TypeError(
            "want a pyopencl Buffer, Image, Sampler, LocalMemory, SVM, Array, a numpy scalar or None, "
            f"have {type(argument).__name__}"
        ) from None


_FORMATS = {
    "char": "b", "uchar": "B", "bool": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I",
    "long": "q", "ulong": "Q", "half": "e", "float": "f", "double": "d",
}  # fmt: skip


def _scalar(where: str, type_name: str, seen: Seen) -> Argument:
    element = type_name.rstrip("0123456789")
    lanes = int(type_name[len(element) :] or 1)
    code = _FORMATS.get(element)
    if code is None:
        raise errors.Unsupported(f"{where} is of type {type_name}: bytes do not tell what it is")
    if seen.number is not None:
        number = seen.number if code in "efd" else int(seen.number)
        if lanes != 1 or number != seen.number:
            raise errors.Invalid(f"{where}: want {type_name}, have {seen.number!r}")
        return Scalar("uchar" if element == "bool" else type_name, number)
    size = struct.calcsize(code) * (4 if lanes == 3 else lanes)
    if seen.size_bytes != size:
        raise errors.Invalid(f"{where}: want {size} bytes of {type_name}, have {seen.size_bytes}")
    values = struct.unpack_from(f"={lanes}{code}", seen.value)
    return Scalar("uchar" if element == "bool" else type_name, values if lanes > 1 else values[0])


def _buffer(seen: Seen, sample: Optional[Sample]) -> Buffer:
    """A null pointer, which a kernel does not follow, is the smallest buffer that there is."""
    return Buffer(max(seen.size_bytes, 1), sample=sample)


def declared(kernel: Kernel, number: int, seen: Seen, sample: Optional[Sample] = None) -> Argument:
    """An argument as the kernel declares it. `Invalid` where it is not what was handed over."""
    kind, _, rest = kernel.argument_types[number].partition(" ")
    where = f"argument {number} ({kernel.argument_names[number]})"
    want = {"buffer": "memory", "scalar": "value", "struct": "value"}.get(kind, kind)
    if seen.kind != want:
        raise errors.Invalid(f"{where}: want a {kind}, have {seen.kind}")
    if sample is not None and kind != "buffer":
        raise errors.Invalid(f"{where}: want a buffer for a sample, it is a {kind}")
    if kind == "buffer":
        return _buffer(seen, sample)
    if kind == "local":
        return Local(seen.size_bytes)
    if kind == "image":
        access = rest.split(" ")[1:2] or ["rw"]
        return Image(seen.width, seen.height, seen.text or "rgba8", access[0], seen.depth)
    if kind == "sampler":
        return Sampler(seen.text)
    if kind == "struct":
        if str(seen.size_bytes) != rest:
            raise errors.Invalid(f"{where}: want {rest} bytes of a struct, have {seen.size_bytes}")
        return Struct(seen.size_bytes)
    return _scalar(where, rest, seen)


def undeclared(seen: Seen, sample: Optional[Sample] = None) -> Argument:
    """Without a declaration a value is told from others as an integer of its size."""
    if seen.kind == "memory":
        return _buffer(seen, sample)
    if seen.kind == "local":
        return Local(seen.size_bytes)
    if seen.kind == "image":
        return Image(seen.width, seen.height, seen.text or "rgba8", "rw", seen.depth)
    if seen.kind == "sampler":
        return Sampler(seen.text)
    if seen.number is not None:
        return Scalar("double", seen.number)
    if seen.size_bytes in (4, 8):
        return Scalar("uint" if seen.size_bytes == 4 else "ulong", int.from_bytes(seen.value, "little"))
    return Struct(seen.size_bytes)


# ---- sizes -------------------------------------------------------------------------------------

Shape = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # global, local, offset; () where there is none


def _sizes(what: str, value: Optional[Sizes]) -> tuple[int, ...]:
    if value is None:
        return ()
    try:
        return (index(value),)  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        return tuple(index(one) for one in value)  # type: ignore[union-attr]
    except TypeError:
        raise TypeError(f"{what}: want an integer or up to three, have {value!r}") from None


def shape_of(global_size: Sizes, local_size: Optional[Sizes], offset: Optional[Sizes], g_times_l: bool) -> Shape:
    """Sizes as OpenCL gets them. g_times_l: the global size counts work-groups, of 1 in dimensions that the
    local size lacks."""
    whole, local = _sizes("global size", global_size), _sizes("local size", local_size)
    if g_times_l and local:
        count = max(len(whole), len(local))
        whole, local = whole + (1,) * (count - len(whole)), local + (1,) * (count - len(local))
        whole = tuple(groups * items for groups, items in zip(whole, local))
    return whole, local, _sizes("offset", offset)


@dataclass(frozen=True)
class Launched:
    """A launch of live objects, as it was handed over: the daemon has not heard of it yet."""

    kernel: Any
    device: Any
    shape: Shape
    seen: tuple[Seen, ...]
    samples: Mapping[int, Sample]
    idle_s: float = 0


# ---- devices -----------------------------------------------------------------------------------

_TEXT_MAX = 127  # bytes that the daemon keeps of a name
_UUID, _PCI = 0x106A, 0x410F  # cl_khr_device_uuid, cl_khr_pci_bus_info
_NV_BUS, _NV_SLOT, _NV_DOMAIN = 0x4008, 0x4009, 0x400A


def _loader() -> Any:
    """The OpenCL that pyopencl has loaded, under whatever name, for what pyopencl does not ask."""
    path = "libOpenCL.so.1"
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            path = next(line.split(None, 5)[5].strip() for line in maps if "/libOpenCL" in line)
    except (OSError, StopIteration):
        pass
    try:
        ask = ctypes.CDLL(path).clGetDeviceInfo
    except (OSError, AttributeError):
        return None
    ask.argtypes = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)
    ask.restype = ctypes.c_int32
    return ask


_ask = _loader()


def _bytes(device: Any, what: int, size: int) -> Optional[bytes]:
    room = ctypes.create_string_buffer(size)
    is_known = _ask is not None and _ask(device.int_ptr, what, size, room, None) == 0
    return room.raw if is_known else None


def _word(device: Any, what: int) -> Optional[int]:
    found = _bytes(device, what, 4)
    return None if found is None else int.from_bytes(found, "little")


def _tells(digits: str) -> str:
    """"" of what is all alike, as of a driver that knows nothing."""
    return digits if len(set(digits) - set(":.")) > 1 else ""


@dataclass(frozen=True)
class Identity:
    """What tells a device from others, as in <predictd_opencl.h>."""

    platform: str
    vendor: str
    name: str
    compute_units: int
    uuid: str
    pci: str

    def is_like(self, known: Device) -> bool:
        texts = zip((self.platform, self.vendor, self.name), (known.platform, known.vendor, known.name))
        if known.compute_units != self.compute_units or not all(_is_text(mine, its) for mine, its in texts):
            return False
        uuid, pci = _tells(known.uuid.lower()), _tells(known.pci.lower())
        if uuid and self.uuid:
            return uuid == self.uuid
        return pci == self.pci if pci and self.pci else True


def _is_text(mine: str, known: str) -> bool:
    """The daemon's may have been cut."""
    length = len(known.encode())
    return mine == known or (length >= _TEXT_MAX - 3 and mine.startswith(known))


def identity(device: Any) -> Identity:
    extensions = device.extensions.split()
    uuid, pci = b"", ""
    if "cl_khr_device_uuid" in extensions:
        uuid = _bytes(device, _UUID, 16) or b""
    found = _bytes(device, _PCI, 16) if "cl_khr_pci_bus_info" in extensions else None
    if found is not None:
        domain, bus, slot, function = struct.unpack("=4I", found)
        pci = f"{domain & 0xFFFF:04x}:{bus & 0xFF:02x}:{slot & 0xFF:02x}.{function & 0xF:x}"
    elif "cl_nv_device_attribute_query" in extensions:
        number, place = _word(device, _NV_BUS), _word(device, _NV_SLOT)
        if number is not None and place is not None:
            # the slot holds the device in its upper five bits and the function below
            domain = (_word(device, _NV_DOMAIN) or 0) & 0xFFFF
            pci = f"{domain:04x}:{number & 0xFF:02x}:{place >> 3 & 0x1F:02x}.{place & 7:x}"
    return Identity(
        device.platform.name, device.vendor, device.name, device.max_compute_units, _tells(uuid.hex()), _tells(pci)
    )


def _ordinal(key: str) -> int:
    """How many equals stand before it in the daemon's list (proto/device_key.h)."""
    _, dot, number = key.partition("-")[2].partition(".") if "-" in key else key.partition(".")
    return int(number) if dot and number.isdigit() else 0


def key_of(device: Any, known: list[Device]) -> str:
    """The key of a device among those that the daemon lists. `NotFound`: it lists none like it."""
    mine = identity(device)
    alike = sorted((one for one in known if mine.is_like(one)), key=lambda one: _ordinal(one.key))
    listed = [one for platform in cl.get_platforms() for one in platform.get_devices()]
    equals = [one for one in listed if identity(one) == mine]
    place = equals.index(device) if device in equals else len(alike)
    if place >= len(alike):
        names = ", ".join(one.name for one in known) or "none"
        what = "device" if device in equals else "sub-device"
        raise errors.NotFound(f"predictd knows no {what} like {device.name}; it has {names}")
    return alike[place].key
