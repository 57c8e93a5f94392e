# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices, segments and graphs."""

from functools import cache

import networkx
import numpy
import scipy.sparse
import scipy.sparse.csgraph
import scipy.spatial
import skimage.data
import sklearn.feature_extraction.text
from corpus import headers, licences, numbered, words

from folder import Folder, floats, integer, zeros

INT = numpy.int32
UNREACHED = 1 << 28


@cache
def words_of_lines() -> scipy.sparse.csr_array:
    """Which words each line of the texts has."""
    lines = [line for line in (licences() + headers()).decode("latin-1").splitlines() if line.strip()]
    count = sklearn.feature_extraction.text.CountVectorizer(token_pattern=r"[A-Za-z_]\w*")
    matrix = scipy.sparse.csr_array(count.fit_transform(lines))
    matrix.sort_indices()
    return matrix


def poisson(side: int, layers: int) -> scipy.sparse.csr_array:
    """Seven points of a Laplacian in three dimensions."""
    line = scipy.sparse.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(side, side))
    up = scipy.sparse.diags_array([1.0, 2.0, 1.0], offsets=[-1, 0, 1], shape=(layers, layers))
    one, one_up = scipy.sparse.eye_array(side), scipy.sparse.eye_array(layers)
    kron = scipy.sparse.kron
    return (kron(kron(up, one), one) + kron(kron(one_up, line), one) + kron(kron(one_up, one), line)).tocsr()


def csr_of(pairs: numpy.ndarray, nodes: int) -> scipy.sparse.csr_array:
    """The undirected graph of these pairs; each edge once, to both sides, sorted."""
    both = numpy.concatenate([pairs, pairs[:, ::-1]])
    matrix = scipy.sparse.coo_array((numpy.ones(len(both)), both.T), shape=(nodes, nodes)).tocsr()
    matrix.sort_indices()
    return matrix


def delaunay(points: numpy.ndarray) -> scipy.sparse.csr_array:
    """A triangulation, its points numbered in strips, so that neighbours are near."""
    points = points[numpy.lexsort((points[:, 0], (points[:, 1] * 256).astype(int)))]
    corner = scipy.spatial.Delaunay(points).simplices
    return csr_of(numpy.concatenate([corner[:, [0, 1]], corner[:, [1, 2]], corner[:, [0, 2]]]), len(points))


def ell(folder: Folder, name: str, matrix: scipy.sparse.csr_array, width: int) -> None:
    (rows, columns), vectors = matrix.shape, 4
    length = numpy.minimum(numpy.diff(matrix.indptr), width)
    column = numpy.full((width, rows), -1, INT)
    for k in range(width):
        column[k, length > k] = matrix.indices[matrix.indptr[:-1][length > k] + k]
    folder.case(
        name, "ell_product", [-(-rows // 128) * 128, vectors],
        [folder.buffer(f"{name}.ell", column), floats(width * rows), floats(vectors * columns),
         zeros(vectors * rows, "w"), integer(rows), integer(columns), integer(width)], [128, 1],
    )  # fmt: skip


def matrices(folder: Folder) -> None:
    random = folder.random
    grid = poisson(64, 48)
    lines = scipy.sparse.vstack([words_of_lines()] * 4, format="csr")
    rows = 1 << 17
    band = numpy.clip(numpy.arange(rows)[:, None] + random.integers(-40, 41, (rows, 1)) + numpy.arange(12), 0, rows - 1)
    band_length = numpy.where(numpy.arange(rows) % 512 < 64, 12, 2)
    banded = scipy.sparse.csr_array(
        (numpy.ones(band_length.sum()), band[numpy.arange(12) < band_length[:, None]],
         numpy.concatenate([[0], numpy.cumsum(band_length)])), shape=(rows, rows),
    )  # fmt: skip
    ell(folder, "poisson", poisson(80, 64), 7)
    ell(folder, "lines", lines, 12)
    ell(folder, "banded", banded, 12)
    coo, entries = words_of_lines().tocoo(), 1 << 20
    by_word = numpy.lexsort((coo.row, coo.col))
    orders = {
        "by_line": (coo.row, coo.col, coo.shape),
        "by_word": (coo.col[by_word], coo.row[by_word], coo.shape[::-1]),
    }
    for name, (row, column, shape) in orders.items():
        folder.case(
            name, "coo_product", entries,
            [folder.buffer(f"{name}.row", numpy.resize(row, entries).astype(INT)),
             folder.buffer(f"{name}.column", numpy.resize(column, entries).astype(INT)),
             floats(entries), floats(shape[1]), zeros(shape[0]), integer(entries)], 256,
        )  # fmt: skip
    lengths = numpy.minimum(random.zipf(1.8, 1 << 16), 2048)
    total = lengths.sum()
    column = numpy.resize(random.integers(0, 1 << 16, 1 << 18) & random.integers(0, 1 << 16, 1 << 18), total)
    start = numpy.concatenate([[0], numpy.cumsum(lengths)])
    hubs = scipy.sparse.csr_array((numpy.ones(total), column, start), shape=(1 << 16, 1 << 16))
    for name, matrix in {"lines": lines, "poisson": grid, "hubs": hubs}.items():
        rows, columns = matrix.shape
        start = folder.buffer(f"{name}.start", matrix.indptr.astype(INT))
        column = folder.buffer(f"{name}.columns", matrix.indices.astype(INT))
        folder.case(
            name, "csr_transposed", -(-rows // 64) * 64,
            [start, column, floats(matrix.nnz), floats(rows), zeros(columns), integer(rows)], 64,
        )  # fmt: skip
        if name == "poisson":
            continue
        folder.case(
            name, "csr_times_16", [16, -(-rows // 8) * 8],
            [start, column, floats(matrix.nnz), floats(16 * columns), zeros(16 * rows, "w"), integer(rows)], [16, 8],
        )  # fmt: skip


def segments(folder: Folder) -> None:
    random, count = folder.random, 1 << 14
    paragraphs = numpy.array([len(part) for part in (licences() + headers()).split(b"\n\n")])
    made = {
        "paragraphs": numpy.resize(paragraphs, count),
        "pareto": numpy.minimum(random.pareto(1.1, count) * 40, 1 << 15).astype(int),
        "mostly_none": numpy.where(random.random(count) < 0.05, 3000, 0),
    }
    for name, length in made.items():
        start = numpy.concatenate([[0], numpy.cumsum(length)]).astype(INT)
        folder.case(
            name, "segment_max", 64 * count,
            [folder.buffer(f"{name}.segment", start), floats(int(start[-1])), zeros(count, "w")], 64,
        )  # fmt: skip


def bigrams() -> scipy.sparse.csr_array:
    """Which word follows which, three times side by side."""
    word, distinct = numbered(words(licences() + headers()))
    once = csr_of(numpy.stack([word[:-1], word[1:]], 1), len(distinct))
    matrix = scipy.sparse.block_diag([once] * 3, format="csr")
    matrix.sort_indices()
    return matrix


def packed(of: numpy.ndarray) -> numpy.ndarray:
    """Rows of truths as rows of words of 32 bits."""
    of = numpy.pad(of, ((0, 0), (0, -of.shape[1] % 32)))
    return numpy.packbits(of, axis=1, bitorder="little").view(numpy.uint32)


def reached(graph: scipy.sparse.csr_array, sources: numpy.ndarray, unweighted: bool) -> numpy.ndarray:
    """A row of distances for each source."""
    far = scipy.sparse.csgraph.dijkstra(graph, indices=sources, unweighted=unweighted)
    return numpy.where(numpy.isfinite(far), far, UNREACHED).astype(INT)


def level_of(far: numpy.ndarray, share: float) -> numpy.ndarray:
    """For each row, the distance within which this share of what is reached lies."""
    return numpy.array([[numpy.quantile(row[row < UNREACHED], share)] for row in far]).astype(INT)


def graphs(folder: Folder) -> None:
    random = folder.random
    clustered = networkx.powerlaw_cluster_graph(1 << 16, 5, 0.4, seed=folder.seed)
    cliques = networkx.relaxed_caveman_graph(5120, 16, 0.08, seed=folder.seed)
    made = {
        "roads": delaunay(random.random((1 << 17, 2))),
        "social": networkx.to_scipy_sparse_array(clustered, format="csr"),
        "bigrams": bigrams(),
        "cliques": networkx.to_scipy_sparse_array(cliques, format="csr"),
    }
    for name, graph in made.items():
        graph.sort_indices()
        nodes = graph.shape[0]
        wide = -(-nodes // 128) * 128
        start = folder.buffer(f"{name}.start_of", graph.indptr.astype(INT))
        target = folder.buffer(f"{name}.target", graph.indices.astype(INT))
        if name != "cliques":
            degree = numpy.maximum(numpy.diff(graph.indptr), 1).astype(INT)
            folder.case(
                name, "pagerank_pull", [wide, 8],
                [start, target, folder.buffer(f"{name}.degree", degree), floats(8 * nodes), zeros(8 * nodes, "w"),
                 integer(nodes)], [128, 1],
            )  # fmt: skip
        if name != "bigrams":
            hops = reached(graph, random.integers(0, nodes, 16), True)
            now = level_of(hops, {"roads": 0.5, "social": 0.02, "cliques": 0.8}[name])
            folder.case(
                name, "find_parent", [wide, 16],
                [start, target, folder.buffer(f"{name}.visited", packed(hops <= now)),
                 folder.buffer(f"{name}.frontier", packed(hops == now)), zeros(16 * nodes), integer(nodes)], [128, 1],
            )  # fmt: skip
            common(folder, name, graph, start, target)
        if name in ("roads", "social"):
            length = random.integers(1, 5, graph.nnz).astype(INT)
            graph.data = length.astype(float)
            far = reached(graph, random.integers(0, nodes, 4), False)
            low, high = level_of(far, 0.3), level_of(far, 0.75)
            folder.case(
                name, "relax_edges", [wide, 4],
                [start, target, folder.buffer(f"{name}.length", length),
                 folder.buffer(f"{name}.changed", ((far >= low) & (far <= high)).astype(numpy.uint8)),
                 folder.buffer(f"{name}.distance", numpy.where(far <= high, far, UNREACHED).astype(INT), "rw"),
                 integer(nodes)], [128, 1],
            )  # fmt: skip
        if name != "roads":
            decided = random.random((6, nodes)) < (0.8 if name == "social" else 0.1)
            folder.case(
                name, "independent_set", [wide, 6],
                [start, target, folder.buffer(f"{name}.decided", decided.astype(numpy.uint8)), zeros(6 * nodes),
                 integer(nodes)], [64, 1],
            )  # fmt: skip


def common(folder: Folder, name: str, graph: scipy.sparse.csr_array, start: dict, target: dict) -> None:
    edge = numpy.stack([numpy.repeat(numpy.arange(graph.shape[0]), numpy.diff(graph.indptr)), graph.indices], 1)
    edge = edge[edge[:, 0] < edge[:, 1]].astype(INT)
    folder.case(
        name, "common_neighbours", -(-len(edge) // 256) * 256,
        [folder.buffer(f"{name}.edge", edge), start, target, zeros(len(edge), "w"), integer(len(edge))], 256,
    )  # fmt: skip


def components(folder: Folder) -> None:
    """Pixels joined along rows, then each run to the run above: chains as a first pass leaves them."""
    made = {
        "horse": ~numpy.tile(skimage.data.horse()[:320, :400], (2, 2)),
        "blobs": skimage.data.binary_blobs(640, 0.05, volume_fraction=0.55, rng=folder.seed),
    }
    for name, picture in made.items():
        height, width = picture.shape
        number = numpy.arange(height * width).reshape(height, width)
        joined = numpy.zeros_like(picture)
        joined[:, 1:] = picture[:, 1:] == picture[:, :-1]
        first = numpy.maximum.accumulate(numpy.where(joined, 0, number), axis=1)
        above = numpy.roll(first, 1, axis=0)
        same = picture == numpy.roll(picture, 1, axis=0)
        same[0] = False
        parent = numpy.where(joined, first, numpy.where(same, above, number)).astype(INT)
        edge = numpy.stack([number[1:], number[:-1]], -1)[picture[1:] == picture[:-1]].astype(INT)
        folder.case(
            name, "edge_roots", -(-len(edge) // 128) * 128,
            [folder.buffer(f"{name}.pairs", edge), folder.buffer(f"{name}.parents", parent), zeros(2 * len(edge), "w"),
             integer(len(edge))],
        )  # fmt: skip
