// groups.js -- What counts as one place in a list: a line, a function, a file, an object.
//
// The rule is that of memusageprint --group (profile/model/top.c): a function is its name in its
// source file; one without a name is its address in its object.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { baseName } from './util.js';

export const GROUPS = [
	{ value: 'line', label: 'function and line' },
	{ value: 'function', label: 'function' },
	{ value: 'file', label: 'source file' },
	{ value: 'object', label: 'program or library' },
];
// Of lists, which show the lines of a function below it.
export const LIST_GROUPS = [
	{ value: 'function', label: 'function, with its lines' }, ...GROUPS.filter((g) =>
		g.value !== 'function')];

const isNameless = (p) => /^(0x|$)/.test(p.name);
const objectOf = (p) => p.object ? `[no source file] ${p.object}` : '';

// Returns what places of one group have in common; null: each is a group of its own.
export function groupId(p, group) {
	switch (group) {
	case 'line': return isNameless(p) ? `${p.name}\0${p.object}`
		: `${p.name}\0${p.file}\0${p.line}`;
	case 'function': return isNameless(p) ? `${p.name}\0${p.object}` : `${p.name}\0${p.file}`;
	case 'file': return p.file || objectOf(p);
	case 'object': return p.object;
	default: return null;
	}
}

function groupLabel(p, group) {
	const object = p.object ? baseName(p.object) : '';
	if (group === 'file' && p.file)
		return baseName(p.file);
	if (group === 'file' && object)
		return `[no source file] ${object}`;
	if (group === 'file' || group === 'object')
		return object || '[unknown]';
	return p.short;
}

// Returns {keys, names}: a number for each of the places, {label, place} for each number. 0 is the
// root, 1 stands for what was summed up. group: one of GROUPS, or 'place'.
export function makeKeys(places, group) {
	const keys = new Int32Array(places.length), seen = new Map();
	const names = [{ label: 'all', place: 0 }, { label: '[smaller places]', place: 0 }];
	places.forEach((p, i) => {
		const id = groupId(p, group);
		let key = id === null ? undefined : seen.get(id);
		if (key === undefined) {
			key = names.length;
			names.push({ label: groupLabel(p, group), place: i });
			if (id !== null)
				seen.set(id, key);
		}
		keys[i] = key;
	});
	return { keys, names };
}

// Appends a place for each function that has several lines, to stand for all of them. Returns for
// each place the place of its function, which is itself if it has one line.
export function appendFunctions(places) {
	const lines = new Map(), of = places.map((p, i) => i);
	places.forEach((p, i) => {
		const id = groupId(p, 'function');
		if (!isNameless(p))
			lines.set(id, [...(lines.get(id) || []), i]);
	});
	for (const list of lines.values()) {
		if (list.length < 2)
			continue;
		const { name, short, file, object, flags } = places[list[0]];
		for (const i of list)
			of[i] = places.length;
		of.push(places.length);
		places.push({ name, short, file, line: 0, object, flags: flags & ~1 });
	}
	return of;
}
