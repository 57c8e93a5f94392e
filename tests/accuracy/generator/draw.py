# SPDX-License-Identifier: Apache-2.0
"""Random draws that are the same on every machine and in every version of Python."""

import math
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """One stream of draws for each name. Only Random.random() is used: its bits are documented
    to stay, those of choice() and randrange() are not."""

    def __init__(self, name: str) -> None:
        self._random = random.Random(name)

    def chance(self, share: float) -> bool:
        return self._random.random() < share

    def integer(self, low: int, high: int) -> int:
        """Uniform over low to high, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def log_integer(self, low: int, high: int) -> int:
        """Log-uniform over low to high, both included."""
        value = math.exp(self._random.random() * math.log((high + 1) / low)) * low
        return min(high, max(low, int(value)))

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.integer(0, len(choices) - 1)]

    def weighted(self, shares: Sequence[tuple[float, T]]) -> T:
        """One of the values; the shares need not add up to anything."""
        at = self._random.random() * sum(share for share, _ in shares)
        for share, value in shares:
            at -= share
            if at < 0:
                return value
        return shares[-1][1]
