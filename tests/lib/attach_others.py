"""attach_others.py -- The same processes recorded by heaptrack -p, and by memusage --attach, once each.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import glob
import os
import signal
import subprocess
import time

import attach_cycles
import attach_targets

RECORDED_S = 3
ENDED_S = 60
WRITTEN_S = 30
EVENTS_BYTES = 50000  # a file without events has less


def record_with_heaptrack(pid, directory):
    """Returns whether events of the process were recorded."""
    log = f"{directory}/log"
    with open(log, "w", encoding="utf-8") as output:
        tool = subprocess.Popen(
            ["heaptrack", "-r", "-o", "other", "-p", str(pid)], cwd=directory,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    attach_targets.wait_until(lambda: "injection finished" in attach_cycles.read_text(log),
                              ENDED_S)
    time.sleep(RECORDED_S)
    # As Ctrl-C in a terminal does.
    os.killpg(tool.pid, signal.SIGINT)
    try:
        tool.wait(ENDED_S)
    except subprocess.TimeoutExpired:
        os.killpg(tool.pid, signal.SIGKILL)
        tool.wait()
    # Its compressor ends after it.
    return attach_targets.wait_until(
        lambda: any(os.path.getsize(name) > EVENTS_BYTES
                    for name in glob.glob(f"{directory}/other.*")), WRITTEN_S)


def record_with_memusage(pid, directory):
    ended = subprocess.run(["memusage", f"--attach={pid}", f"--duration={RECORDED_S}s", "--top",
                            "-q", "-o", "report"], cwd=directory, capture_output=True, check=False)
    try:
        with open(f"{directory}/report", encoding="utf-8") as file:
            return ended.returncode == 0 and "allocated by" in file.read()
    except OSError:
        return False


TOOLS = {"heaptrack": record_with_heaptrack, "memusage": record_with_memusage}


def compare(name, tool, times, make_directory):
    """Prints how often it came in, whether the process was right and went on, and the slowest answer."""
    came = harmed = 0
    slowest = []
    for _ in range(times):
        directory = make_directory()
        target = attach_targets.find(name)(directory)
        target.begin()
        time.sleep(1)
        target.slowest = 0
        came += TOOLS[tool](target.choose(), directory)
        time.sleep(0.5)
        _, wrong, most = target.end()
        harmed += wrong > 0
        slowest.append(most)
    slowest.sort()
    print(f"{name} {tool}: tried={times} came_in={came} harmed={harmed} "
          f"slowest_ms={slowest[len(slowest) // 2]:.0f}/{slowest[-1]:.0f} "
          f"load={os.getloadavg()[0]:.1f}", flush=True)
    return harmed
