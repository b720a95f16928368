// table.js -- Program points as a table: places with their figures, sorted by any of them, and
// below each place its callers (or, the other way round, what it called).
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { boundsText, errorColumns } from './bounds.js';
import { toPattern } from './explore.js';
import { LIST_GROUPS } from './groups.js';
import { placeLink } from './places.js';
import { Tree } from './tree.js';
import { TreeGrid } from './treegrid.js';
import { bytes, checkbox, clip, count, debounce, el, foldable, many, nameNode, percent,
	select } from './util.js';

const COLUMNS = [
	{ id: 'peak_bytes', label: 'Peak', note: 'bytes live at the peak', isBytes: true },
	{ id: 'end_bytes', label: 'At the end', note: 'bytes live at the end', isBytes: true },
	{ id: 'total_bytes', label: 'Total', note: 'bytes allocated in all; a realloc counts ' +
		'as a whole', isBytes: true },
	{ id: 'total_blocks', label: 'Blocks', note: 'blocks allocated in all' },
	{ id: 'temporary', label: 'Temporary', note: 'blocks freed before their thread ' +
		'allocated again' },
	{ id: 'read_bytes', label: 'Read', note: 'bytes read', isBytes: true },
	{ id: 'written_bytes', label: 'Written', note: 'bytes written', isBytes: true },
];

export class Table extends TreeGrid {
	constructor(model) {
		super('Program points');
		const { state } = model;
		this.model = model;
		this.metrics = this.listColumns();
		this.found = el('span', { class: 'found', role: 'status' });
		this.search = el('input',
			{ type: 'search', placeholder: 'text or /expression/',
			'aria-label': 'Search program points',
			oninput: debounce(() => state.set({ q: this.search.value }, true), 200) });
		this.element = el('div', {}, this.controls(), this.box);
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

	listColumns() {
		return COLUMNS.filter((c) => this.model.has(c.id));
	}

	controls() {
		const { model } = this, { state } = model, more = [];
		this.fields = {};
		const add = (key, field) => {
			this.fields[key] = field.querySelector('select, input');
			more.push(field);
		};
		add('sort', select('Sort by', [...this.metrics.map((c) => ({ value: c.id,
			label: c.label })), { value: 'name', label: 'Place' }], '',
		(v) => state.set({ sort: v })));
		add('callees', select('Direction', [{ value: '0', label: 'allocation → callers' },
			{ value: '1', label: 'callers → allocation' }], '0',
		(v) => state.set({ callees: v === '1' })));
		add('list', select('Group by', LIST_GROUPS, 'function',
			(v) => state.set({ list: v })));
		add('fold', checkbox('Fold recursion', false, (v) => state.set({ fold: v })));
		add('runtime', checkbox('Run-time frames', false,
			(v) => state.set({ runtime: v })));
		more.push(el('button', { type: 'button', onclick: () => {
			this.open.clear();
			this.render();
		} }, 'Collapse'));
		return foldable([el('label', { class: 'field grow' }, el('span', {}, 'Search'),
			this.search), this.found], more);
	}

	// Shows what the state says.
	apply(state) {
		const { fields } = this, options = { inverted: !state.callees, group: state.list,
			lines: true, fold: state.fold, runtime: state.runtime };
		const name = state.sort.replace(/^-/, '');
		this.isUp = state.sort.startsWith('-');
		this.by = name === 'name' || this.metrics.some((c) => c.id === name) ? name
			: this.metrics[0].id;
		this.lead = this.by === 'name' ? this.metrics[0].id : this.by; // shown on phones
		fields.sort.value = this.by;
		fields.callees.value = state.callees ? '1' : '0';
		fields.list.value = state.list;
		fields.fold.checked = state.fold;
		fields.runtime.checked = state.runtime;
		if (document.activeElement !== this.search)
			this.search.value = state.q;
		const key = JSON.stringify(options), isNew = key !== this.built;
		if (isNew)
			this.build(options);
		this.built = key;
		const sorted = `${state.sort} ${state.q}`;
		if (isNew || sorted !== this.sorted) {
			this.sorted = sorted;
			this.sortRows();
			this.find(state.q);
		}
		this.render();
		if (state.place && state.place !== this.revealed)
			this.reveal();
		this.revealed = state.place;
	}

	build(options) {
		const { model } = this;
		const weights = this.metrics.map((c) => model.column(c.id));
		this.errors = this.metrics.map((c) => {
			const columns = errorColumns(model, c.id);
			return { first: weights.push(...columns) - columns.length,
				count: columns.length };
		});
		this.tree = new Tree(model, weights, options);
		this.open.clear();
		this.limit.clear();
	}

	sortRows() {
		const { tree, by, isUp } = this;
		if (by === 'name') {
			for (const list of tree.children) {
				if (list)
					list.sort((a, b) => tree.label(a) < tree.label(b) ? -1 : 1);
			}
		} else {
			tree.sort(tree.total[this.metrics.findIndex((c) => c.id === by)]);
		}
		if (isUp) {
			for (const list of tree.children) {
				if (list)
					list.reverse();
			}
		}
	}

	// Marks the rows that match, and opens those on the way to them.
	find(text) {
		const { tree } = this, pattern = toPattern(text.trim());
		this.hits = null;
		this.found.textContent = '';
		if (!pattern)
			return;
		const n = this.markHits(tree.parent.length, (i) => {
			const p = tree.place(i);
			return pattern.test(tree.label(i)) || pattern.test(p.name) ||
				pattern.test(p.file) || pattern.test(p.object);
		});
		this.found.textContent = many(n, 'row');
	}

	// Shows the selected place among the first rows, a line below its function.
	reveal() {
		const { model, tree } = this, place = model.findPlace(model.state.place);
		const keys = tree.keysOf(place), rows = tree.children[0] || [];
		let i = rows.findIndex((n) => keys.has(tree.key[n]));
		if (i < 0 && tree.hasLines) {
			i = rows.findIndex((n) => tree.key[n] === tree.functionKey(place));
			if (i >= 0)
				this.open.add(rows[i]);
		}
		if (!place || i < 0)
			return;
		this.showFirst(i);
		this.render();
		const row = this.body.querySelector('.is-selected');
		if (row)
			row.scrollIntoView({ block: 'nearest' });
	}

	headers() {
		const { state } = this.model;
		const cell = (id, label, note, isNumber) => {
			const isBy = this.by === id, isUp = isBy && this.isUp !== (id === 'name');
			const next = isBy && !this.isUp ? `-${id}` : id;
			return el('th', { scope: 'col', class: `${isNumber ? 'number' : ''}` +
				`${isBy ? ' is-sorted' : ''}${this.lead === id ? ' lead' : ''}`,
			'aria-sort': isBy ? isUp
				? 'ascending' : 'descending' : 'none' },
			el('button', { type: 'button', class: 'sort', title: note, 'data-sort': id,
				onclick: () => {
					state.set({ sort: next });
					this.head.querySelector(`[data-sort=${id}]`).focus();
				} }, label, el('span', { 'aria-hidden': 'true' },
				isBy ? isUp ? ' ▲' : ' ▼' : '')));
		};
		return [...this.metrics.map((c) => cell(c.id, c.label, c.note, true)),
			cell('name', 'Place', 'name of the place', false)];
	}

	render() {
		const place = this.model.findPlace(this.model.state.place);
		this.marked = place ? this.tree.keysOf(place) : new Set();
		super.render();
	}

	isMarked(node) {
		return this.marked.has(this.tree.key[node]);
	}

	// Returns the bounds of an estimate in a column, or ''.
	bounds(column, node, value) {
		const { id } = this.metrics[column], { first, count } = this.errors[column];
		const totals = this.tree.total.slice(first, first + count);
		return count ? boundsText(this.model, id, totals.map((t) => t[node]), value) : '';
	}

	// Returns the cell of column number I.
	cell(column, i, node) {
		const { total } = this.tree, v = total[i][node];
		const bounds = v ? this.bounds(i, node, v) : '';
		return el('td', { class: `number${column.id === this.lead ? ' lead' : ''}`,
			title: bounds || undefined },
		v ? column.isBytes ? bytes(v) : count(v) : '–',
		v && column.id === this.by ? el('span', { class: 'dim' },
			` ${bounds && `${bounds}, `}${percent(v, total[i][0])}`) : null);
	}

	cells(node) {
		return this.metrics.map((c, i) => this.cell(c, i, node));
	}

	name(node) {
		const { tree, model } = this, where = tree.where(node);
		const isLine = where && tree.isWhole(tree.parent[node]);
		const text = clip(isLine ? where : tree.label(node), 140);
		const isPlace = tree.group === 'line' || tree.group === 'function';
		const name = isPlace ? placeLink(model, tree.placeNumber(node), { text })
			: nameNode(text);
		return [tree.skipped[node] ? '⋯ ' : '', name, ' ',
			isLine ? null : el('span', { class: 'dim' }, clip(where, 60))];
	}
}
