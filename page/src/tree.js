// tree.js -- Trees to show: inverted, grouped, with recursion folded; several metrics at once.
//
// Nodes are numbers, and their fields are arrays: a tree of 50,000 nodes takes 50 ms to build.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { OTHERS } from './model.js';

const OTHERS_KEY = 1;

export class Tree {
	// weights: Float64Arrays by node of the model; the first one decides the order.
	// runtime: frames of run-times are shown, too; without them a path that has no others is
	// the frame that holds its memory. lines: of an inverted tree by function, the lines of a
	// function that has several are below it, and callers are lines.
	constructor(model, weights, { inverted = false, group = 'line', fold = false,
		runtime = true, lines = false } = {}) {
		this.model = model;
		this.group = group;
		this.isInverted = inverted;
		this.hasLines = lines && inverted && group === 'function';
		const { keys, names } = model.keys(group === 'line' || this.hasLines ? 'place'
			: group);
		const hidden = runtime ? null : model.runtimeNodes();
		this.keys = keys;
		this.names = names;
		this.functions = this.hasLines ? model.keys('function') : null;
		const split = this.hasLines ? this.splitFunctions(weights, hidden) : null;
		this.parent = [-1];
		this.key = [0];
		this.depth = [0];
		this.skipped = [false];
		this.origin = [0];
		this.source = [0];
		this.leaf = new Map();
		this.self = weights.map(() => [0]);
		this.total = weights.map(() => [0]);
		const child = new Map(), adjacent = group === 'file' || group === 'object';
		const path = [];
		for (let node = 0; node < model.nodes; node++) {
			if (!weights.some((w) => w[node] !== 0))
				continue;
			path.length = 0;
			for (let at = node; at > 0; at = model.parent[at]) {
				if (!hidden || !hidden[at])
					path.push(at);
			}
			if (!path.length && node > 0)
				path.push(model.holder(node));
			if (!inverted)
				path.reverse();
			this.add(path, { keys, child, adjacent, fold, inverted, split }, weights,
				node);
		}
		this.sumUp();
	}

	// Returns the functions of which several lines allocated.
	splitFunctions(weights, hidden) {
		const { model } = this, line = new Map(), split = new Set();
		for (let node = 1; node < model.nodes; node++) {
			if (!weights.some((w) => w[node] !== 0))
				continue;
			const place = model.place[hidden ? model.holder(node) : node];
			const f = model.functionOf[place], before = line.get(f);
			if (before !== undefined && before !== place)
				split.add(f);
			line.set(f, place);
		}
		return split;
	}

	// Returns the keys of the nodes for a path: [key, node of the model], first to last.
	steps(path, { keys, split }) {
		const { model } = this, list = path.map((step) => [model.flags[step] & OTHERS
			? OTHERS_KEY : keys[model.place[step]], step]);
		const whole = split && list.length && list[0][0] !== OTHERS_KEY
			? model.functionOf[model.place[path[0]]] : 0;
		if (whole && split.has(whole))
			list.unshift([this.functionKey(whole), path[0]]);
		return list;
	}

	add(path, how, weights, node) {
		const { model } = this, on = how.fold ? new Map() : null;
		let at = 0;
		for (const [key, step] of this.steps(path, how)) {
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
				this.source.push(node);
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

	// Returns {label, place} of a node. Functions have keys above those of other places.
	name(node) {
		const key = this.key[node], { length } = this.names;
		return key < length ? this.names[key] : this.functions.names[key - length];
	}

	// True if a node is a function with lines below it.
	isWhole(node) {
		return this.key[node] >= this.names.length;
	}

	label(node) {
		return this.name(node).label;
	}

	place(node) {
		return this.model.places[this.name(node).place];
	}

	// "parse.c:12", or nothing if the node is no line.
	where(node) {
		return this.group === 'line' || (this.hasLines && !this.isWhole(node))
			? this.model.where(this.place(node)) : '';
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
		const where = this.where(node);
		return where && !name.includes(' in ') ? `${name} (${where.replace(/^in /, '')})`
			: name;
	}

	// Names a node for an address: one of the stacks that lead to it, and its level.
	address(node) {
		return node ? `${this.source[node]}.${this.depth[node]}` : '';
	}

	// Returns the node of such a name, or 0.
	find(address) {
		const [source, depth] = address.split('.').map(Number);
		let at = this.leaf.get(source) || 0;
		while (at > 0 && this.depth[at] > depth)
			at = this.parent[at];
		return at;
	}

	// Returns the place that a node stands for, a number of the model.
	placeNumber(node) {
		const place = this.model.place[this.origin[node]];
		return this.hasLines ? this.isWhole(node) ? this.model.functionOf[place] : place
			: this.group === 'function' ? this.model.functionOf[place] : place;
	}

	functionKey(place) {
		return this.names.length + this.functions.keys[place];
	}

	// Returns the keys of a place: of a function those of all its lines.
	keysOf(place) {
		const keys = new Set([this.keys[place]]);
		this.model.functionOf.forEach((f, p) => f === place && keys.add(this.keys[p]));
		if (this.hasLines && keys.size > 1)
			keys.add(this.functionKey(place));
		return keys;
	}

	// Returns the nodes from NODE to the root.
	path(node) {
		const path = [];
		for (let at = node; at > 0; at = this.parent[at])
			path.push(at);
		return path;
	}
}
