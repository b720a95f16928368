"""peak_sums.py -- `peak_sums.py JSON MASSIF`: fails unless the sums of all places are the heap's.

In the JSON at the peak, in massif.out in each snapshot that has a tree. Estimates of places may be more
than was ever asked for, which is exact: the heap's own peak ends there.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import re
import sys


def peak_of_places(name):
    with open(name) as file:
        run = json.load(file)
    places = sum(site["peak_bytes"] for site in run["sites"])
    return min(places, run["heap_total"]), run["heap"]["peak"]


def snapshots(name):
    """Yields the heap of each snapshot and the bytes at the root of its tree."""
    heap = 0
    with open(name) as file:
        for line in file:
            match = re.match(r"mem_heap_B=(\d+)", line)
            heap = int(match[1]) if match else heap
            match = re.match(r"n\d+: (\d+) ", line)
            if match:
                yield int(match[1]), heap


pairs = [peak_of_places(sys.argv[1]), *snapshots(sys.argv[2])]
wrong = [pair for pair in pairs if pair[0] != pair[1]]
print(f"{len(pairs)} sums, wrong (places, heap): {wrong}")
sys.exit(bool(wrong) or len(pairs) < 3 or pairs[0][1] == 0)
