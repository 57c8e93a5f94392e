# SPDX-License-Identifier: Apache-2.0
"""Pictures, volumes and histograms of bytes."""

import numpy
import scipy.ndimage
import skimage.color
import skimage.data
import sklearn.datasets
from corpus import filled, headers

from folder import Folder, integer, real, zeros

BYTE = numpy.uint8
SIDE = 128


def grey(picture: numpy.ndarray) -> numpy.ndarray:
    return (255 * skimage.color.rgb2gray(picture)).astype(BYTE)


def volumes(folder: Folder) -> None:
    """A head of the phantom turned about its axis, and blobs."""
    phantom = skimage.data.shepp_logan_phantom()[::3, ::3][:SIDE, :SIDE]
    z, y, x = numpy.mgrid[:SIDE, :SIDE, :SIDE] - SIDE // 2
    radius = numpy.minimum(numpy.hypot(x, z), SIDE // 2 - 1).astype(int)
    blobs = skimage.data.binary_blobs(SIDE, 0.12, n_dim=3, volume_fraction=0.08, rng=folder.seed)
    made = {
        "head": 255 * numpy.clip(phantom[y + SIDE // 2, radius + SIDE // 2], 0, 1),
        "blobs": 200 * blobs,
    }
    for name, density in {"head": 0.0005, "blobs": 0.02}.items():
        volume = folder.buffer(f"{name}.volume", made[name].astype(BYTE))
        folder.case(
            name, "ray_march", [512, 512],
            [volume, zeros(1 << 18, "w"), integer(SIDE), integer(10), real(density)], [16, 8],
        )  # fmt: skip
    dense = skimage.data.binary_blobs(SIDE, 0.06, n_dim=3, volume_fraction=0.3, rng=folder.seed)
    solids = {"head": made["head"] > 60, "thicket": dense}
    for name, solid in solids.items():
        distance = numpy.minimum(scipy.ndimage.distance_transform_edt(~solid), 255).astype(BYTE)
        folder.case(
            name, "sphere_trace", [1024, 1024],
            [folder.buffer(f"{name}.distance", distance), zeros(1 << 20, "w"), integer(SIDE)], [8, 8],
        )  # fmt: skip


def pyramid(picture: numpy.ndarray, of) -> numpy.ndarray:
    """Levels 6 down to 1 of least or greatest values, one behind the other."""
    side = len(picture)
    blocks = [picture.reshape(side >> k, 1 << k, side >> k, 1 << k) for k in range(6, 0, -1)]
    return numpy.concatenate([of(block, axis=(1, 3)).ravel() for block in blocks]).astype(BYTE)


def pictures(folder: Folder) -> None:
    random = folder.random
    retina = skimage.data.retina()[180:1204, 180:1204, 1]
    static = numpy.tile(random.integers(0, 256, (256, 256)), (4, 4)).astype(BYTE)
    page = numpy.resize(skimage.data.page(), (1024, 384))
    page = numpy.tile(page, (1, 3))[:, :1024]
    reach = {"retina": (retina, 6), "page": (page, 40), "static": (static, 16)}
    for name, (picture, tolerance) in reach.items():
        folder.case(
            name, "line_extent", [1024, 1024],
            [folder.buffer(f"{name}.picture", picture), zeros(1 << 20, "w"), integer(1024), integer(tolerance)],
            [64, 2],
        )  # fmt: skip
    disparity = skimage.data.stereo_motorcycle()[2]
    disparity = numpy.tile(numpy.where(numpy.isfinite(disparity), disparity, 0), (2, 2))[:960, :1472]
    fields = {
        "motorcycle": (disparity.astype(int), 35),
        "static": (numpy.tile(static, (2, 2)), 40),
    }
    for name, (field, level) in fields.items():
        height, width = field.shape
        folder.case(
            name, "marching_squares", [width, height],
            [folder.buffer(f"{name}.field", field.astype(numpy.float32)), zeros(4 << 19), zeros(1), integer(width),
             integer(height), real(int(level) + 0.5), integer((1 << 19) - 1)], [32, 4],
        )  # fmt: skip
    astronaut = numpy.tile(grey(skimage.data.astronaut()), (2, 2))
    china = numpy.tile(grey(sklearn.datasets.load_sample_image("china.jpg"))[:424, :640], (6, 4))
    noise = numpy.tile(random.random((256, 256)), (10, 10))
    for name, (picture, share) in {"china": (china, 0.05), "astronaut": (astronaut, 0.7)}.items():
        drawn = noise[: picture.shape[0], : picture.shape[1]]
        picture = numpy.where(drawn < share, numpy.where(drawn < share / 2, 0, 255), numpy.clip(picture, 1, 254))
        folder.case(
            name, "mend_pixels", list(picture.shape[::-1]),
            [folder.buffer(f"{name}.broken", picture.astype(BYTE)), zeros(picture.size // 4, "w"),
             integer(picture.shape[1]), integer(picture.shape[0])], [32, 4],
        )  # fmt: skip
    gravel = numpy.tile(skimage.data.gravel(), (2, 2))
    trees = {"gravel": (gravel, 40), "retina": (retina, 12)}
    for name, (picture, tolerance) in trees.items():
        picture = numpy.tile(picture, (2, 2))
        folder.case(
            name, "quadtree_depth", [2048, 2048],
            [folder.buffer(f"{name}.least", pyramid(picture, numpy.min)),
             folder.buffer(f"{name}.greatest", pyramid(picture, numpy.max)), zeros(1 << 20, "w"), integer(2048),
             integer(tolerance)], [16, 16],
        )  # fmt: skip


def histograms(folder: Folder) -> None:
    size = 1 << 23
    made = {
        "code": filled(headers(), size),
        "logo": numpy.resize(skimage.data.logo(), size),
        "even": numpy.resize(folder.random.integers(0, 256, 1 << 18), size).astype(BYTE),
    }
    for name, byte in made.items():
        folder.case(
            name, "local_histogram", size // 32, [folder.buffer(f"{name}.bytes", byte), zeros(256), integer(32)], 256
        )
