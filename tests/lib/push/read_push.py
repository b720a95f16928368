# read_push.py -- read a push for Pyroscope or OpenTelemetry as a strict server does, and print it.
#
#	read_push.py pprof|pyroscope|otlp FILE
#
# protoc makes the readers from the messages in this folder. Prints
#
#	labels NAME=VALUE ...
#	types TYPE/UNIT ...
#	time NS duration NS period N
#	sample PLACE:LINE+INLINED:LINE;... VALUE ... NAME=VALUE ...     the innermost first; sorted
#
# and fails on what a server would refuse, or a strict reader.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import gzip
import importlib
import os
import re
import subprocess
import sys
import tempfile
import uuid

SAMPLES_MAX, BYTES_MAX, LABELS_MAX = 16000, 4 << 20, 30


def load(name):
    if name + "_pb2" in sys.modules:
        return sys.modules[name + "_pb2"]
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", "-I", here, "--python_out", folder, name + ".proto"], check=True)
        sys.path.insert(0, folder)
        return importlib.import_module(name + "_pb2")


def parse(message, data):
    message.ParseFromString(data)
    assert not unknown(message), "a field that is not in the format"
    return message


def unknown(message):
    try:
        from google.protobuf.unknown_fields import UnknownFieldSet
    except ImportError:
        return len(message.UnknownFields())
    return len(UnknownFieldSet(message))


def check_names(names):
    names = list(names)
    assert len(set(names)) == len(names), "a label is there twice: %s" % names
    for name in names:
        assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.]*", name), "no name of a label: %r" % name


def sequence(messages):
    assert [m.id for m in messages] == list(range(1, len(messages) + 1)), "numbers are not in order"
    return {m.id: m for m in messages}


def pprof(data):
    """Return the head and the samples of a profile."""
    assert data[:2] == b"\x1f\x8b", "not compressed"
    data = gzip.decompress(data)
    assert len(data) <= BYTES_MAX, "too large: %d" % len(data)
    p = parse(load("pprof").Profile(), data)
    text = p.string_table
    assert text[0] == "" and len(set(text)) == len(text), "the table of strings"
    types = ["%s/%s" % (text[t.type], text[t.unit]) for t in p.sample_type]
    assert text[p.period_type.type] == "space" and text[p.period_type.unit] == "bytes"
    assert text[p.default_sample_type] == "inuse_space"
    mappings, functions = sequence(p.mapping), sequence(p.function)
    names = {}
    for location in sequence(p.location).values():
        assert location.mapping_id == 0 or location.mapping_id in mappings
        m = mappings.get(location.mapping_id)
        assert not m or m.memory_start <= location.address < m.memory_limit, "another object's"
        names[location.id] = "+".join(
            "%s:%d" % (text[functions[l.function_id].name], l.line) for l in location.line
        ) or "%x" % location.address
    samples = []
    assert len(p.sample) <= SAMPLES_MAX, "%d samples" % len(p.sample)
    for s in p.sample:
        assert len(s.value) == len(types) and s.location_id and min(s.value) >= 0
        labels = {text[l.key]: text[l.str] for l in s.label}
        check_names(text[l.key] for l in s.label)
        samples.append((";".join(names[i] for i in s.location_id), list(s.value), labels))
    return types, (p.time_nanos, p.duration_nanos, p.period), samples


def pyroscope(data):
    request = parse(load("pyroscope").PushRequest(), data)
    assert len(request.series) == 1 and len(request.series[0].samples) == 1
    labels = {l.name: l.value for l in request.series[0].labels}
    check_names(l.name for l in request.series[0].labels)
    assert len(labels) <= LABELS_MAX
    assert labels["__name__"] == "memory" and labels["__delta__"] == "false"
    assert labels["service_name"]
    uuid.UUID(request.series[0].samples[0].ID)
    return (labels,) + pprof(request.series[0].samples[0].raw_profile)


def otlp(data):
    """The four profiles become samples with four values."""
    request = parse(load("otlp").ExportProfilesServiceRequest(), data)
    d = request.dictionary
    text = d.string_table
    assert text[0] == "" and len(set(text)) == len(text), "the table of strings"
    for table in (d.mapping_table, d.location_table, d.function_table, d.attribute_table, d.stack_table):
        assert table[0] == type(table[0])(), "element 0 is not empty"
        whole = [m.SerializeToString(deterministic=True) for m in table]
        assert len(set(whole)) == len(whole), "an element is there twice"
    assert d.link_table[0].trace_id == bytes(16) and d.link_table[0].span_id == bytes(8)
    attributes = [(text[a.key_strindex], a.value.string_value) for a in d.attribute_table]
    for m in d.mapping_table[1:]:
        assert all(attributes[i][0] == "process.executable.build_id.gnu" for i in m.attribute_indices)
    names = []
    for l in d.location_table:
        m = d.mapping_table[l.mapping_index]
        assert not l.mapping_index or m.memory_start <= l.address < m.memory_limit
        names.append("+".join("%s:%d" % (text[d.function_table[i.function_index].name_strindex], i.line)
                              for i in l.lines) or "%x" % l.address)
    (resource,) = request.resource_profiles
    labels = {a.key: a.value.string_value for a in resource.resource.attributes}
    check_names(a.key for a in resource.resource.attributes)
    (scope,) = resource.scope_profiles
    assert scope.scope.name == "memusage" and scope.scope.version
    assert len(set(p.profile_id for p in scope.profiles)) == len(scope.profiles)
    types, samples, times = [], {}, set()
    for number, p in enumerate(scope.profiles):
        types.append("%s/%s" % (text[p.sample_type.type_strindex], text[p.sample_type.unit_strindex]))
        assert len(p.profile_id) == 16
        assert text[p.period_type.type_strindex] == "space"
        times.add((p.time_unix_nano, p.duration_nano, p.period))
        for s in p.samples:
            assert s.stack_index > 0 and len(s.values) == 1 and s.values[0] > 0
            stack = ";".join(names[i] for i in d.stack_table[s.stack_index].location_indices)
            key = (stack, tuple(sorted(attributes[i] for i in s.attribute_indices)))
            samples.setdefault(key, [0] * len(scope.profiles))[number] += s.values[0]
    (time,) = times
    return labels, types, (time[0] + time[1], time[1], time[2]), [
        (stack, values, dict(pairs)) for (stack, pairs), values in samples.items()]


def pairs(labels):
    return "".join(" %s=%s" % pair for pair in sorted(labels.items()))


def read(kind, data):
    return ({},) + pprof(data) if kind == "pprof" else (pyroscope if kind == "pyroscope" else otlp)(data)


def main():
    labels, types, times, samples = read(sys.argv[1], open(sys.argv[2], "rb").read())
    print("labels%s" % pairs(labels))
    print("types", *types)
    print("time %d duration %d period %d" % times)
    for line in sorted("sample %s %s%s" % (s, " ".join(map(str, v)), pairs(l)) for s, v, l in samples):
        print(line)


if __name__ == "__main__":
    main()
