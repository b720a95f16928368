// treegrid.js -- A table whose rows are a tree: rows open and close, by mouse and by keyboard.
//
// A view extends it with: columns(), how many columns there are before the name; headers();
// rowsBelow(node), a list or null; above(node); cells(node); name(node), contents of cells;
// isMarked(node). Node 0 is the root, which has no row.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { count, el, moreButton } from './util.js';

const PAGE = 100; // rows of a place shown at once
const OPENED = 300; // rows that a search opens

export class TreeGrid {
	constructor(label) {
		this.open = new Set();
		this.limit = new Map();
		// Per node: 2 it matches, 1 something below it does; null: no search.
		this.hits = null;
		this.body = el('tbody', {});
		this.head = el('tr', {});
		this.grid = el('table', { class: 'tree-table', role: 'treegrid', 'aria-label':
			label }, el('thead', {}, this.head), this.body);
		this.grid.addEventListener('keydown', (e) => this.key(e));
		this.box = el('div', { class: 'table-box' }, this.grid);
	}

	isMarked() {
		return false;
	}

	// Marks the COUNT nodes for which matches(node) is true, and opens the rows on the way to
	// them. Returns how many match.
	markHits(nodes, matches) {
		let n = 0, opened = 0;
		this.hits = new Uint8Array(nodes);
		for (let i = 1; i < nodes; i++) {
			if (matches(i)) {
				this.hits[i] = 2;
				n++;
			}
		}
		for (let i = nodes - 1; i > 0; i--) {
			const up = this.above(i);
			if (!this.hits[i] || this.hits[up])
				continue;
			this.hits[up] = 1;
			if (up > 0 && opened++ < OPENED)
				this.open.add(up);
		}
		return n;
	}

	// Makes sure that a row among the first ones is not beyond their limit.
	showFirst(index) {
		if (index >= (this.limit.get(0) || PAGE))
			this.limit.set(0, index + 1);
	}

	render() {
		const rows = [], active = document.activeElement;
		const at = active && active.closest && this.body.contains(active)
			? active.closest('tr').dataset.node : undefined;
		this.head.replaceChildren(...this.headers());
		this.addRows(rows, 0, 1);
		this.body.replaceChildren(...rows.length ? rows : [el('tr', {}, el('td', { colSpan:
			this.columns() + 1, class: 'dim' }, 'Nothing matches.'))]);
		const row = at !== undefined && this.body.querySelector(`tr[data-node="${at}"]`);
		const first = row || this.body.querySelector('tr[data-node]');
		if (first)
			first.tabIndex = 0;
		if (row)
			row.focus({ preventScroll: true });
	}

	addRows(rows, parent, level) {
		const { hits } = this, all = (this.rowsBelow(parent) || [])
			.filter((n) => !hits || hits[n] || hits[parent] === 2);
		const most = this.limit.get(parent) || PAGE;
		for (const node of all.slice(0, most)) {
			const isOpen = this.open.has(node);
			rows.push(this.row(node, level, isOpen));
			if (isOpen)
				this.addRows(rows, node, level + 1);
		}
		if (all.length > most)
			rows.push(el('tr', {}, el('td', { colSpan: this.columns() + 1 },
				moreButton(`Show more of ${count(all.length)}`, most, all.length,
					() => {
						this.limit.set(parent, most + PAGE);
						this.render();
					}))));
	}

	row(node, level, isOpen) {
		const { hits } = this, hasMore = !!this.rowsBelow(node);
		const isMarked = this.isMarked(node);
		const row = el('tr', { role: 'row', tabIndex: -1, 'aria-level': level,
			'aria-expanded': hasMore ? String(isOpen) : undefined,
			'aria-selected': isMarked ? 'true' : undefined,
			class: `${isMarked ? 'is-selected' : ''}` +
				`${hits && hits[node] === 2 ? ' hit-row' : ''}` },
		this.cells(node), el('td', { class: 'tree-name',
			style: { paddingInlineStart: `${Math.min(level - 1, 20) * 1.1}rem` } },
		el('button', { type: 'button', class: 'twist', tabIndex: -1,
			'aria-label': isOpen ? 'Close' : 'Open', disabled: !hasMore,
			onclick: () => this.toggle(node) }, hasMore ? isOpen ? '▾' : '▸' : '·'),
		this.name(node)));
		row.dataset.node = node;
		return row;
	}

	// Opens a row, and those below it as long as there is one only.
	toggle(node) {
		if (this.open.delete(node)) {
			this.render();
			return;
		}
		for (let at = node; at; ) {
			this.open.add(at);
			const below = this.rowsBelow(at) || [];
			at = below.length === 1 ? below[0] : 0;
		}
		this.render();
	}

	key(e) {
		const row = e.target.closest('tbody tr');
		if (!row || e.target !== row || row.dataset.node === undefined)
			return;
		const rows = [...this.body.querySelectorAll('tr[data-node]')];
		const i = rows.indexOf(row);
		const node = Number(row.dataset.node), isOpen = this.open.has(node);
		const go = (to) => {
			if (to) {
				row.tabIndex = -1;
				to.tabIndex = 0;
				to.focus();
			}
		};
		switch (e.key) {
		case 'ArrowDown': go(rows[i + 1]); break;
		case 'ArrowUp': go(rows[i - 1]); break;
		case 'Home': go(rows[0]); break;
		case 'End': go(rows[rows.length - 1]); break;
		case 'ArrowRight':
			if (!isOpen && this.rowsBelow(node))
				this.toggle(node);
			else
				go(rows[i + 1]);
			break;
		case 'ArrowLeft':
			if (isOpen)
				this.toggle(node);
			else
				go(rows.find((r) => Number(r.dataset.node) === this.above(node)));
			break;
		case 'Enter': {
			const link = row.querySelector('a.place');
			if (link)
				link.click();
			break;
		}
		default: return;
		}
		e.preventDefault();
	}
}
