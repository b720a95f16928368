"""bounds.py -- Compares the bounds in a text report of a sampled recording with the JSON export.

    bounds.py list|tree REPORT JSON
    bounds.py page_MOMENT_WHAT LIST JSON

LIST is that of tests/lib/page_lists.mjs. The report is of the workload "sampled". Each place has one site, so its bounds are the JSON's; main
has all of them, so its variance is the sum of theirs. Exits with 1 and says what differs.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import math
import re
import sys

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
BOUNDS = r"(?:\+- (?P<both>[\d.,]+)|-(?P<below>[\d.,]+) \+(?P<above>[\d.,]+)|exact)"
BYTES = r"(?P<value>[\d.]+) (?P<unit>B|KiB|MiB|GiB)"
LIST_ROW = re.compile(rf"^ *{BYTES} +[\d.]+% +[\d,]+ +(?P<name>\w+)")
LIST_BOUNDS = re.compile(rf"^ *{BOUNDS} +(?P<blocks>\+- [\d,]+|-[\d,]+ \+[\d,]+|exact)(?: |$)")
TREE_ROW = re.compile(rf"^ *{BYTES} {BOUNDS} +[\d.]+%  (?P<name>\w+)")
MOMENT = {"live at the end": "live", "live when the heap was largest": "peak",
          "allocated in all": "total"}


def number(text):
    return float(text.replace(",", ""))


def limits(match, value, unit):
    both = match["both"]
    below, above = match["below"] or both or "0", match["above"] or both or "0"
    return value - number(below) * unit, value + number(above) * unit


def read_list(lines):
    rows = []
    for line, below in zip(lines, lines[1:]):
        row = LIST_ROW.match(line)
        bounds = LIST_BOUNDS.match(below)
        if not row:
            continue
        if not bounds:
            sys.exit(f"no bounds below: {line}")
        unit = UNITS[row["unit"]]
        value = float(row["value"]) * unit
        rows.append((row["name"], *limits(bounds, value, unit), unit, value))
    return rows


def read_tree(lines):
    rows = []
    for row in filter(None, map(TREE_ROW.match, lines)):
        unit = UNITS[row["unit"]]
        value = float(row["value"]) * unit
        rows.append((row["name"], *limits(row, value, unit), unit, value))
    return rows


def read_intervals(report, moment):
    names = [location["levels"][0]["function"] for location in report["locations"]]
    return {names[site["stack"][0]]: site["interval_95"][moment]
            for site in report["sites"] if site["stack"] and "interval_95" in site}


def check_page(lines, intervals, what, least):
    rows = [line.split() for line in lines if "place_" in line]
    for low, high, name in rows:
        want = intervals[name][what]
        # Variances are whole numbers of 4096 bytes squared, in the page.
        if abs(float(low) - want[0]) > 2 or abs(float(high) - want[1]) > 2:
            sys.exit(f"{name}: {low} to {high}, not {want}")
    if len(rows) < least:
        sys.exit(f"only {len(rows)} places")


def main():
    kind, text, export = sys.argv[1:]
    with open(text, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(export, encoding="utf-8") as file:
        report = json.load(file)
    if kind.startswith("page_"):
        moment, what = kind.split("_")[1:]
        # Not all places grow in the range that is shown, which is a part of the time.
        check_page(lines, read_intervals(report, "live" if moment == "end" else moment), what,
                   1 if moment == "growth" else 15)
        return
    moment = next(MOMENT[words] for words in MOMENT if any(words in line for line in lines))
    intervals = read_intervals(report, moment)
    rows = read_list(lines) if kind == "list" else read_tree(lines)
    seen = set()
    for name, low, high, unit, _ in rows:
        want = intervals.get(name, {}).get("bytes")
        if want and name.startswith("place_"):
            seen.add(name)
            # Three digits of the figure, and bounds that are rounded up.
            slack = 0.02 * unit + 0.012 * (abs(low) + abs(high)) + 0.02
            if abs(low - want[0]) > slack or abs(high - want[1]) > slack:
                sys.exit(f"{name}: {low} to {high}, not {want}")
    if len(seen) < 15:
        sys.exit(f"only {len(seen)} places")
    if kind == "list":
        # The upper bound may be less: no more than all that was asked for.
        value, low = next((row[4], row[1]) for row in rows if row[0] == "main")
        squares = sum(((i["bytes"][1] - i["bytes"][0]) / 2) ** 2
                      for i in intervals.values() if i["samples"] >= 10)
        half, digit = value - low, 0.1 * next(row[3] for row in rows if row[0] == "main")
        if not 0.97 * math.sqrt(squares) < half < 1.05 * math.sqrt(squares) + digit:
            sys.exit(f"main: - {half}, not {math.sqrt(squares)}")


main()
