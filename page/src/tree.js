// tree.js -- Trees to show: inverted, grouped, with recursion folded; several metrics at once.
//
// Nodes are numbers, and their fields are arrays: a tree of 50,000 nodes takes 50 ms to build.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { baseName } from './util.js';
import { OTHERS } from './model.js';

export const GROUPS = [
	{ value: 'line', label: 'function and line' },
	{ value: 'function', label: 'function' },
	{ value: 'file', label: 'source file' },
	{ value: 'object', label: 'program or library' },
];

// Groupings: the key and the name of a place in each.
function describe(p, group) {
	switch (group) {
	case 'function': return p.name ? `${p.name}\0${/^0x/.test(p.name) ? p.object : ''}` : '';
	case 'file': return p.file || (p.object ? `[no file] ${p.object}` : '');
	case 'object': return p.object;
	default: return null;
	}
}

function title(p, group) {
	if (group === 'file')
		return p.file ? baseName(p.file) : p.object ? `[no file, in ${baseName(p.object)}]`
			: '[unknown]';
	if (group === 'object')
		return p.object ? baseName(p.object) : '[unknown]';
	return p.short;
}

// keys: a number for each place of the model; names: {label, place} for each number.
function makeKeys(model, group) {
	const keys = new Int32Array(model.places.length), names = [{ label: 'all', place: 0 }],
		seen = new Map();
	const others = 1;
	names.push({ label: '[smaller places]', place: 0 });
	model.places.forEach((p, i) => {
		const id = describe(p, group);
		let key = id === null ? undefined : seen.get(id);
		if (key === undefined) {
			key = names.length;
			names.push({ label: title(p, group), place: i });
			if (id !== null)
				seen.set(id, key);
		}
		keys[i] = key;
	});
	return { keys, names, others };
}

export class Tree {
	// weights: Float64Arrays by node of the model; the first one decides the order.
	constructor(model, weights, { inverted = false, group = 'line', fold = false,
		only = null } = {}) {
		this.model = model;
		this.group = group;
		const { keys, names, others } = makeKeys(model, group);
		this.names = names;
		this.parent = [-1];
		this.key = [0];
		this.depth = [0];
		this.skipped = [false];
		this.origin = [0];
		this.leaf = new Map();
		this.self = weights.map(() => [0]);
		this.total = weights.map(() => [0]);
		const child = new Map(), adjacent = group === 'file' || group === 'object';
		const path = [];
		for (let node = 0; node < model.nodes; node++) {
			if (!weights.some((w) => w[node] !== 0) || (only && !only(node)))
				continue;
			path.length = 0;
			for (let at = node; at > 0; at = model.parent[at])
				path.push(at);
			if (!inverted)
				path.reverse();
			this.add(path, { keys, others, child, adjacent, fold, inverted }, weights,
				node);
		}
		this.sumUp();
	}

	add(path, how, weights, node) {
		const { model } = this, on = how.fold ? new Map() : null;
		let at = 0;
		for (const step of path) {
			const key = model.flags[step] & OTHERS ? how.others
				: how.keys[model.place[step]];
			if (how.adjacent && this.key[at] === key)
				continue;
			if (on) {
				const before = on.get(key);
				if (before !== undefined) {
					at = before;
					continue;
				}
			}
			const id = at * 2097152 + key;
			let next = how.child.get(id);
			if (next === undefined) {
				next = this.parent.length;
				how.child.set(id, next);
				this.parent.push(at);
				this.key.push(key);
				this.depth.push(this.depth[at] + 1);
				this.skipped.push(!how.inverted && (model.flags[step] & 1) !== 0);
				this.origin.push(step);
				for (const list of this.self)
					list.push(0);
			}
			at = next;
			if (on)
				on.set(key, at);
		}
		weights.forEach((w, i) => this.self[i][at] += w[node]);
		this.leaf.set(node, at);
	}

	sumUp() {
		const n = this.parent.length;
		this.total = this.self.map((self) => {
			const total = Float64Array.from(self);
			for (let i = n - 1; i > 0; i--)
				total[this.parent[i]] += total[i];
			return total;
		});
		this.children = Array.from({ length: n }, () => null);
		for (let i = 1; i < n; i++)
			(this.children[this.parent[i]] ||= []).push(i);
		this.sort(this.total[0]);
	}

	sort(by, tie) {
		for (const list of this.children) {
			if (list)
				list.sort((a, b) => by[b] - by[a] || (tie ? tie[b] - tie[a] : 0) ||
					a - b);
		}
	}

	label(node) {
		return this.names[this.key[node]].label;
	}

	place(node) {
		return this.model.places[this.names[this.key[node]].place];
	}

	// "parse (parse.c:12)"
	text(node, isFull = false) {
		if (node === 0)
			return 'all';
		const p = this.place(node);
		if (this.group === 'file')
			return isFull ? p.file || this.label(node) : this.label(node);
		if (this.group === 'object')
			return isFull ? p.object || this.label(node) : this.label(node);
		const name = isFull && p.name && !/^0x/.test(p.name) ? p.name : this.label(node);
		const where = this.group === 'line' ? this.model.where(p) : '';
		return where && !name.includes(' in ') ? `${name} (${where.replace(/^in /, '')})`
			: name;
	}

	// Returns the nodes from NODE to the root.
	path(node) {
		const path = [];
		for (let at = node; at > 0; at = this.parent[at])
			path.push(at);
		return path;
	}
}
