# SPDX-License-Identifier: Apache-2.0
"""Pages that say how well predictions fit what was measured."""
