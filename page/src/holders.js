// holders.js -- Who holds it: the variables, stacks and mappings that keep blocks alive, and the
// way from them to the blocks.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { toPattern } from './explore.js';
import { GROUPS } from './groups.js';
import { HoldingTree, REST, ROOT, SET, SITE } from './holding.js';
import { placeLink } from './places.js';
import { TreeGrid } from './treegrid.js';
import { bytes, clip, count, debounce, el, foldable, many, nameNode, percent, select,
	time } from './util.js';

const COLUMNS = [
	{ id: 'all', label: 'Retained', note: 'what nothing would lead to any more without it' },
	{ id: 'shared', label: 'Shared', note: 'what it holds together with other roots, which ' +
		'are listed with all of it below' },
	{ id: 'gained', label: 'Gained', note: 'since it was first examined' },
	{ id: 'own', label: 'Own', note: 'bytes of these blocks themselves' },
];
const TREES = [{ value: 'retained', label: 'what is retained' },
	{ value: 'shortest', label: 'the shortest ways' }];

export class Holders extends TreeGrid {
	constructor(model) {
		super('What holds the heap');
		const { state } = model, { moments } = model.data.holders;
		this.model = model;
		this.first = moments.length > 1 ? moments[0] : null;
		this.moment = moments[moments.length - 1];
		this.found = el('span', { class: 'found', role: 'status' });
		this.search = el('input',
			{ type: 'search', placeholder: 'text or /expression/',
			'aria-label': 'Search what holds and what is held',
			oninput: debounce(() => state.set({ q: this.search.value }, true), 200) });
		this.caption = el('p', { class: 'caption' });
		this.element = el('div', {}, el('div', { class: 'opening' }, this.opening()),
			this.controls(), this.box, this.caption);
	}

	controls() {
		const { state } = this.model, more = [];
		this.fields = {};
		const add = (key, field) => {
			this.fields[key] = field.querySelector('select');
			more.push(field);
		};
		add('held', select('Show', TREES, 'retained', (v) => state.set({ held: v })));
		add('order', select('Sort by', this.possible().map((c) => ({ value: c.id,
			label: c.label })), 'all', (v) => state.set({ order: v })));
		add('group', select('Group by', GROUPS, 'line', (v) => state.set({ group: v })));
		more.push(el('button', { type: 'button', onclick: () => {
			this.open.clear();
			this.render();
		} }, 'Collapse'));
		return foldable([el('label', { class: 'field grow' }, el('span', {}, 'Search'),
			this.search), this.found], more);
	}

	possible() {
		return COLUMNS.filter((c) => c.id !== 'gained' || this.first);
	}

	// The answer, in one sentence.
	opening() {
		const { moment, model } = this, tree = new HoldingTree(model, moment, 'retained',
			'line');
		const all = tree.allBytes[0];
		tree.sort(tree.allBytes);
		const most = (tree.children[0] || []).find((i) => tree.kind[i] !== REST);
		const when = moment.at_end ? 'At the end' : `${time(moment.t)} after the start`;
		if (!most)
			return el('p', {}, `${when} no block was live.`);
		const blocks = many(tree.allBlocks[0], 'block');
		return el('p', {}, `${when} ${bytes(all)} in ${blocks} were live. `,
			el('b', {}, percent(tree.allBytes[most], all)), ' of it is held by ',
			el('b', {}, nameNode(clip(tree.label(most), 140))), '.');
	}

	describe(state) {
		const { moment, first } = this, parts = [state.held === 'shortest'
			? 'Each block is below what leads to it in the fewest steps; it may be ' +
			'held by others, too.'
			: 'Retained is what nothing would lead to any more without the variable, ' +
			'thread or mapping; what several of them hold is listed by all of them ' +
			'together, once.'];
		if (first)
			parts.push(`Gained is since ${time(first.t)} after the start.`);
		if (!moment.at_end && moment.pause)
			parts.push(`The process was stopped for ${time(moment.pause)}.`);
		if (moment.is_incomplete)
			parts.push('Some memory could not be read: blocks may seem lost.');
		this.caption.textContent = parts.join(' ');
	}

	// Shows what the state says.
	apply(state) {
		const { fields } = this, column = state.order.replace(/^-/, '');
		const order = this.possible().some((c) => c.id === column) ? column : 'all';
		const key = `${state.held} ${state.group}`, isNew = key !== this.built;
		fields.held.value = state.held;
		fields.group.value = state.group;
		fields.order.value = order;
		if (document.activeElement !== this.search)
			this.search.value = state.q;
		if (isNew)
			this.build(state);
		this.built = key;
		this.by = order;
		this.metrics = this.possible().filter((c) => c.id !== 'shared' ||
			state.held === 'retained');
		this.isUp = state.order.startsWith('-');
		this.tree.sort(this.values[order], this.isUp);
		if (isNew)
			this.openLargest();
		if (isNew || state.q !== this.searched)
			this.find(state.q);
		this.searched = state.q;
		this.describe(state);
		this.render();
	}

	build({ held, group }) {
		const { model, moment, first } = this, tree = new HoldingTree(model, moment, held,
			group);
		this.tree = tree;
		this.values = { all: tree.allBytes, own: Float64Array.from(tree.bytes),
			shared: tree.shared(), gained: first ? tree.gainedSince(
				new HoldingTree(model, first, held, group)) : null };
		this.open.clear();
		this.limit.clear();
	}

	// Shows what the largest row holds, as long as most of it is in one row.
	openLargest() {
		const { tree } = this, largest = (node) => (tree.children[node] || [])
			.reduce((a, b) => !a || tree.allBytes[b] > tree.allBytes[a] ? b : a, 0);
		let at = largest(0);
		while (at && tree.children[at]) {
			const next = largest(at);
			this.open.add(at);
			at = tree.allBytes[next] > tree.allBytes[at] / 2 ? next : 0;
		}
	}

	find(text) {
		const { tree } = this, pattern = toPattern(text.trim());
		this.hits = null;
		this.found.textContent = '';
		if (!pattern)
			return;
		const n = this.markHits(tree.parent.length, (i) => pattern.test(tree.label(i)) ||
			pattern.test(tree.typeOf(i)) || pattern.test(this.where(i)));
		this.found.textContent = many(n, 'row');
	}

	columns() {
		return this.metrics.length;
	}

	rowsBelow(node) {
		return this.tree.children[node];
	}

	above(node) {
		return this.tree.parent[node];
	}

	headers() {
		const { state } = this.model;
		return [...this.metrics.map((c) => el('th', { scope: 'col', class: 'number' +
			`${this.by === c.id ? ' is-sorted' : ''}${this.isLead(c) ? ' lead' : ''}`,
		'aria-sort': this.by === c.id ? this.isUp ? 'ascending' : 'descending' : 'none' },
		el('button', { type: 'button', class: 'sort', title: c.note, 'data-sort': c.id,
			onclick: () => {
				state.set({ order: this.by === c.id && !this.isUp ? `-${c.id}`
					: c.id });
				this.head.querySelector(`[data-sort=${c.id}]`).focus();
			} }, state.held === 'shortest' && c.id === 'all' ? 'Found' : c.label,
		el('span', { 'aria-hidden': 'true' }, this.by === c.id
			? this.isUp ? ' ▲' : ' ▼' : '')))),
		el('th', { scope: 'col', class: 'heading' }, 'Held by, and on the way')];
	}

	// The only column on a phone.
	isLead(column) {
		return column.id === (this.by === 'shared' && !this.metrics.some((c) =>
			c.id === 'shared') ? 'all' : this.by);
	}

	cells(node) {
		const { tree } = this;
		return this.metrics.map((c) => {
			const v = this.values[c.id][node];
			const sign = c.id === 'gained' && v > 0 ? '+' : '';
			const share = v && c.id === 'all' ? percent(v, tree.allBytes[0]) : '';
			return el('td', { class: `number${this.isLead(c) ? ' lead' : ''}` },
				v ? `${sign}${bytes(v)}` : '–',
				share ? el('span', { class: 'dim' }, ` ${share}`) : null);
		});
	}

	where(node) {
		const { tree, model } = this, place = tree.place(node);
		return place ? model.where(place) : '';
	}

	name(node) {
		const { tree, model } = this, label = clip(tree.label(node), 160);
		const kind = tree.kind[node], place = tree.place(node);
		const isOne = tree.blocks[node] === 1;
		const blocks = isOne ? '' : `${count(tree.blocks[node])} × `;
		if (kind === ROOT || kind === SET)
			return el('b', {}, nameNode(label));
		if (kind === REST)
			return el('span', { class: 'dim' },
				`${label}, ${many(tree.allBlocks[node], 'block')}`);
		const type = clip(tree.typeOf(node), 100);
		return [blocks, type ? [nameNode(type), ' at '] : isOne ? 'a block of ' : '',
			place && kind === SITE ? placeLink(model, place, { text: label })
				: nameNode(label), ' ',
			el('span', { class: 'dim' }, clip(this.where(node), 60))];
	}
}
