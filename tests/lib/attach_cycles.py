"""attach_cycles.py -- A recorder that comes to a process and goes, and what it leaves behind.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import glob
import hashlib
import os
import re
import subprocess

UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1000}
CODE_MOST = 16 << 20  # bytes of a mapping whose code is compared
CYCLE_MOST = 120  # seconds


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def mappings(pid):
    """Yields start, end, protection and name."""
    for line in read_text(f"/proc/{pid}/maps").splitlines():
        words = line.split(None, 5)
        start, end = (int(word, 16) for word in words[0].split("-"))
        yield start, end, words[1], words[5] if len(words) > 5 else ""


def status(pid, name):
    found = re.search(rf"^{name}:\s*(\S+)", read_text(f"/proc/{pid}/status"), re.M)
    return found.group(1) if found else ""


def descriptors(pid):
    names = []
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            names.append(f"{os.path.basename(link)} {os.readlink(link)}")
        except OSError:
            pass
    return sorted(names)


def lasting_state(pid):
    """What stays as it is while a process works: signals, and the code of its files."""
    code = {}
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end, protection, name in mappings(pid):
            if "x" in protection and name.startswith("/") and end - start <= CODE_MOST:
                try:
                    memory.seek(start)
                    text = memory.read(end - start)
                    if len(text) == end - start:  # else it was unmapped meanwhile
                        code[start, name] = hashlib.sha1(text).hexdigest()
                except OSError:
                    pass
    return {"code": code, "SigCgt": status(pid, "SigCgt"), "SigIgn": status(pid, "SigIgn")}


def whole_state(pid):
    """What stays as it is while a process sleeps; its size is that of its mappings. One that waits
    for asynchronous input makes its queue anew each time."""
    state = lasting_state(pid)
    state["maps"] = [mapping[:3] for mapping in mappings(pid)
                     if not mapping[3].startswith("/[aio]")]
    state["descriptors"] = descriptors(pid)
    for name in ("VmLck", "Threads", "SigBlk", "SigPnd", "ShdPnd", "TracerPid"):
        state[name] = status(pid, name)
    return state


def differences(before, after):
    """Returns the names of what differs. Code that came or went is a library's."""
    found = [f"{name}: {before[name]} -> {after[name]}"[:500]
             for name in before if name != "code" and before[name] != after[name]]
    code = before["code"]
    found += [f"code of {place[1]}" for place in code
              if after["code"].get(place, code[place]) != code[place]]
    return found


def remains(pid):
    """Returns what is left in a process that nobody records."""
    found = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, _, protection, name in mappings(pid):
            if "memfd:memusage" in name:
                found.append(name)
            if name == "" and protection.startswith("r"):
                try:
                    memory.seek(start)
                    if memory.read(4) == b"\177ELF":
                        found.append(f"a library at {start:x}")
                except OSError:
                    pass
    found += [name for name in descriptors(pid) if "memfd:memusage" in name]
    if status(pid, "TracerPid") not in ("0", ""):
        found.append(f"traced by {status(pid, 'TracerPid')}")
    return found


def milliseconds(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


class Cycles:
    """Comes and goes; collects the pauses, what was refused, and what is not as before."""

    def __init__(self, directory, hold_ms=20, options=()):
        self.directory, self.hold_ms, self.options = directory, hold_ms, options
        self.attach, self.detach, self.refused, self.harm = [], [], [], []
        self.threads = self.done = 0
        self.must_end = False

    def run_once(self, pid):
        """Returns True if the process was recorded and left."""
        command = ["memusage", f"--attach={pid}", f"--duration={self.hold_ms}ms", "-v",
                   "-o", "report", *self.options]
        ended = subprocess.run(command, cwd=self.directory, capture_output=True, text=True,
                               errors="replace", timeout=CYCLE_MOST, check=False)
        self.done += 1
        began = re.search(r"its (\d+) threads? stood for ([\d.]+ \w+)", ended.stderr)
        left = re.search(r"without the recorder; it stood for ([\d.]+ \w+)", ended.stderr)
        if began:
            self.threads = max(self.threads, int(began.group(1)))
            self.attach.append(milliseconds(began.group(2)))
        if left:
            self.detach.append(milliseconds(left.group(1)))
        if ended.returncode != 0 or not began or not left:
            self.refused.append(f"{ended.returncode}: {ended.stderr.strip()[-300:]}")
        return bool(began and left)

    def run(self, choose, count, is_asleep=False):
        """choose() returns the process of each cycle, or 0 if it has none now."""
        for number in range(1, count + 1):
            if self.must_end:
                break
            pid = choose()
            if not pid:
                self.refused.append("no process")
                continue
            take = whole_state if is_asleep else lasting_state
            try:
                before = take(pid)
                gone = self.run_once(pid)
                found = differences(before, take(pid)) + (remains(pid) if gone else [])
            except OSError:
                found = []  # it has ended; its own answer tells whether it should have
            self.harm += [f"cycle {number}: {one}" for one in found]

    def figures(self):
        def row(values):
            values = sorted(values)
            if not values:
                return "-"
            return "%.1f/%.1f/%.1f" % (values[len(values) // 2],
                                       values[min(len(values) - 1, len(values) * 95 // 100)],
                                       values[-1])
        return (f"cycles={self.done} recorded={len(self.detach)} refused={len(self.refused)} "
                f"harm={len(self.harm)} threads={self.threads} attach_ms={row(self.attach)} "
                f"detach_ms={row(self.detach)}")
