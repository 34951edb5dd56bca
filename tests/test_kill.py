"""A short version of kill_soak.py."""

from __future__ import annotations

import os

import pytest
from kill_soak import soak


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")
def test_kills_at_random_moments(tmp_path):
    kills = soak(6, seed=4, folder=str(tmp_path))
    assert sum(kills.values()) == 6 and min(kills.values()) >= 1
