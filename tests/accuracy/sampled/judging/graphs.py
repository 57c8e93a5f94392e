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
    rows = matrix.shape[0]
    length = numpy.minimum(numpy.diff(matrix.indptr), width)
    column = numpy.full((width, rows), -1, INT)
    for k in range(width):
        column[k, length > k] = matrix.indices[matrix.indptr[:-1][length > k] + k]
    folder.case(
        name, "ell_product", -(-rows // 128) * 128,
        [folder.buffer(f"{name}.ell", column), floats(width * rows), floats(rows), zeros(rows, "w"),
         integer(rows), integer(width)],
    )  # fmt: skip


def matrices(folder: Folder) -> None:
    random = folder.random
    lines, grid = words_of_lines(), poisson(64, 48)
    rows = 1 << 17
    band = numpy.clip(numpy.arange(rows)[:, None] + random.integers(-40, 41, (rows, 1)) + numpy.arange(12), 0, rows - 1)
    band_length = numpy.where(numpy.arange(rows) % 512 < 64, 12, 2)
    banded = scipy.sparse.csr_array(
        (numpy.ones(band_length.sum()), band[numpy.arange(12) < band_length[:, None]],
         numpy.concatenate([[0], numpy.cumsum(band_length)])), shape=(rows, rows),
    )  # fmt: skip
    ell(folder, "poisson", grid, 7)
    ell(folder, "lines", scipy.sparse.vstack([lines] * 3, format="csr"), 24)
    ell(folder, "banded", banded, 12)
    coo = lines.tocoo()
    by_word = numpy.lexsort((coo.row, coo.col))
    even = numpy.sort(random.integers(0, 4096, coo.nnz)), random.integers(0, 4096, coo.nnz)
    orders = {
        "by_line": (coo.row, coo.col, lines.shape),
        "by_word": (coo.col[by_word], coo.row[by_word], lines.shape[::-1]),
        "few_rows": (*even[::-1], (4096, 4096)),
    }
    for name, (row, column, shape) in orders.items():
        folder.case(
            name, "coo_product", -(-len(row) // 256) * 256,
            [folder.buffer(f"{name}.row", row.astype(INT)), folder.buffer(f"{name}.column", column.astype(INT)),
             floats(len(row)), floats(shape[1]), zeros(shape[0]), integer(len(row))], 256,
        )  # fmt: skip
    lengths = numpy.minimum(random.zipf(1.8, 1 << 16), 2048)
    hub = scipy.sparse.csr_array(
        (numpy.ones(lengths.sum()), random.integers(0, 1 << 16, lengths.sum()) & random.integers(0, 1 << 16, lengths.sum()),
         numpy.concatenate([[0], numpy.cumsum(lengths)])), shape=(1 << 16, 1 << 16),
    )  # fmt: skip
    for name, matrix in {"lines": lines, "poisson": grid, "hubs": hub}.items():
        rows, columns = matrix.shape
        start = folder.buffer(f"{name}.start", matrix.indptr.astype(INT))
        column = folder.buffer(f"{name}.columns", matrix.indices.astype(INT))
        folder.case(
            name, "csr_transposed", -(-rows // 64) * 64,
            [start, column, floats(matrix.nnz), floats(rows), zeros(columns), integer(rows)], 64,
        )  # fmt: skip
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
    """Which word follows which, four times side by side."""
    word, distinct = numbered(words(licences() + headers()))
    once = csr_of(numpy.stack([word[:-1], word[1:]], 1), len(distinct))
    matrix = scipy.sparse.block_diag([once] * 4, format="csr")
    matrix.sort_indices()
    return matrix


def packed(of: numpy.ndarray) -> numpy.ndarray:
    bits = numpy.zeros(-(-len(of) // 32) * 32, bool)
    bits[: len(of)] = of
    return numpy.packbits(bits, bitorder="little").view(numpy.uint32)


def graphs(folder: Folder) -> None:
    random = folder.random
    clustered = networkx.powerlaw_cluster_graph(1 << 16, 6, 0.4, seed=73019846)
    cliques = networkx.relaxed_caveman_graph(6144, 16, 0.08, seed=73019846)
    made = {
        "roads": delaunay(random.random((1 << 17, 2))),
        "social": networkx.to_scipy_sparse_array(clustered, format="csr"),
        "bigrams": bigrams(),
        "cliques": networkx.to_scipy_sparse_array(cliques, format="csr"),
    }
    share = {"roads": 0.5, "social": 0.02, "bigrams": 0.15, "cliques": 0.8}
    for name, graph in made.items():
        graph.sort_indices()
        nodes, entries = graph.shape[0], graph.nnz
        items = -(-nodes // 128) * 128
        degree = numpy.diff(graph.indptr).astype(INT)
        start = folder.buffer(f"{name}.start_of", graph.indptr.astype(INT))
        target = folder.buffer(f"{name}.target", graph.indices.astype(INT))
        folder.case(
            name, "pagerank_pull", items,
            [start, target, folder.buffer(f"{name}.degree", numpy.maximum(degree, 1)), floats(nodes), zeros(nodes, "w"),
             integer(nodes)],
        )  # fmt: skip
        hops = scipy.sparse.csgraph.shortest_path(graph, unweighted=True, indices=nodes // 3)
        hops = numpy.where(numpy.isfinite(hops), hops, UNREACHED).astype(INT)
        reached = numpy.sort(hops[hops < UNREACHED])
        now = int(reached[int(share[name] * (len(reached) - 1))])
        folder.case(
            name, "find_parent", items,
            [start, target, folder.buffer(f"{name}.visited", packed(hops <= now)),
             folder.buffer(f"{name}.frontier", packed(hops == now)), zeros(nodes), integer(nodes)],
        )  # fmt: skip
        if name != "cliques":
            length = random.integers(1, 17, entries).astype(INT)
            graph.data = length.astype(float)
            far = scipy.sparse.csgraph.dijkstra(graph, indices=nodes // 3)
            far = numpy.where(numpy.isfinite(far), far, UNREACHED).astype(INT)
            edge_of = numpy.quantile(far[far < UNREACHED], [0.3, 0.75])
            changed = (far >= edge_of[0]) & (far <= edge_of[1])
            known = numpy.where(far <= edge_of[1], far, UNREACHED).astype(INT)
            folder.case(
                name, "relax_edges", items,
                [start, target, folder.buffer(f"{name}.length", length),
                 folder.buffer(f"{name}.changed", changed.astype(numpy.uint8)),
                 folder.buffer(f"{name}.distance", known, "rw"), integer(nodes)],
            )  # fmt: skip
        if name != "bigrams":
            edge = numpy.stack([numpy.repeat(numpy.arange(nodes), degree), graph.indices], 1)
            edge = edge[edge[:, 0] < edge[:, 1]].astype(INT)
            folder.case(
                name, "common_neighbours", -(-len(edge) // 256) * 256,
                [folder.buffer(f"{name}.edge", edge), start, target, zeros(len(edge), "w"), integer(len(edge))], 256,
            )  # fmt: skip
        if name != "roads":
            decided = (random.random(nodes) < (0.7 if name == "social" else 0.1)).astype(numpy.uint8)
            folder.case(
                name, "independent_set", items,
                [start, target, folder.buffer(f"{name}.decided", decided), zeros(nodes), integer(nodes)],
            )  # fmt: skip


def components(folder: Folder) -> None:
    """Pixels joined along rows, then each run to the run above: chains as a first pass leaves them."""
    made = {
        "horse": ~numpy.tile(skimage.data.horse()[:320, :400], (2, 2)),
        "coins": numpy.tile(skimage.data.coins()[:300] > 100, (2, 2)),
        "blobs": skimage.data.binary_blobs(640, 0.05, volume_fraction=0.55, rng=73019846),
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
        edge = numpy.stack([number[1:].ravel(), number[:-1].ravel()], 1)[(picture[1:] == picture[:-1]).ravel()].astype(INT)
        folder.case(
            name, "edge_roots", -(-len(edge) // 128) * 128,
            [folder.buffer(f"{name}.pairs", edge), folder.buffer(f"{name}.parents", parent), zeros(2 * len(edge), "w"),
             integer(len(edge))],
        )  # fmt: skip
