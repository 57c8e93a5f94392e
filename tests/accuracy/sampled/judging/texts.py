# SPDX-License-Identifier: Apache-2.0
"""Tables, joins, texts and codes."""

import heapq

import numpy
import skimage.data
from corpus import filled, hashed, header, headers, licences, numbered, words

from folder import Folder, integer, zeros

INT = numpy.int32
UINT = numpy.uint32


def chains(folder: Folder, name: str, keys: numpy.ndarray, query: numpy.ndarray, buckets: int) -> None:
    head, following = numpy.full(buckets, -1, INT), numpy.full(len(keys), -1, INT)
    for i, at in enumerate((keys & (buckets - 1)).tolist()):
        following[i], head[at] = head[at], i
    folder.case(
        name, "chained_lookup", len(query),
        [folder.buffer(f"{name}.head", head), folder.buffer(f"{name}.next", following),
         folder.buffer(f"{name}.key", keys.astype(UINT)), folder.buffer(f"{name}.query", query.astype(UINT)),
         zeros(len(query), "w"), integer(buckets - 1, "uint")],
    )  # fmt: skip


def tables(folder: Folder) -> None:
    random = folder.random
    number, distinct = numbered(words(licences() + headers()))
    word = numpy.array([hashed(one) for one in distinct], numpy.int64)
    running = numpy.resize(word[number], 1 << 19)
    chains(folder, "running_text", word, running, 1 << 14)
    absent = numpy.resize(random.integers(1, 1 << 24, 1 << 16) * 37, 1 << 19)
    chains(folder, "absent", word, absent, 1 << 12)
    crowded = random.choice(1 << 20, 1 << 16, replace=False)
    chains(folder, "crowded", crowded, crowded[numpy.resize(random.integers(0, 1 << 16, 1 << 16), 1 << 17)], 1 << 12)
    made = {
        "running_text": (running, 1 << 15),
        "crowded": (numpy.resize(random.choice((1 << 23) - 1, 180_000, replace=False) + 1, 1 << 19), 1 << 18),
        "numbers": (numpy.arange(1, (1 << 19) + 1) * 3, 1 << 20),
    }
    for name, (keys, slots) in made.items():
        folder.case(
            name, "hash_insert", len(keys),
            [folder.buffer(f"{name}.inserted", keys.astype(UINT)), zeros(slots), zeros(len(keys), "w"),
             integer(slots - 1, "uint")],
        )  # fmt: skip


def joins(folder: Folder) -> None:
    random, count = folder.random, 1 << 17
    prose, _ = numbered(words(licences()))
    hot = numpy.minimum(random.zipf(1.25, count), 1 << 14)
    half, asked = random.permutation(count)[: count // 2], random.integers(0, count, count)
    made = {
        "foreign": (numpy.sort(half), numpy.resize(asked, 1 << 19)),
        "words": (numpy.sort(prose), numpy.resize(prose[::7], 1 << 17)),
        "hot": (numpy.sort(hot), random.integers(1, 1 << 10, count)),
        "apart": (numpy.arange(count) * 2, numpy.arange(2 * count)[::-1] + 2 * count),
    }
    for name, (left, right) in made.items():
        left_of = folder.buffer(f"{name}.left", left.astype(INT))
        folder.case(
            name, "sorted_join", len(right),
            [left_of, {"buffer": left_of["buffer"], "access": "r", "init": "rand_index:1000"},
             folder.buffer(f"{name}.right", right.astype(INT)), zeros(len(right), "w"), integer(len(left))], 64,
        )  # fmt: skip


def trie(of: list[bytes]) -> tuple[numpy.ndarray, numpy.ndarray]:
    children, ends = [[0] * 32], [0]
    for word in of:
        node = 0
        for letter in word.lower():
            after = children[node][letter - 97]
            if after == 0:
                after = len(children)
                children[node][letter - 97] = after
                children.append([0] * 32)
                ends.append(0)
            node = after
        ends[node] = 1
    return numpy.array(children, numpy.uint16), numpy.array(ends, numpy.uint8)


def strings(folder: Folder, name: str, text: numpy.ndarray, local: int) -> None:
    """Strings of a text whose separators are 0 already."""
    text[-1] = 0
    offset = numpy.concatenate([[0], numpy.flatnonzero(text == 0)[:-1] + 1]).astype(INT)
    folder.case(
        name, "string_hash", -(-len(offset) // local) * local,
        [folder.buffer(f"{name}.offset", offset), folder.buffer(f"{name}.string", text), zeros(len(offset), "w"),
         integer(len(offset))], local,
    )  # fmt: skip


def texts(folder: Folder) -> None:
    random, size = folder.random, 1 << 20
    children, ends = trie(words(licences(), rb"[A-Za-z]+"))
    child_of, ends_of = folder.buffer("prose.child", children), folder.buffer("prose.ends", ends)
    letters = random.integers(97, 123, 1 << 18).astype(numpy.uint8)
    made = {
        "prose": filled(licences(), size), "code": filled(header("sqlite3.h"), size),
        "letters": numpy.resize(letters, size),
    }  # fmt: skip
    for name, text in made.items():
        text_of = folder.buffer(f"{name}.text", text)
        folder.case(name, "trie_match", size, [text_of, child_of, ends_of, zeros(size // 4, "w"), integer(size)])
    lengths = numpy.minimum(random.lognormal(3.5, 1.2, 1 << 16), 4096).astype(int)
    mixed = numpy.resize(letters, (lengths + 1).sum())
    mixed[numpy.cumsum(lengths + 1) - 1] = 0
    breaks = filled(headers(), 4 << 20).copy()
    breaks[breaks == 10] = 0
    apart = b"\0".join(words(licences() + headers())) + b"\0"
    strings(folder, "words", filled(apart, 3 << 20).copy(), 128)
    strings(folder, "lines", breaks, 64)
    strings(folder, "lognormal", mixed, 128)
    _, distinct = numbered([word for word in words(headers()) if len(word) <= 24])
    distinct.sort()
    letter = numpy.zeros((len(distinct), 24), numpy.uint8)
    for i, word in enumerate(distinct):
        letter[i, : len(word)] = numpy.frombuffer(word, numpy.uint8)
    letter_of = folder.buffer("names.letters", letter)
    length_of = folder.buffer("names.length", numpy.array([len(word) for word in distinct], numpy.uint8))
    count = 1 << 16
    near = numpy.arange(count) % (len(distinct) - 1)
    pairs = {"neighbours": numpy.stack([near, near + 1], 1), "strangers": random.integers(0, len(distinct), (count, 2))}
    for name, pair in pairs.items():
        folder.case(
            name, "edit_distance", count,
            [letter_of, length_of, folder.buffer(f"{name}.pair", pair.astype(INT)), zeros(count // 4, "w"),
             integer(4)], 64,
        )  # fmt: skip


def huffman_tree(counts: numpy.ndarray) -> tuple[numpy.ndarray, list[tuple[int, int]]]:
    """Nodes (children; a leaf is the complement of its symbol), and each symbol's (bits, how many)."""
    waiting = [(int(count), symbol, ~symbol) for symbol, count in enumerate(counts) if count]
    heapq.heapify(waiting)
    made: list[tuple[int, int]] = []
    while len(waiting) > 1:
        a, b = heapq.heappop(waiting), heapq.heappop(waiting)
        heapq.heappush(waiting, (a[0] + b[0], 256 + len(made), len(made)))
        made.append((a[2], b[2]))
    nodes = [(x if x < 0 else len(made) - 1 - x, y if y < 0 else len(made) - 1 - y) for x, y in reversed(made)]
    code = [(0, 0)] * 256
    open_nodes = [(0, 0, 0)]
    while open_nodes:
        node, bits, depth = open_nodes.pop()
        for side, child in enumerate(nodes[node]):
            if child < 0:
                code[~child] = (bits | side << depth, depth + 1)
            else:
                open_nodes.append((child, bits | side << depth, depth + 1))
    return numpy.array(nodes, numpy.int16), code


def codes(folder: Folder) -> None:
    random, blocks = folder.random, 1 << 16
    camera = skimage.data.camera()
    made = {
        "prose": numpy.frombuffer(licences(), numpy.uint8),
        "differences": numpy.diff(camera.astype(int), axis=1, prepend=0).astype(numpy.uint8).ravel(),
        "even": random.integers(0, 256, 1 << 18).astype(numpy.uint8),
    }
    for name, symbols in made.items():
        symbols = symbols[: len(symbols) // 32 * 32]
        nodes, code = huffman_tree(numpy.bincount(symbols, minlength=256))
        stream, start = [], []
        for block in symbols.reshape(-1, 32).tolist():
            bits, count = 0, 0
            for symbol in block:
                bits |= code[symbol][0] << count
                count += code[symbol][1]
            start.append(len(stream))
            stream += numpy.frombuffer(bits.to_bytes(-(-count // 32) * 4, "little"), "<u4").tolist()
        starts = numpy.resize(numpy.array(start), blocks) + numpy.arange(blocks) // len(start) * len(stream)
        words_of = numpy.tile(numpy.array(stream, UINT), -(-blocks // len(start)))
        folder.case(
            name, "huffman_decode", blocks,
            [folder.buffer(f"{name}.stream", words_of), folder.buffer(f"{name}.block", starts.astype(INT)),
             folder.buffer(f"{name}.node", nodes), zeros(8 * blocks, "w")], 64,
        )  # fmt: skip
    pictures = {
        "text": numpy.tile(skimage.data.text() > 110, (16, 6)),
        "phantom": numpy.tile(skimage.data.shepp_logan_phantom() * 8, (8, 8)).astype(int),
    }
    for name, picture in pictures.items():
        pixel = picture.ravel().astype(numpy.uint8)
        start = numpy.concatenate([[0], numpy.flatnonzero(numpy.diff(pixel)) + 1])
        runs = len(start)
        folder.case(
            name, "run_expand", -(-runs // 128) * 128,
            [folder.buffer(f"{name}.run", numpy.append(start, len(pixel)).astype(INT)),
             folder.buffer(f"{name}.fill", pixel[start]), zeros(-(-len(pixel) // 4), "w"), integer(runs)],
        )  # fmt: skip
