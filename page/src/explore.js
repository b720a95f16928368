// explore.js -- The flame graph with its controls: metric, direction, grouping, search, details.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { Flame } from './flame.js';
import { METRICS } from './model.js';
import { GROUPS, Tree } from './tree.js';
import { bytes, checkbox, clip, copy, count, debounce, el, nameNode, percent, select,
	time } from './util.js';

export function formatter(model, unit) {
	return unit === 'blocks' ? (v) => `${count(v)} block${v === 1 ? '' : 's'}` :
		unit === 'time' ? (v) => time(v, model.lifeUnit) : bytes;
}

// Converts a search text to an expression: between slashes it is one, otherwise plain words.
export function toPattern(text) {
	if (!text)
		return null;
	const slashes = text.match(/^\/(.+)\/$/);
	try {
		return new RegExp(slashes ? slashes[1] : text.replace(/[.*+?^${}()|[\]\\]/g,
			'\\$&'), 'i');
	} catch {
		return null;
	}
}

export class Explorer {
	// what: {self, format, caption} fixes the metric; without it the user can choose one.
	constructor(model, { what = null, openPoints = null } = {}) {
		this.model = model;
		this.what = what;
		this.openPoints = openPoints;
		this.options = { inverted: false, group: 'line', fold: false };
		this.metric = what ? null
			: (METRICS.find((m) => model.has(m.id) && model.sum(m.id) > 0) ||
			METRICS[0]).id;
		this.flame = new Flame({ format: (v) => this.format(v), onselect: (n) =>
			this.details(n) });
		this.found = el('span', { class: 'found', role: 'status' });
		this.search = el('input',
			{ type: 'search', placeholder: 'Search: text or /expression/',
			'aria-label': 'Search functions, files, libraries',
			oninput: debounce(() => this.find(), 150) });
		this.panel = el('div', { class: 'details' });
		this.caption = el('p', { class: 'caption' });
		this.element = el('div', { class: 'explorer' }, this.controls(), this.caption,
			this.flame.element, this.panel);
		this.update();
	}

	controls() {
		const { model } = this, list = [];
		if (!this.what) {
			const options = METRICS.map((m) => ({ value: m.id,
				label: model.has(m.id) ? m.label
					: `${m.label} – not recorded` +
					`${m.need ? ` (use ${m.need})` : ''}`,
				disabled: !model.has(m.id) }));
			const shots = model.snapshots.filter((s) => s.hasTree)
				.map((s) => ({ value: `snapshot-${s.number}`,
				label: `Snapshot ${s.number}` +
					`${s.kind === 'peak' ? ' (peak)' : ''}, ` +
					`${time(s.t, model.unit)}: ${bytes(s.heap)}` }));
			const all = shots.length ? [{ label: 'Metric', options },
				{ label: 'Live at a moment', options: shots }] : options;
			this.metricField = select('Show', all, this.metric,
				(v) => { this.metric = v; this.update(); });
			list.push(this.metricField);
		}
		list.push(select('Direction', [{ value: 'no', label: 'callers → allocation' },
			{ value: 'yes', label: 'inverted: allocation → callers' }],
			'no', (v) => { this.options.inverted = v === 'yes'; this.update(); }));
		list.push(select('Group by', GROUPS, 'line',
			(v) => { this.options.group = v; this.update(); }));
		list.push(checkbox('Fold recursion', false,
			(v) => { this.options.fold = v; this.update(); }));
		list.push(el('label', { class: 'field grow' }, el('span', {}, 'Search'),
			this.search), this.found);
		list.push(el('button', { type: 'button', onclick: () => this.flame.reset() },
			'Zoom out'));
		return el('div', { class: 'controls' }, list);
	}

	show(metric) {
		this.metric = metric;
		if (this.metricField)
			this.metricField.querySelector('select').value = metric;
		this.update();
	}

	setWhat(what) {
		this.what = what;
		this.update();
	}

	print(width) {
		this.flame.print(width);
	}

	format(v) {
		if (this.what)
			return (this.what.format || bytes)(v);
		const m = METRICS.find((x) => x.id === this.metric);
		return formatter(this.model, m ? m.unit : 'bytes')(v);
	}

	weights() {
		if (this.what)
			return this.what.self;
		const shot = /^snapshot-(\d+)$/.exec(this.metric);
		return shot ? this.model.atSnapshot(Number(shot[1]))
			: this.model.column(this.metric);
	}

	update() {
		const self = this.weights().map((v) => v > 0 ? v : 0);
		this.tree = new Tree(this.model, [self], this.options);
		this.flame.show(this.tree);
		this.caption.textContent = this.captionText();
		this.find();
		this.details(null);
	}

	captionText() {
		const all = this.format(this.tree.total[0][0]), { data } = this.model;
		const cut = data.cut && data.cut.left_out ?
			` Places below ${(data.cut.share * 100).toPrecision(2)} % in every ` +
			`metric are summed up as [smaller places] or behind ⋯.` : '';
		return `${this.what && this.what.caption ? this.what.caption : 'All together'}: ` +
			`${all}.${cut}`;
	}

	find() {
		const result = this.flame.match(toPattern(this.search.value.trim()));
		this.found.textContent = result
			? `${count(result.frames)} frame${result.frames === 1 ? '' : 's'}, ` +
			`${this.format(result.value)} (` +
			`${percent(result.value, this.tree.total[0][0])})` : '';
		this.flame.draw();
	}

	stackText(node) {
		const { tree } = this, lines = tree.path(node)
			.map((n) => `  ${tree.text(n, true)}`);
		return `${this.format(tree.total[0][node])}\n${lines.join('\n')}\n`;
	}

	details(node) {
		if (node === null || node === 0) {
			this.panel.replaceChildren(el('p', { class: 'hint screen' },
				'Choose a frame to see what it is; click zooms, Escape or “Zoom ' +
				'out” goes back.'));
			return;
		}
		const { tree } = this, p = tree.place(node), rows = [];
		const add = (name, value) => value && rows.push(el('dt', {}, name),
			el('dd', {}, nameNode(value)));
		add('Function', p.name && this.options.group !== 'file' &&
			this.options.group !== 'object' ? clip(p.name, 4000) : '');
		add('Source', p.file && this.options.group !== 'object'
			? `${p.file}${p.line && this.options.group === 'line' ? `:${p.line}` : ''}`
			: '');
		add('Object', p.object);
		add('With all below', this.flame.value(node));
		add('Itself', this.format(tree.self[0][node]));
		add('Note', p.flags & 1 ? 'This call was inlined by the compiler.'
			: tree.skipped[node]
			? 'Frames between this one and its caller are left out.' : '');
		const chain = tree.path(node)
			.map((n) => el('li', {}, nameNode(clip(tree.text(n), 200))));
		this.panel.replaceChildren(el('div', { class: 'details-head' },
			el('h3', {}, nameNode(clip(tree.text(node), 200))),
			el('button', { type: 'button', onclick: (e) => copy(this.stackText(node),
				e.target) }, 'Copy stack')),
			el('div', { class: 'columns' }, el('dl', {}, rows),
				el('div', {},
					el('h4', {}, this.options.inverted
					? 'This place, then what it called'
					: 'This place, then its callers'),
					el('ol', { class: 'chain' }, chain.slice(0, 60),
						chain.length > 60
						? el('li', {}, `… ${chain.length - 60} more`)
						: null))));
	}
}
