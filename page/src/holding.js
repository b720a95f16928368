// holding.js -- The trees of what holds the heap, folded by place, and what they gained.
//
// The page has them by stack. Here stacks of one place whose blocks are of one type are one node,
// and so is a place that is found again below itself, as in profile/model/holder_places.c.
//
// SPDX-License-Identifier: LGPL-2.1-or-later

export const ALL = 0, ROOT = 1, SET = 2, SITE = 3, REST = 4;

export class HoldingTree {
	// moment: of data.holders.moments; which: "retained" or "shortest".
	constructor(model, moment, which, group) {
		this.model = model;
		this.moment = moment;
		this.group = group;
		this.keys = model.keys(group).keys;
		this.names = model.keys(group).names;
		this.parent = [-1];
		this.kind = [ALL];
		this.what = [0];
		this.type = [0];
		this.node = [0]; // of the page, for a place
		this.bytes = [0];
		this.blocks = [0];
		this.byId = [''];
		this.found = new Map();
		this.fold(moment[which]);
		this.sumUp();
	}

	fold(t) {
		const at = [0], place = this.model.holderPlaces();
		let number = 0;
		this.bytes[0] = t.bytes[0];
		this.blocks[0] = t.blocks[0];
		for (let i = 1; i < t.kind.length; i++) {
			const kind = t.kind[i], node = t.what[i];
			const what = kind === SITE ? this.keyOf(place[node]) : node;
			const up = at[i - t.parent[i - 1]];
			number = this.step(up, { kind, what, node, type: t.type[i] });
			at.push(number);
			this.bytes[number] += t.bytes[i];
			this.blocks[number] += t.blocks[i];
		}
	}

	// A small place has none that can be named.
	keyOf(place) {
		return place ? this.keys[place] : -1;
	}

	// Returns the node for what is described: PARENT or one above it if it is the same, one of
	// its children, or a new one.
	step(parent, { kind, what, node, type }) {
		for (let up = parent; up > 0; up = this.parent[up]) {
			if (kind === SITE && this.kind[up] === SITE && this.what[up] === what &&
				this.type[up] === type)
				return up;
		}
		const id = `${parent}/${kind}/${what}/${type}`, before = this.found.get(id);
		if (before !== undefined)
			return before;
		const next = this.parent.length;
		this.found.set(id, next);
		this.parent.push(parent);
		this.kind.push(kind);
		this.what.push(what);
		this.type.push(type);
		this.node.push(kind === SITE ? node : 0);
		this.bytes.push(0);
		this.blocks.push(0);
		// The same thing has the same name at other moments, when it has another number.
		const root = this.moment.roots[what];
		const lasting = kind === ROOT ? root.key || root.text
			: kind === SET ? this.moment.sets[what].text : what;
		this.byId.push(`${this.byId[parent]}\n${kind} ${type} ${lasting}`);
		return next;
	}

	sumUp() {
		const n = this.parent.length;
		this.allBytes = Float64Array.from(this.bytes);
		this.allBlocks = Float64Array.from(this.blocks);
		this.children = Array.from({ length: n }, () => null);
		for (let i = n - 1; i > 0; i--) {
			this.allBytes[this.parent[i]] += this.allBytes[i];
			this.allBlocks[this.parent[i]] += this.allBlocks[i];
		}
		for (let i = 1; i < n; i++)
			(this.children[this.parent[i]] ||= []).push(i);
	}

	// Orders what is below each node, the largest first, or last; what is left over comes last.
	sort(by, isUp = false) {
		for (const list of this.children) {
			if (list)
				list.sort((a, b) => (this.kind[a] === REST) -
					(this.kind[b] === REST) ||
					(isUp ? by[a] - by[b] : by[b] - by[a]) || a - b);
		}
	}

	// Returns for each node the bytes that only it and other roots have together.
	shared() {
		const sum = new Float64Array(this.parent.length), of = new Map();
		for (const i of this.children[0] || []) {
			if (this.kind[i] === SET)
				new Set(this.moment.sets[this.what[i]].roots).forEach((r) =>
					of.set(r, (of.get(r) || 0) + this.allBytes[i]));
		}
		for (const i of this.children[0] || []) {
			if (this.kind[i] === ROOT)
				sum[i] = of.get(this.what[i]) || 0;
		}
		return sum;
	}

	// Returns for each node how many bytes more it has, with all below it, than in BEFORE.
	gainedSince(before) {
		const earlier = new Map(before.byId.map((id, i) => [id, before.allBytes[i]]));
		return Float64Array.from(this.allBytes, (v, i) =>
			v - (earlier.get(this.byId[i]) || 0));
	}

	// "cache in libfoo.so", "insert": the words for a node, without how many blocks it has.
	label(node) {
		const what = this.what[node];
		switch (this.kind[node]) {
		case ROOT: return this.moment.roots[what].text;
		case SET: return this.moment.sets[what].text;
		case SITE: return what >= 0 ? this.names[what].label : '[smaller places]';
		case REST: return '[others]';
		default: return 'the live heap';
		}
	}

	// Returns the place of a node, a number of the model; 0: it is none, or none can be named.
	place(node) {
		const { model } = this;
		if (this.kind[node] !== SITE || this.what[node] < 0 ||
			this.group === 'file' || this.group === 'object')
			return 0;
		const place = model.holderPlaces()[this.node[node]];
		return this.group === 'function' ? model.functionOf[place] : place;
	}

	typeOf(node) {
		const { types, first_type: first } = this.model.data.holders;
		return this.type[node] ? types[this.type[node] - first] || '' : '';
	}
}
