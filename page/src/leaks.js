// leaks.js -- The leak check: what nothing points to any more, by place, and which blocks that
// earlier checks called lost were freed after all.
//
// The words are those of the text (memusageprint --leak-check).
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { GROUPS } from './groups.js';
import { CALLED, DEFINITE, FOUND, FREED, INDIRECT, lossesByGroup, lossSums, lost, lostBlocks,
	POSSIBLE, REACHABLE, setGained, WITH } from './losses.js';
import { nodeLink } from './places.js';
import { bytes, checkbox, count, el, many, moreButton, percent, select, time } from './util.js';

const PAGE = 100; // rows of a table shown at once
const KINDS = [
	{ kind: DEFINITE, text: 'definitely lost: nothing leads to them', color: 'part-1' },
	{ kind: INDIRECT, text: 'indirectly lost: only lost blocks lead to them', color: 'part-2' },
	{ kind: POSSIBLE, text: 'possibly lost: only pointers to their middle lead to them',
		color: 'part-4' },
	{ kind: REACHABLE, text: 'still reachable', color: 'part-0' },
];
const COLUMNS = [
	{ id: 'definite', kind: DEFINITE, label: 'Definitely lost',
		note: 'nothing leads to these blocks' },
	{ id: 'with', kind: WITH, label: 'With them',
		note: 'what is lost with these blocks, by whatever place it was allocated' },
	{ id: 'indirect', kind: INDIRECT, label: 'Indirectly lost',
		note: 'only lost blocks lead to these' },
	{ id: 'possible', kind: POSSIBLE, label: 'Possibly lost',
		note: 'only pointers to their middle lead to these blocks' },
	{ id: 'reachable', kind: REACHABLE, label: 'Still reachable',
		note: 'a pointer leads to these blocks' },
	{ id: 'gained', label: 'Gained', note: 'lost since the first check' },
];
const FATES = [
	{ id: 'freed', kind: FREED, label: 'Freed since', note: 'freed or reallocated' },
	{ id: 'found', kind: FOUND, label: 'No longer lost',
		note: 'still there, and a pointer leads to them' },
	{ id: 'called', kind: CALLED, label: 'Called lost', note: 'by any earlier check' },
];

const bytesIn = (sums, kind) =>
	`${bytes(sums.bytes[kind])} in ${many(sums.blocks[kind], 'block')}`;

export class Leaks {
	constructor(model) {
		const { state } = model, { checks } = model.data.leaks;
		this.model = model;
		this.check = checks[checks.length - 1];
		this.first = checks.length > 1 ? checks[0] : null;
		this.sums = lossSums(this.check);
		this.losses = el('div', {});
		this.fates = el('div', {});
		const field = select('Group by', GROUPS, state.list,
			(v) => state.set({ list: v }));
		this.group = field.querySelector('select');
		this.all = checkbox('Also places without a lost block', false,
			(v) => state.set({ reachable: v }));
		this.element = el('div', { class: 'summary' }, this.opening(), this.kinds(),
			el('div', { class: 'controls list-controls' }, this.all, field),
			this.losses, this.freed());
	}

	opening() {
		const { check, sums } = this, when = check.at_end ? 'At the end'
			: `${time(check.t)} after the start`;
		const all = sums.bytes[REACHABLE] + sums.bytes[POSSIBLE] + lost(sums);
		const text = (answer, rest) => el('div', { class: 'opening' }, el('p', {},
			`${when} `, el('b', {}, answer), rest));
		if (lostBlocks(sums))
			return text(`${bytes(lost(sums))} in ${many(lostBlocks(sums), 'block')}`,
				` were lost, ${percent(lost(sums), all)} of what was live: no ` +
				'pointer leads to them any more.');
		if (sums.blocks[POSSIBLE])
			return text('no block was definitely lost',
				`; ${bytesIn(sums, POSSIBLE)} possibly were.`);
		const reached = many(sums.blocks[REACHABLE], 'block');
		return text('no block was lost', sums.blocks[REACHABLE]
			? `: pointers lead to all of ${reached}.` : ': none was live.');
	}

	kinds() {
		const { check, sums } = this, shown = KINDS.filter((k) => sums.blocks[k.kind]);
		const all = shown.reduce((s, k) => s + sums.bytes[k.kind], 0);
		const row = (k) => el('li', {},
			el('span', { class: `swatch ${k.color}`, 'aria-hidden': 'true' }),
			el('span', { class: 'number' }, bytes(sums.bytes[k.kind])),
			el('span', { class: 'number dim' }, percent(sums.bytes[k.kind], all)),
			el('span', {}, `${many(sums.blocks[k.kind], 'block')} ${k.text}`));
		const hints = [];
		if (!check.at_end && check.pause)
			hints.push(`The process was stopped for ${time(check.pause)}.`);
		if (check.is_incomplete)
			hints.push('Some memory could not be read: blocks may seem lost.');
		return shown.length ? el('section', { class: 'panel memory' },
			el('h3', {}, `The ${bytes(all)} of live blocks`),
			el('div', { class: 'stack-bar', 'aria-hidden': 'true' },
				shown.map((k) => el('div', { class: k.color,
					title: `${bytesIn(sums, k.kind)} ${k.text}`,
					style: { flexGrow: String(sums.bytes[k.kind]) } }))),
			el('ul', { class: 'parts' }, shown.map(row)),
			hints.length ? el('p', { class: 'hint' }, hints.join(' ')) : null) : null;
	}

	// A panel only if it says something, as in the text.
	freed() {
		const { sums } = this, freed = sums.blocks[FREED], found = sums.blocks[FOUND];
		if (!freed && !found)
			return null;
		const left = { bytes: [sums.bytes[CALLED] - sums.bytes[FREED] - sums.bytes[FOUND]],
			blocks: [sums.blocks[CALLED] - freed - found] };
		const was = freed === 1 ? 'was' : 'were';
		return el('section', { class: 'panel' }, el('h3', {}, 'Freed after all'),
			el('p', {}, `Earlier checks called ${bytesIn(sums, CALLED)} lost. `,
				el('b', {}, `${bytesIn(sums, FREED)} ${was} freed or ` +
				'reallocated since'), ', and so not lost: the program knows ' +
				'addresses that no check sees, because they are encoded or ' +
				'outside of its memory. ',
				found ? `${bytesIn(sums, FOUND)} can be reached again. ` : '',
				left.blocks[0] ? `${bytesIn(left, 0)} stay lost.`
					: 'None stays lost.'),
			this.fates);
	}

	// Shows what the state says.
	apply(state) {
		const { model, check, first } = this, { list, loss, reachable } = state;
		this.group.value = list;
		this.all.querySelector('input').checked = reachable;
		if (list !== this.built) {
			this.groups = lossesByGroup(model, check, list);
			if (first)
				setGained(this.groups, lossesByGroup(model, first, list));
			this.built = list;
			this.limit = PAGE;
		}
		const isLost = (g) => g.gained > 0 ||
			[DEFINITE, INDIRECT, POSSIBLE].some((k) => g.blocks[k]);
		const rows = this.groups.filter((g) => isLost(g) ||
			reachable && g.blocks[REACHABLE]);
		const columns = COLUMNS.filter((c) => c.kind === undefined
			? rows.some((g) => g.gained) : this.sums.blocks[c.kind]);
		const isUp = loss.startsWith('-'), column = columns.find((c) =>
			c.id === loss.replace(/^-/, '')) || columns[0];
		this.losses.replaceChildren(rows.length
			? this.table(this.sorted(rows, column, isUp), columns, column)
			: el('p', { class: 'hint' }, 'No place has lost blocks.'));
		this.fates.replaceChildren(this.table(this.sorted(this.groups.filter((g) =>
			g.blocks[FREED] || g.blocks[FOUND]), FATES[0]), FATES, null));
	}

	value(group, column) {
		return column.kind === undefined ? group.gained : group.bytes[column.kind];
	}

	// The largest first, or last; equal ones by what is lost, then by what is reachable.
	sorted(rows, column, isUp = false) {
		const next = [DEFINITE, WITH, INDIRECT, POSSIBLE, FOUND, REACHABLE];
		const sign = isUp ? -1 : 1;
		return rows.sort((a, b) => sign * (this.value(b, column) - this.value(a, column)) ||
			next.reduce((d, k) => d || b.bytes[k] - a.bytes[k], 0));
	}

	// by: the column that rows are sorted by, if the user can choose; null: there is no choice.
	table(rows, columns, by) {
		const { model, limit } = this, lead = by || columns[0], style = (c) =>
			`number${c.id === lead.id ? ' lead' : ''}${by && c.id === by.id
				? ' is-sorted' : ''}`;
		const shown = rows.slice(0, limit);
		const body = shown.map((g) => el('tr', {}, columns.map((c) => this.cell(g, c,
			style(c))), el('td', { class: 'tree-name' },
			nodeLink(model, g.node, model.state.list))));
		const head = el('tr', {}, columns.map((c) => this.header(c, by, style(c))),
			el('th', { scope: 'col', class: by ? 'heading' : '' },
				'Blocks allocated by'));
		return el('div', { class: 'table-box' }, el('table', { class: 'tree-table' },
			el('thead', {}, head), el('tbody', {}, body)),
		rows.length > shown.length ? moreButton(`Show all ${count(rows.length)}`,
			shown.length, rows.length, () => {
				this.limit = Infinity;
				this.apply(model.state);
			}) : null);
	}

	header(column, by, style) {
		const { state } = this.model, { id, label, note } = column;
		const isUp = state.loss.startsWith('-'), isSorted = by && id === by.id;
		if (!by)
			return el('th', { scope: 'col', class: style, title: note }, label);
		return el('th', { scope: 'col', class: style, 'aria-sort': !isSorted ? 'none'
			: isUp ? 'ascending' : 'descending' }, el('button', { type: 'button',
			class: 'sort', title: note, 'data-sort': id, onclick: () => {
				state.set({ loss: isSorted && !isUp ? `-${id}` : id });
				this.losses.querySelector(`[data-sort=${id}]`).focus();
			} }, label, el('span', { 'aria-hidden': 'true' },
			isSorted ? isUp ? ' ▲' : ' ▼' : '')));
	}

	cell(group, column, style) {
		const v = this.value(group, column), blocks = column.kind === undefined ? 0
			: group.blocks[column.kind];
		return el('td', { class: style }, v || blocks
			? `${column.kind === undefined && v > 0 ? '+' : ''}${bytes(v)}` : '–',
		blocks ? el('span', { class: 'dim' }, ` ${count(blocks)} ×`) : null);
	}
}
