# SPDX-License-Identifier: Apache-2.0
"""What a change is to whoever reads of it: a rule, a sentence, a place."""

from __future__ import annotations

from typing import Callable, Mapping

from ..values import Launch, WhatIf
from .places import Place, Places

# by rule: what it is in general; docs/advice.md has a section of each
RULES: Mapping[str, str] = {
    "native": "A native function takes less time where precision allows it.",
    "macro": "An argument that the compiler knows makes shifts and products of divisions.",
    "unroll": "An unrolled loop has fewer branches and more loads on their way at once.",
    "exchange": "The first dimension of the NDRange has neighbours, which should access neighbouring data.",
    "layout": "Neighbouring work-items should access neighbouring data: arrays of components, rows that are columns.",
    "align": "A warp's access should begin where a line of memory does.",
    "stage": "What work-items of a group read alike is read once into local memory.",
    "tile": "A tile in local memory turns accesses along columns into ones along rows.",
    "skew": "Elements that lie in the same bank are parted by a pad: behind each row of banks, or in each structure.",
    "near": "An array of a work-item that registers cannot hold lies in global memory; a group's fit into local memory.",
    "groups": "A loop by all work-items takes as many as fill the device.",
    "banks": "Rows of an array in local memory that are padded by an element lie in different banks.",
    "pitch": "Rows that are a power of two apart share sets of a cache; padded rows do not.",
    "converge": "Work-items that go the same way should be of the same warp.",
    "constant": "Small data that all work-items read at one place belong in constant memory.",
    "table": "A small table that data choose places of, or count in, belongs in local memory while a group uses it.",
    "keep": "What a loop stores to one place again and again is kept in a variable until its end.",
    "group": "Another shape of the work-group fills the device better.",
    "block": "A work-item with several results reads once what they have in common.",
    "width": "A work-item that loads and stores vectors takes fewer instructions for each element.",
    "turns": "Fewer work-items that each do more cost less to begin.",
    "spread": "Work-items that share a loop fill the device, and read what lies beside each other.",
    "reserve": "Local memory that a group does not use keeps other groups from running beside it.",
    "tree": "A tree of sums goes by its first half, so that those who add fill warps, and read what lies beside each other.",
    "quotient": "A CPU has no vectors of divisions of integers, but of floats.",
    "beside": "Elements of a record that lie beside each other are one vector.",
    "strip": "A loop that adds up elements which lie beside each other loads vectors of them.",
    "select": "A loop that is unrolled and left early branches in each iteration; values that are chosen do not.",
    "remainder": "A CPU has no vectors of fmod and remainder, but of the arithmetic that they stand for.",
    "chunk": "A CPU's core takes one work-item after the other: data of one work-item should lie beside each other.",
    "direct": "To a CPU local memory is memory as any other: to copy into it, and to wait for the group, brings nothing.",
    "sums": "Several sums of a loop, added up behind it, do not wait for each other, and are a vector to a CPU.",
    "window": "Overlapping windows of neighbours come through one tile in local memory.",
    "image": "What work-items read near each other in two dimensions lies near in an image.",
    "balance": "A warp goes on until the last of its work-items has done all of its iterations.",
    "vectorise": "What keeps a CPU's compiler from vectors of work-items costs more than it does by itself.",
    "options": "A build option allows the compiler what costs time otherwise.",
    "float": "A literal without the suffix f is a double, and so is what is computed with it.",
    "pinned": "Copies from memory that the driver allocated are faster.",
    "copies": "One large copy takes less time than several small ones.",
    "overlap": "Copies of one part and the kernel of another run at the same time.",
    "fuse": "Launches that take longer to begin than to run are better one.",
}

_ALIKE = {"exchange", "layout", "tile"}  # cures of one ill: the best of them is told

_OF_SIZE = {"block", "strip", "turns", "width"}  # how much a work-item does at once: the best is told


def is_of_size(rule: str) -> bool:
    return rule in _OF_SIZE


def is_cure_of_strides(rule: str) -> bool:
    return rule in _ALIKE


def shape_of(what_if: WhatIf) -> str:
    """Of a work-group: "64x4"."""
    bits = [what_if.place >> (8 * d) & 0xFF for d in range(3)]
    sizes = [1 << one for one in bits]
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    return ",".join(map(str, sizes))


def _bytes(value: float) -> str:
    return f"{value:.0f} byte{'' if round(value) == 1 else 's'}"


def _native(one: WhatIf, launch: Launch) -> str:
    if one.name == "/":
        return "native_divide instead of / takes less time, if its precision is enough"
    name = {"sincos.sin": "native_sin and native_cos instead of sincos take",
            "pow": "native_powr instead of pow, where the base is not negative, takes"}  # fmt: skip
    return f"{name.get(one.name, f'native_{one.name} instead of {one.name} takes')} less time, if its precision is enough"


def _macro(one: WhatIf, launch: Launch) -> str:
    value = int(one.detail)
    is_power = value > 0 and value & (value - 1) == 0
    how = f"shifts by {value.bit_length() - 1} and a mask" if is_power else "a multiplication and a shift"
    return f"division by {one.name} becomes {how} where the compiler knows that it is {value}: a macro in place of the argument"


def _unroll(one: WhatIf, launch: Launch) -> str:
    return "unroll the loop: #pragma unroll" if one.detail < 2 else f"unroll the loop {one.detail:.0f} times: #pragma unroll {one.detail:.0f}"


def _banks(one: WhatIf, launch: Launch) -> str:
    return f"pad the rows of {one.name} by an element: up to {one.detail:.0f} work-items of a warp access one bank"


def _skew(one: WhatIf, launch: Launch) -> str:
    how = (
        f"pad the structures of {one.name} by a word, or have an array for each component"
        if one.is_sure
        else f"leave an element of {one.name} out after each row of banks, [i + i / 32]"
    )
    return f"{how}: up to {one.detail:.0f} work-items of a warp access one bank"


def _dimension(one: WhatIf) -> str:
    return f"dimension {one.place & 0xFF} of the NDRange"


def _spread(one: WhatIf, launch: Launch) -> str:
    who = f"{one.detail:.0f} work-items, a part of the group apart," if one.place >> 31 else f"{one.detail:.0f} neighbouring work-items"
    return f"let {who} share this loop, each 1 of {one.detail:.0f} iterations, and add up what they have in local memory"


def _width(one: WhatIf, launch: Launch) -> str:
    count = str(one.place >> 8)
    how = f"arguments that point to vectors of {count}" if one.is_sure else f"vload{count} and vstore{count}"
    return f"let a work-item compute {count} neighbouring results: {how}, and 1/{count} of the work-items"


def _beside(one: WhatIf, launch: Launch) -> str:
    how = f"by a pointer to vectors of {one.detail:.0f}" if one.is_sure else f"vload{one.detail:.0f}"
    return f"load the {one.detail:.0f} elements that this loop reads as one vector, {how}, and compute with its components"


def _strip(one: WhatIf, launch: Launch) -> str:
    how = f"by a pointer to vectors of {one.detail:.0f}" if one.is_sure else f"vload{one.detail:.0f}"
    return f"add up {one.detail:.0f} elements that lie beside each other in each iteration of this loop, {how}, and the components behind it"


_SENTENCES: Mapping[str, Callable[[WhatIf, Launch], str]] = {
    "native": _native,
    "macro": _macro,
    "unroll": _unroll,
    "exchange": lambda one, launch: "exchange dimensions 0 and 1 of the NDRange: neighbouring work-items "
    f"access data {_bytes(abs(one.detail))} apart",
    "layout": lambda one, launch: f"lay {one.name} out so that neighbouring work-items access neighbouring elements: "
    f"they are {_bytes(abs(one.detail))} apart",
    "align": lambda one, launch: f"let accesses to {one.name} begin where a line does: they are {_bytes(one.detail)} off",
    "stage": lambda one, launch: "load what the group's work-items read alike in this loop into local memory, a tile at a time",
    "tile": lambda one, launch: f"go through a tile in local memory, so that neighbours access neighbouring elements of {one.name}: "
    f"they are {_bytes(abs(one.detail))} apart",
    "banks": _banks,
    "skew": _skew,
    "groups": lambda one, launch: f"launch {one.detail:.0f} times as many work-groups, among which this loop is shared, "
    "and add up what they have by atomics or in a second launch",
    "near": lambda one, launch: f"let the group have its work-items' {one.name} in local memory, {_bytes(one.detail)}, "
    f"{one.name}[k * group + lane]: what places of it are accessed is not known to the compiler",
    "pitch": lambda one, launch: f"pad the rows of {one.name}: they are {_bytes(one.detail)} apart, and share parts of a cache",
    "converge": lambda one, launch: "let whole warps take this branch: "
    f"{100 * one.detail:.0f} % of the work-items work in a warp that takes it",
    "constant": lambda one, launch: f"make {one.name} __constant: all work-items of a warp read the same place of its {_bytes(one.detail)}",
    "table": lambda one, launch: f"let each group have {one.name} in local memory while it uses its {_bytes(one.detail)}, "
    "loaded at first where it is read, added to the buffer at last where work-items count in it",
    "keep": lambda one, launch: "keep what this loop stores to one place in a variable, and store it behind the loop",
    "group": lambda one, launch: f"use work-groups of {shape_of(one).replace(',', 'x')}: --local {shape_of(one)}",
    "block": lambda one, launch: f"let a work-item compute {one.detail:.0f} results, a part of {_dimension(one)} apart, "
    "so that it reads once what they share",
    "width": _width,
    "turns": lambda one, launch: f"let a work-item compute {one.detail:.0f} results, one after the other: "
    f"1/{one.detail:.0f} of the work-items, in a loop by the NDRange's size",
    "spread": _spread,
    "tree": lambda one, launch: f"let partners lie {one.detail / 2:.0f} elements apart first, then half as far: "
    "if (lane < apart) x[lane] += x[lane + apart], which rounds otherwise",
    "quotient": lambda one, launch: "divide as floats, (int)((float)a / (float)b), if numbers are below 2^23: "
    "no vector divides integers",
    "beside": _beside,
    "strip": _strip,
    "select": lambda one, launch: "choose values in each iteration, x = done ? x : next, and leave the loop by its counter alone: "
    "a warp branches in each unrolled iteration",
    "remainder": lambda one, launch: "compute remainders by arithmetic, x - y * trunc(x / y) for fmod, with rint for remainder, "
    "if quotients are small enough: each work-item calls a function, which no vector does",
    "chunk": lambda one, launch: f"let each work-item go through {one.detail:.0f} neighbouring elements in this loop, "
    "not through those a whole NDRange apart",
    "direct": lambda one, launch: f"read the buffer itself instead of {one.name}, which only holds a copy of it: "
    "a CPU's caches do, too",
    "sums": lambda one, launch: f"add up in {one.detail:.0f} sums, each of every {one.detail:.0f}th iteration, or a float{one.detail:.0f}, "
    "and add those behind the loop: each addition waits for the one before",
    "reserve": lambda one, launch: f"make {one.name} as small as what a group uses of it: {_bytes(one.detail)}",
    "window": lambda one, launch: f"load what the group's windows of {one.name} cover, {_bytes(one.detail)}, into local memory first",
    "image": lambda one, launch: f"read {one.name} as an image of {one.detail:.0f} texels a row: "
    "what lies near in two dimensions lies near in its memory, too",
    "balance": lambda one, launch: "sort or bin the work, so that the work-items of a warp have as many iterations of this loop: "
    f"a warp goes {one.detail:.1f} times as often through it as its work-items do",
    "vectorise": lambda one, launch: f"avoid {one.name} in this kernel: it keeps the compiler from vectors of work-items",
}  # fmt: skip


def sentence_of(what_if: WhatIf, launch: Launch) -> str:
    made = _SENTENCES.get(what_if.word)
    return made(what_if, launch) if made else what_if.word


def place_of(what_if: WhatIf, places: Places) -> Place:
    if what_if.line > 0:
        return places.line(what_if.line)
    if what_if.word == "native":
        return places.call(what_if.name.split(".")[0])
    if what_if.word == "macro":
        return places.divisor(what_if.name)
    return places.kernel
