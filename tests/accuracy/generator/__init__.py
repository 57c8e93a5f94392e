# SPDX-License-Identifier: Apache-2.0
"""Random kernels that are valid and in bounds by construction; see ../generate and ../README.md."""

# What a seed means changes with this number, and with nothing else.
VERSION = 1
