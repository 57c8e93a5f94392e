# SPDX-License-Identifier: Apache-2.0
"""Launches of this process as pyopencl enqueues them, while somebody listens.

pyopencl launches through one function of its extension module, whoever calls it: kernels, arrays, element-wise
kernels. While there is a listener that function and the setters of arguments are wrapped; afterwards they are
what they were. What a listener does wrong never reaches the program.
"""

from __future__ import annotations

import struct
import threading
import weakref
from typing import Any, Callable

import pyopencl as cl
import pyopencl._cl as _cl

from . import live

# Kernel, queue, shape, arguments by number, the launch's event.
Listener = Callable[[Any, Any, live.Shape, dict[int, live.Seen], Any], None]

# Setters of many arguments: how many words each has, which of them is its value.
_MULTI = {"_set_arg_multi": (2, 1), "_set_arg_buf_multi": (2, 1), "_set_arg_buf_pack_multi": (3, 2)}

_lock = threading.Lock()
_listeners: list[Listener] = []
_originals: dict[str, Any] = {}
_arguments: weakref.WeakKeyDictionary[Any, dict[int, live.Seen]] = weakref.WeakKeyDictionary()


def _keep(kernel: Any, number: int, value: Any) -> None:
    kept = _arguments.setdefault(kernel, {})
    try:
        kept[number] = live.see(value)
    except Exception:
        kept.pop(number, None)


def _packed(words: tuple[Any, ...]) -> Any:
    """A value that pyopencl packs by a letter of `struct`."""
    _, letter, value = words
    return struct.pack(letter.decode(), value)


def _wrap_set_arg(original: Any) -> Any:
    def set_arg(self: Any, number: int, value: Any) -> Any:
        result = original(self, number, value)
        _keep(self, number, value)
        return result

    return set_arg


def _wrap_multi(name: str, original: Any) -> Any:
    width, place = _MULTI[name]

    def set_multi(self: Any, words: tuple[Any, ...]) -> Any:
        result = original(self, words)
        for at in range(0, len(words) - width + 1, width):
            one = words[at : at + width]
            try:
                _keep(self, one[0], _packed(one) if width == 3 else one[place])
            except Exception:
                pass
        return result

    return set_multi


def _wrap_enqueue(original: Any) -> Any:
    def enqueue_nd_range_kernel(
        queue: Any,
        kernel: Any,
        global_work_size: Any,
        local_work_size: Any,
        global_work_offset: Any = None,
        wait_for: Any = None,
        g_times_l: bool = False,
        allow_empty_ndrange: bool = False,
    ) -> Any:
        event = original(
            queue,
            kernel,
            global_work_size,
            local_work_size,
            global_work_offset,
            wait_for,
            g_times_l,
            allow_empty_ndrange,
        )
        try:
            shape = live.shape_of(global_work_size, local_work_size, global_work_offset, g_times_l)
            for listener in tuple(_listeners):
                listener(kernel, queue, shape, dict(_arguments.get(kernel, {})), event)
        except Exception:
            pass
        return event

    return enqueue_nd_range_kernel


def add(listener: Listener) -> None:
    with _lock:
        _listeners.append(listener)
        if _originals:
            return
        _originals["enqueue_nd_range_kernel"] = _cl.enqueue_nd_range_kernel
        _cl.enqueue_nd_range_kernel = cl.enqueue_nd_range_kernel = _wrap_enqueue(_cl.enqueue_nd_range_kernel)
        for name in (*_MULTI, "set_arg"):
            original = getattr(cl.Kernel, name, None)
            if original is None:
                continue
            _originals[name] = original
            setattr(cl.Kernel, name, _wrap_set_arg(original) if name == "set_arg" else _wrap_multi(name, original))


def remove(listener: Listener) -> None:
    with _lock:
        _listeners.remove(listener)
        if _listeners:
            return
        _cl.enqueue_nd_range_kernel = cl.enqueue_nd_range_kernel = _originals.pop("enqueue_nd_range_kernel")
        for name in [*_originals]:
            setattr(cl.Kernel, name, _originals.pop(name))
        _arguments.clear()
