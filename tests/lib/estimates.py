"""estimates.py -- Compares the estimates of sampled runs with what the program says of itself.

    estimates.py DIR COUNT [WHAT]

DIR has N.txt, the output of the program (place live_bytes live_blocks total_bytes total_blocks
early_bytes), and N.json, memusageprint --to=json, of COUNT runs with different seeds. For the bytes of
WHAT (live, total, or growth up to the early moment; default the first two) of all places it prints

    runs=COUNT places=N worst=Z at PLACE covered=PERCENT of=INTERVALS rarely=PERCENT

worst is the largest distance of a mean from the truth, in standard errors of that mean. covered is
how many intervals contain the truth, of places of which at least 20 samples are expected; rarely is
the same for the others. Of a recording of all blocks each figure must be the truth.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import json
import math
import sys

UNSEEN = 3.6889


def read_truth(name):
    truth = {}
    with open(name, encoding="ascii") as file:
        for line in file:
            place, *figures = line.split()
            truth[place] = dict(zip(("live", "live_blocks", "total", "total_blocks",
                                     "growth"),
                                    map(int, figures)))
    return truth


def read_estimates(name, places):
    """Returns R and, by place, the report's site; those that were never seen are left out."""
    with open(name, encoding="utf-8") as file:
        report = json.load(file)
    names = [location["levels"][0]["function"] for location in report["locations"]]
    sites = {}
    for site in report["sites"]:
        place = names[site["stack"][0]] if site["stack"] else None
        if place in places:
            sites.setdefault(place, []).append(site)
    return report.get("sampling", {}).get("first_bytes", 0), sites


class Place:
    def __init__(self, truth):
        self.truth = truth
        self.values = []
        self.hits = 0

    def add(self, distance, sites, what):
        self.values.append(sum(site[what + "_bytes"] for site in sites))
        low, high = 0, UNSEEN * distance
        if len(sites) == 1:
            low = high = sites[0][what + "_bytes"]
            if "interval_95" in sites[0]:
                # A site that had nothing yet has no growth.
                unseen = {"bytes": (0, UNSEEN * distance)}
                low, high = sites[0]["interval_95"].get(what, unseen)["bytes"]
        self.hits += low - 1 <= self.truth <= high + 1

    def score(self):
        count = len(self.values)
        mean = sum(self.values) / count
        if count == 1:
            return 0 if mean == self.truth else 99
        variance = sum((value - mean) ** 2 for value in self.values) / (count - 1)
        if variance == 0:
            # Never seen, or so nearly exact that all runs saw every block.
            return 0 if not any(self.values) or self.hits == count else 99
        return abs(mean - self.truth) / math.sqrt(variance / count)


def percent(places):
    runs = sum(len(place.values) for place in places)
    return 100 * sum(place.hits for place in places) / runs if runs else 100, runs


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    kinds = sys.argv[3:] or ["live", "total"]
    places = {}
    for run in range(1, count + 1):
        truth = read_truth(f"{folder}/{run}.txt")
        distance, sites = read_estimates(f"{folder}/{run}.json", truth)
        for name, figures in truth.items():
            for what in kinds:
                place = places.setdefault((name, what), Place(figures[what]))
                place.add(distance, sites.get(name, []), what)
    score, where = max((place.score(), key) for key, place in places.items())
    often = [place for place in places.values() if place.truth >= 20 * distance]
    covered, of = percent(often)
    rarely, _ = percent([place for place in places.values() if place not in often])
    print(f"runs={count} places={len(places)} worst={score:.2f} at {' '.join(where)} "
          f"covered={covered:.1f} of={of} rarely={rarely:.1f}")


main()
