"""attach_kills.py -- Attachers that are killed at any moment: do the processes go on unharmed?

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import glob
import os
import random
import signal
import subprocess
import time

import attach_cycles
import attach_targets

HOLD_MS = 15
SETTLED_S = 60


def all_descendants(pid):
    found = attach_targets.children(pid)
    for child in list(found):
        found += all_descendants(child)
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def is_free(pid):
    """Tells whether no thread of a process stands, and none is traced."""
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        text = attach_cycles.read_text(path)
        if "\nTracerPid:\t0\n" not in text and text or "\nState:\tt" in text or \
           "\nState:\tT" in text:
            return False
    return True


def wait_for_tracer(pid, attacher):
    """Returns the tracer when the process is traced, as it is during a pause; 0 if it never is."""
    while attacher.poll() is None:
        tracer = attach_cycles.status(pid, "TracerPid")
        if tracer not in ("", "0"):
            return int(tracer)
    return 0


class Kills:
    """Kills the attacher, the process that holds the threads, or all of memusage."""

    def __init__(self, directory, seed):
        self.directory, self.random = directory, random.Random(seed)
        self.killed = self.in_pause = self.recorded = 0
        self.harm = []

    def wait_for_moment(self, pid, attacher):
        """Most moments are in a pause, at the attach or the detach; the others anywhere."""
        if self.random.random() < 0.3:
            time.sleep(self.random.random() * 0.2)
            return 0
        tracer = wait_for_tracer(pid, attacher)
        if tracer and self.random.random() < 0.4:
            while attach_cycles.status(pid, "TracerPid") not in ("", "0"):
                pass
            tracer = wait_for_tracer(pid, attacher)
        end = time.monotonic() + self.random.random() * 0.003
        while time.monotonic() < end:
            pass
        return tracer

    def kill_once(self, pid):
        attacher = subprocess.Popen(
            ["memusage", f"--attach={pid}", f"--duration={HOLD_MS}ms", "-q", "-o", "report",
             "--top"], cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        tracer = self.wait_for_moment(pid, attacher)
        how = self.random.randrange(3)
        self.in_pause += attach_cycles.status(pid, "TracerPid") not in ("", "0")
        self.killed += attacher.poll() is None
        others = all_descendants(attacher.pid)
        if tracer and how == 0:
            kill(tracer)
        else:
            kill(attacher.pid)
            for one in others if how == 1 else []:
                kill(one)
        attacher.wait()
        self.recorded += any("memfd:memusage" in one[3] for one in attach_cycles.mappings(pid))

    def run_once(self, name):
        target = attach_targets.find(name)(self.directory)
        target.begin()
        pid = target.choose()
        try:
            self.kill_once(pid)
            if not attach_targets.wait_until(lambda: is_free(pid), SETTLED_S):
                self.harm.append(f"{name} stands")
            time.sleep(0.1)
        finally:
            right, wrong, _ = target.end()
        if wrong or not right:
            self.harm.append(f"{name}: {right} right, {wrong} wrong, "
                             f"status {target.program.returncode}")

    def figures(self):
        return (f"killed={self.killed} in_pause={self.in_pause} still_recorded={self.recorded} "
                f"harmed={len(self.harm)}")
