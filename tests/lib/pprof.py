# pprof.py -- read a profile.proto in gzip's format and print what is in it, line by line.
#
#	pprof.py FILE
#
# A reader of its own, made from the description of the format and not from the writer. It
# fails on what a strict reader would refuse: text that is no UTF-8, numbers that lead nowhere.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import gzip
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            return value, at


def fields(data):
    """Every field of a message: (number, int or bytes)."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            assert at + size <= len(data), "a field reaches beyond its message"
            value, at = data[at : at + size], at + size
        else:
            raise AssertionError("wire type %d" % (tag & 7))
        yield tag >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def message(data):
    """A message without repeated fields."""
    return dict(fields(data))


def main():
    top = list(fields(gzip.open(sys.argv[1]).read()))
    every = lambda number: [value for n, value in top if n == number]
    text = [s.decode("utf-8") for s in every(6)]
    assert text[0] == "", "the first string is not empty"
    types = [message(m) for m in every(1)]
    print("types", " ".join("%s/%s" % (text[t[1]], text[t[2]]) for t in types))
    comments = " | ".join(text[number] for number in every(13))
    print("default", text[message_number(top, 14)], "comment", comments)
    period, kind = message_number(top, 12), message(message_number(top, 11))
    if period != 1:
        print("period", period, "%s/%s" % (text[kind[1]], text[kind[2]]))
    mappings = {m[1]: m for m in map(message, every(3))}
    assert len(mappings) == len(every(3)), "two mappings have one number"
    for m in mappings.values():
        print("mapping", text[m[5]], text[m.get(6, 0)], "%x-%x" % (m[2], m[3]), m.get(7, 0))
    functions = {f[1]: f for f in map(message, every(5))}
    assert len(functions) == len(every(5)), "two functions have one number"
    locations = {}
    for data in every(4):
        lines = [message(v) for n, v in fields(data) if n == 4]
        m = {n: v for n, v in fields(data) if n != 4}
        assert m[1] not in locations and (2 not in m or m[2] in mappings)
        name = ["%s:%d" % (text[functions[l[1]][2]], l.get(2, 0)) for l in lines]
        locations[m[1]] = "+".join(name) or "%x" % m[3]
    samples = []
    for data in every(2):
        m = message(data)
        values = list(map(signed, packed(m[2])))
        assert len(values) == len(types)
        stack = ";".join(locations[i] for i in packed(m.get(1, b"")))
        labels = [message(v) for n, v in fields(data) if n == 3]
        tags = "".join(" %s=%s" % (text[l[1]], text[l[2]]) for l in labels)
        samples.append("sample %s %s%s" % (stack, " ".join(map(str, values)), tags))
    print("\n".join(sorted(samples)))


def message_number(top, number):
    return next(value for n, value in top if n == number)


main()
