#!/usr/bin/env python3
# json_schema.py -- the schema of memusageprint --to=json: validates documents, and prints its tables.
#
#	json_schema.py validate SCHEMA FILE...   prints what is wrong, one line each; status 1 if any
#	json_schema.py tables SCHEMA             prints the tables of docs/json.md
#
# Programs that read the JSON are to ignore members that they do not know, so the schema allows them.
# Here they are errors: what is written must be documented.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import sys


def forbid_unknown(node):
    """Adds what makes members that the schema does not know an error."""
    if isinstance(node, list):
        return [forbid_unknown(item) for item in node]
    if not isinstance(node, dict):
        return node
    strict = {key: forbid_unknown(value) for key, value in node.items()}
    if isinstance(node.get('properties'), dict) and 'type' in node:
        strict['additionalProperties'] = False
    return strict


def definition_of(document):
    """The part of the schema for a document, so that messages are about one kind."""
    names = {'memusage': 'process', 'massif': 'massif', 'memusage-diff': 'diff',
             'memusage-gate': 'gate', 'memusage-graph': 'graph',
             'memusage-census': 'census'}
    return names.get(document.get('format') if isinstance(document, dict) else None)


def validate(schema_file, files):
    import jsonschema
    with open(schema_file, encoding='utf-8') as stream:
        schema = json.load(stream)
    jsonschema.Draft7Validator.check_schema(schema)
    del schema['$id']  # jsonschema 3 cannot join a URN and a fragment
    strict = forbid_unknown(schema)
    status = 0
    for name in files:
        with open(name, encoding='utf-8') as stream:
            document = json.load(stream)
        jsonschema.Draft7Validator(schema).validate(document)
        for item in document if isinstance(document, list) else [document]:
            kind = definition_of(item)
            if not kind:
                print(f'{name}: of no known format')
                status = 1
                continue
            part = {'$ref': f'#/definitions/{kind}', 'definitions': strict['definitions']}
            for error in jsonschema.Draft7Validator(part).iter_errors(item):
                path = '.'.join(str(step) for step in error.absolute_path)
                print(f'{name}: {path}: {error.message[:200]}')
                status = 1
    return status


def type_text(node):
    """What a member is, in a word or two."""
    if '$ref' in node:
        return 'see `' + node['$ref'].rsplit('/', 1)[1] + '`'
    if 'const' in node:
        return f'`{node["const"]}`'
    if 'enum' in node:
        return ', '.join(f'`{word}`' for word in node['enum'])
    if 'oneOf' in node:
        return ' or '.join(type_text(choice) for choice in node['oneOf'])
    kind = node.get('type', '')
    kind = ' or '.join(kind) if isinstance(kind, list) else kind
    if kind == 'array':
        item = node['items']
        inner = type_text(item)
        return 'array of ' + ('objects' if inner == 'object' else inner)
    return kind


def rows(node, prefix, required, name):
    text = node.get('description', '')
    mark = '' if required else ' (optional)'
    yield f'| `{prefix}{name}`{mark} | {type_text(node)} | {text} |'
    inner, path = node, prefix + name
    while inner.get('type') == 'array':
        inner, path = inner['items'], path + '[]'
    yield from members(inner, path + '.')


def members(node, prefix):
    for name, member in node.get('properties', {}).items():
        yield from rows(member, prefix, name in node.get('required', ()), name)


def tables(schema_file):
    with open(schema_file, encoding='utf-8') as stream:
        schema = json.load(stream)
    for name, node in schema['definitions'].items():
        print(f'### `{name}`\n\n{node.get("description", "")}\n')
        if 'properties' in node:
            print('| member | type | meaning |\n|---|---|---|')
            print('\n'.join(members(node, '')))
            print()


if __name__ == '__main__':
    if sys.argv[1] == 'tables':
        tables(sys.argv[2])
    else:
        sys.exit(validate(sys.argv[2], sys.argv[3:]))
