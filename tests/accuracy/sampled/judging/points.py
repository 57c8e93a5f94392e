# SPDX-License-Identifier: Apache-2.0
"""Particles, learning, orders, and iterations to convergence."""

import numpy
import scipy.spatial.distance
import skimage.data
import sklearn.cluster
import sklearn.datasets
import sklearn.ensemble

from folder import Folder, floats, integer, zeros

INT = numpy.int32
FLOAT = numpy.float32
BYTE = numpy.uint8


def particles(folder: Folder) -> None:
    random, side, count = folder.random, 128, 1 << 17
    blobs, _ = sklearn.datasets.make_blobs(
        count, 2, centers=24, cluster_std=5.0, center_box=(8, 120), random_state=folder.seed
    )
    made = {"even": random.random((count, 2)) * side, "blobs": blobs}
    for name, place in made.items():
        place = numpy.round(numpy.clip(place, 0, side - 1 / 32) * 32) / 32
        cell = place[:, 1].astype(int) * side + place[:, 0].astype(int)
        order = numpy.lexsort((place[:, 0], place[:, 1], cell))
        start = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(cell, minlength=side * side))])
        folder.case(
            name, "cell_forces", count,
            [folder.buffer(f"{name}.place", place[order].astype(FLOAT)),
             folder.buffer(f"{name}.cell", start.astype(INT)), zeros(2 * count, "w"), integer(side)], 64,
        )  # fmt: skip
    sizes = {
        "pareto": (random.integers(0, 1 << 16, count), numpy.minimum(random.pareto(1.2, count) * 6, 4096)),
        "crowd": (random.normal(1 << 15, 1 << 11, count), random.integers(1, 8, count)),
    }
    for name, (left, size) in sizes.items():
        left = numpy.sort(left.astype(int))
        bottom = 64 * random.integers(0, 1 << 6, count)
        box = numpy.stack([left, bottom, left + size, bottom + size], 1)
        folder.case(
            name, "sweep_boxes", count,
            [folder.buffer(f"{name}.box", box.astype(INT)), zeros(count, "w"), integer(count)],
        )  # fmt: skip


def bounded(folder: Folder, name: str, point: numpy.ndarray, centres: int, moved: float, times: int) -> None:
    """Bounds as after an iteration in which the centres moved by so much; `point` is there so many times."""
    fit = sklearn.cluster.KMeans(centres, n_init=1, max_iter=4, random_state=folder.seed).fit(point)
    centre = numpy.floor(fit.cluster_centers_ * 16 + 0.3719) / 16  # no mean of integers is a tie
    apart = numpy.sort(scipy.spatial.distance.cdist(point, centre), axis=1)
    point, apart = numpy.tile(point, (times, 1)), numpy.tile(apart, (times, 1))
    count = len(point) // 128 * 128
    bound = (numpy.round(apart[:count, :2] * 16) / 16).astype(FLOAT)
    folder.case(
        name, "assign_bounded", count,
        [folder.buffer(f"{name}.point", point[:count].T.astype(BYTE)),
         folder.buffer(f"{name}.centre", centre.astype(FLOAT)),
         folder.buffer(f"{name}.upper", bound[:, 0] + FLOAT(moved)),
         folder.buffer(f"{name}.lower", bound[:, 1] - FLOAT(moved)), zeros(count), integer(count),
         integer(point.shape[1]), integer(centres)],
    )  # fmt: skip


def forest(folder: Folder, name: str, sample, label, trees: int, count: int, depth: int | None = None) -> None:
    """Trees grown on a quarter of the samples, asked for all of them."""
    fit = sklearn.ensemble.RandomForestClassifier(trees, max_depth=depth, random_state=folder.seed)
    fit.fit(sample[::4], label[::4])
    feature, threshold, child, root, nodes = [], [], [], [], 0
    for one in (estimator.tree_ for estimator in fit.estimators_):
        leaf = one.children_left < 0
        root.append(nodes)
        feature.append(numpy.where(leaf, -1, one.feature))
        threshold.append(numpy.where(leaf, one.value[:, 0, 0], one.threshold))
        child.append(numpy.where(leaf[:, None], 0, nodes + numpy.stack([one.children_left, one.children_right], 1)))
        nodes += one.node_count
    given = numpy.resize(sample.astype(BYTE), (count, sample.shape[1]))
    folder.case(
        name, "forest_votes", count,
        [folder.buffer(f"{name}.sample", given),
         folder.buffer(f"{name}.feature", numpy.concatenate(feature).astype(numpy.int16)),
         folder.buffer(f"{name}.threshold", numpy.concatenate(threshold).astype(FLOAT)),
         folder.buffer(f"{name}.child", numpy.concatenate(child).astype(INT)),
         folder.buffer(f"{name}.root", numpy.array(root, INT)), zeros(count, "w"), integer(sample.shape[1]),
         integer(trees)],
    )  # fmt: skip


def kd_tree(points: numpy.ndarray) -> numpy.ndarray:
    """2^n - 1 points as a heap: the children of node i are 2i + 1 and 2i + 2."""
    tree = numpy.empty_like(points)
    waiting = [(0, 0, points)]
    while waiting:
        node, axis, part = waiting.pop()
        middle = len(part) // 2
        part = part[numpy.argpartition(part[:, axis], middle)]
        tree[node] = part[middle]
        if middle:
            axis = (axis + 1) % 3
            waiting += [(2 * node + 1, axis, part[:middle]), (2 * node + 2, axis, part[middle + 1 :])]
    return tree


def learning(folder: Folder) -> None:
    random = folder.random
    digits = sklearn.datasets.load_digits()
    blobs, _ = sklearn.datasets.make_blobs(
        1 << 14, 16, centers=48, cluster_std=20.0, center_box=(40, 215), random_state=folder.seed
    )
    flower = sklearn.datasets.load_sample_image("flower.jpg").reshape(-1, 3)
    bounded(folder, "digits", digits.data, 10, 3.0, 60)
    bounded(folder, "blobs", numpy.round(numpy.clip(blobs, 0, 255) / 4) * 4, 24, 12.0, 12)
    bounded(folder, "flower", flower[: 1 << 17].astype(float), 16, 4.0, 2)
    cancer = sklearn.datasets.load_breast_cancer()
    scaled = 255 * (cancer.data - cancer.data.min(0)) / numpy.ptp(cancer.data, axis=0)
    china = sklearn.datasets.load_sample_image("china.jpg")
    rows, columns = numpy.mgrid[: china.shape[0], : china.shape[1]]
    pixel = numpy.stack([china[..., 0], china[..., 2], rows // 2, columns // 3], -1).reshape(-1, 4)[: 1 << 17]
    forest(folder, "digits", digits.data, digits.target, 24, 1 << 16)
    forest(folder, "cancer", scaled, cancer.target, 24, 1 << 17)
    forest(folder, "china", pixel, china[..., 1].reshape(-1)[: 1 << 17] // 32, 8, 1 << 17, 14)
    count = (1 << 15) - 1
    made = {
        "even": (random.integers(0, 256, (count, 3)), random.integers(0, 256, (1 << 16, 3))),
        "colours": (flower[random.permutation(len(flower))[:count]], china.reshape(-1, 3)[: 1 << 17]),
    }
    for name, (point, query) in made.items():
        tree, asked = (numpy.pad(one, ((0, 0), (0, 1))).astype(FLOAT) for one in (kd_tree(point), query))
        folder.case(
            name, "kd_nearest", len(query),
            [folder.buffer(f"{name}.tree", tree), folder.buffer(f"{name}.asked", asked), zeros(len(query), "w"),
             integer(count)], 64,
        )  # fmt: skip


def orders(folder: Folder) -> None:
    random, count = folder.random, 1 << 21
    scattered = numpy.resize(random.integers(0, 1 << 16, 1 << 17), count)
    keys = {
        "scattered50": (scattered, 1 << 15),
        "ramp50": (numpy.arange(count) * (1 << 16) // count, 1 << 15),
        "coins": (numpy.resize(skimage.data.coins()[:, ::-1], count).astype(int) * 256, 110 * 256),
    }  # fmt: skip
    for name, (key, threshold) in keys.items():
        key_of = folder.buffer(f"{name}.key", key.astype(numpy.uint16))
        folder.case(
            name, "compact_queue", count, [key_of, zeros(count), zeros(1), integer(threshold), integer(count - 1)], 256
        )
    coffee = skimage.data.coffee().reshape(-1, 3)
    label = sklearn.cluster.KMeans(6, n_init=1, random_state=folder.seed).fit_predict(coffee[::40].astype(float))
    digits = sklearn.datasets.load_digits().target
    classes = {
        "coffee": numpy.repeat(label, 40), "digits": numpy.minimum(digits, 5),
        "sorted": numpy.repeat(numpy.arange(6), -(-(5 << 18) // 6)),
        "mostly_0": numpy.where(random.random(1 << 16) < 0.01, 4, 0),
    }  # fmt: skip
    for name, class_of in classes.items():
        items = 5 << 18
        given = folder.buffer(f"{name}.class", numpy.resize(class_of, items).astype(BYTE))
        folder.case(name, "work_by_class", items, [given, floats(items), zeros(items, "w")])
    rows = 1 << 18
    turned = numpy.arange(rows)
    bits = int(numpy.log2(rows))
    reversed_bits = sum((turned >> k & 1) << (bits - 1 - k) for k in range(bits))
    made = {
        "random": random.permutation(rows), "bits_reversed": reversed_bits,
        "blocks": (random.permutation(rows // 256)[:, None] * 256 + numpy.arange(256)).ravel(),
    }  # fmt: skip
    for name, order in made.items():
        folder.case(
            name, "permute_rows", 4 * rows,
            [folder.buffer(f"{name}.order", order.astype(INT)), floats(16 * rows), zeros(16 * rows, "w")], 256,
        )  # fmt: skip


def iterations(folder: Folder) -> None:
    random, count = folder.random, 1 << 20
    number = numpy.arange(1, count // 2 + 1)
    made = {
        "random": numpy.resize(random.integers(1, 1 << 31, (1 << 15, 2)), (count // 2, 2)),
        "powers": numpy.stack([1 << number % 31, 1 << number // 1024 % 31], 1),
    }
    for name, pair in made.items():
        pair_of = folder.buffer(f"{name}.numbers", pair.astype(numpy.uint32))
        folder.case(name, "common_divisor", len(pair), [pair_of, zeros(len(pair), "w")])
    planets = {
        "planets": numpy.array([0.2056, 0.0068, 0.0167, 0.0934, 0.0484, 0.0542, 0.0472, 0.0086]),
        "comets": 0.5 + 0.499 * random.random(1 << 15) ** 0.2,
    }
    for name, eccentricity in planets.items():
        folder.case(
            name, "kepler_solve", count,
            [folder.buffer(f"{name}.eccentricity", numpy.resize(eccentricity, count).astype(FLOAT)),
             {"buffer": 4 * count, "access": "r", "init": "rand_float:0:6.28"}, zeros(count, "w")],
        )  # fmt: skip
