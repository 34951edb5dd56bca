"""A real scheduler and real workers of Dask, as processes of this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from conftest import TREE, environment

_QUIET = ["--no-dashboard", "--host", "127.0.0.1"]


class DaskProcesses:
    """A scheduler, and as many workers as are asked for; all end with the `with`.

    Args:
        folder: for logs and what the processes write.
        tls: options that both programs take for TLS, empty for plain TCP.
    """

    def __init__(self, folder: Path, tls: tuple[str, ...] = ()):
        self.folder = folder
        self.workers: list[subprocess.Popen] = []
        self._tls = list(tls)
        self._everybody: list[subprocess.Popen] = []
        protocol = ["--protocol", "tls"] if tls else []
        self.log = folder / "scheduler.log"
        self.scheduler = self._start("scheduler", self.log, [*_QUIET, "--port", "0", *protocol, *self._tls])
        self.address = self._wait_for(r"Scheduler at:\s+(\S+)")

    def start_worker(self, *preload: str, threads: int = 1, **env: str) -> subprocess.Popen:
        """One more worker process; `preload` are modules of tests/ that are imported into it."""
        options = [*_QUIET, "--no-nanny", "--nthreads", str(threads), "--memory-limit", "0", *self._tls]
        for name in ("toys", *preload):
            options += ["--preload", name]
        log = self.folder / f"worker{len(self._everybody)}.log"
        worker = self._start("worker", log, [self.address, *options], **env)
        self.workers.append(worker)
        return worker

    def _start(self, program: str, log: Path, options: list[str], **env: str) -> subprocess.Popen:
        folder = self.folder / "dask"
        env = environment(DASK_TEMPORARY_DIRECTORY=str(folder), DASK_DISTRIBUTED__WORKER__USE_FILE_LOCKING="False", **env)
        env["DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH"] = "10"  # as docs/cluster.md advises
        env["PYTHONPATH"] = os.pathsep.join([str(TREE / "tests"), str(TREE / "benchmarks"), env["PYTHONPATH"]])
        with log.open("w") as file:
            command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *options]
            process = subprocess.Popen(command, stdout=file, stderr=file, env=env, cwd=self.folder)
        self._everybody.append(process)
        return process

    def _wait_for(self, pattern: str) -> str:
        ends = time.monotonic() + 30
        while time.monotonic() < ends and self.scheduler.poll() is None:
            if found := re.search(pattern, self.log.read_text()):
                return found[1]
            time.sleep(0.02)
        raise AssertionError(f"no scheduler: {self.log.read_text()}")

    def kill(self, process: subprocess.Popen) -> None:
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process in self.workers:
            self.workers.remove(process)

    def __enter__(self) -> DaskProcesses:
        return self

    def __exit__(self, *_) -> None:
        for process in self._everybody:
            process.kill()
        for process in self._everybody:
            process.wait()
