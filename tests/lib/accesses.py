# accesses.py JSON TRUTH -- compare a profile of DHAT with what tests/workloads/accesses prints.
#
# A place is told by the function that allocates, whoever called it. Prints "ok NAME" or
# "no NAME: what is different" for each place.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import re
import sys


def decoded(counts):
    values, i = [], 0
    while i < len(counts):
        if counts[i] < 0:
            values += [counts[i + 1]] * -counts[i]
            i += 2
        else:
            values.append(counts[i])
            i += 1
    return values


def runs(values):
    found = []
    for value in values:
        if found and found[-1][0] == value:
            found[-1][1] += 1
        else:
            found.append([value, 1])
    return ','.join('%d:%d' % tuple(run) for run in found) or '-'


def of_place(profile, name):
    frame = re.compile(r'0x[0-9A-F]+: ' + name + r'\b')
    texts = profile['ftbl']
    points = [p for p in profile['pps'] if any(frame.match(texts[f]) for f in p['fs'][:2])]
    counts = [decoded(p['acc']) for p in points if 'acc' in p]
    total = [min(65535, sum(values)) for values in zip(*counts)]
    return sum(p['rb'] for p in points), sum(p['wb'] for p in points), runs(total)


def main():
    profile = json.load(open(sys.argv[1]))
    for line in open(sys.argv[2]):
        match = re.match(r'place (\S+) reads=(\d+) writes=(\d+) counts=(\S+)', line)
        if not match:
            continue
        name, want = match[1], (int(match[2]), int(match[3]), match[4])
        got = of_place(profile, name)
        if want[2] == 'any':
            got = got[:2] + want[2:]
        if want[2] == 'alternating' and len(got[2].split(',')) == 1024:
            got = got[:2] + want[2:]
        print('ok ' + name if got == want else 'no %s: %s, not %s' % (name, got, want))


main()
