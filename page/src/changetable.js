// changetable.js -- Program points of two files as a table, what grew most first, and below each
// place its callers.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { change, changeText, chosenMoment, columnsOf, isWithinError, moments, WITHIN }
	from './changes.js';
import { Table } from './table.js';
import { Tree } from './tree.js';
import { bytes, el, select } from './util.js';

const COLUMNS = [
	{ id: 'change', label: 'Change', note: 'new less old' },
	{ id: 'old', label: 'Old', note: 'bytes in the old file' },
	{ id: 'new', label: 'New', note: 'bytes in the new file' },
];

export class ChangeTable extends Table {
	constructor(model) {
		super(model);
		const field = select('Show', moments(model).map((m) =>
			({ value: m.id, label: m.label })), '',
		(v) => model.state.set({ compare: v }));
		this.moment = field.querySelector('select');
		this.element.querySelector('.controls').prepend(field);
	}

	listColumns() {
		return COLUMNS;
	}

	apply(state) {
		const { id } = chosenMoment(this.model);
		if (id !== this.moment.value || id !== this.metric)
			this.built = ''; // its figures are others
		this.metric = this.moment.value = id;
		super.apply(state);
	}

	build(options) {
		const columns = columnsOf(this.model, this.metric), [old, now] = columns;
		// Sites whose change is none have memory, too.
		this.tree = new Tree(this.model, [now.map((v, i) => v - old[i]), ...columns],
			options);
		this.open.clear();
		this.limit.clear();
	}

	// Of estimates what may be chance is grey, and says so.
	cell(column, i, node) {
		const sums = this.tree.total.slice(1).map((t) => t[node]);
		const isWithin = isWithinError(this.model, sums);
		const text = column.id !== 'change' ? bytes(this.tree.total[i][node])
			: change(sums) === 0 ? '–' : changeText(this.model, sums);
		return el('td', { class: `number${column.id === this.lead ? ' lead' : ''}` +
			`${isWithin ? ' dim' : ''}`, title: isWithin ? WITHIN : undefined }, text,
		isWithin && column.id === 'change' ? el('div', { class: 'chance' },
			'within the error') : null);
	}
}
