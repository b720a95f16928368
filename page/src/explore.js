// explore.js -- The flame graph with its controls: metric, direction, grouping, search, details.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { boundsText, errorColumns } from './bounds.js';
import { Flame } from './flame.js';
import { GROUPS } from './groups.js';
import { METRICS } from './model.js';
import { placeLink } from './places.js';
import { Tree } from './tree.js';
import { bytes, checkbox, clip, copy, count, debounce, el, foldable, nameNode, percent, select,
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

const NUMBERS = { peak_bytes: 'peak_blocks', end_bytes: 'end_blocks', total_bytes: 'total_blocks' };
const positive = (list) => list.map((v) => v > 0 ? v : 0);

// The values of a metric's name: {self, blocks, unit, title}; blocks may be missing. at-N is a
// snapshot, grown-A-B the growth between two.
export function weightsOf(model, metric) {
	const moment = /^(?:at|grown-(-?\d+))-(\d+)$/.exec(metric);
	if (!moment) {
		const m = METRICS.find((x) => x.id === metric) || METRICS[0], of = NUMBERS[m.id];
		return { self: positive(model.column(m.id)), unit: m.unit, title: m.label,
			blocks: model.has(of) ? positive(model.column(of)) : null };
	}
	const from = moment[1] === undefined ? -1 : Number(moment[1]), to = Number(moment[2]);
	return { self: positive(model.growth(from, to)), unit: 'bytes',
		blocks: positive(model.growth(from, to, 'blocks')),
		title: from < 0 ? `Live at ${model.momentText(to)}` :
			`Growth from ${model.momentText(from)} to ${model.momentText(to)}` };
}

export class Explorer {
	// isPart: it belongs to a view that says what is shown, with setMetric(). FlameKind: Flame,
	// or a class that extends it.
	constructor(model, { isPart = false, FlameKind = Flame } = {}) {
		this.model = model;
		this.isPart = isPart;
		this.metric = '';
		this.flame = new FlameKind(model, { format: (v) => this.format(v),
			onselect: (node, isZoom) => this.selectFrame(node, isZoom),
			onreset: () => model.state.set({ zoom: '', place: '' }) });
		this.found = el('span', { class: 'found', role: 'status' });
		this.search = el('input',
			{ type: 'search', placeholder: 'text or /expression/',
			'aria-label': 'Search functions, files, libraries',
			oninput: debounce(() => model.state.set({ q: this.search.value }, true),
				150) });
		this.panel = el('div', { class: 'details' });
		this.caption = el('p', { class: 'caption' });
		this.out = el('button', { type: 'button', disabled: true, onclick: () =>
			model.state.set({ zoom: '', place: '' }) }, 'Zoom out');
		this.element = el('div', { class: 'explorer' }, this.controls(),
			el('div', { class: 'flame-head' }, this.caption, this.out),
			this.flame.element, this.panel);
	}

	controls() {
		const { model, isPart } = this, { state } = model, list = [];
		this.fields = {};
		const add = (key, field) => {
			this.fields[key] = field.querySelector('select, input');
			list.push(field);
		};
		if (!isPart)
			add('metric', select('Show', this.metrics(), this.defaultMetric(),
				(v) => state.set({ metric: v, zoom: '' })));
		const grow = el('label', { class: 'field grow' }, el('span', {}, 'Search'),
			this.search);
		const first = [...list, grow, this.found];
		list.length = 0;
		add('inverted', select('Direction', [{ value: '0', label: 'callers → allocation' },
			{ value: '1', label: 'inverted: allocation → callers' }], '0',
			(v) => state.set({ inverted: v === '1', zoom: '' })));
		add('group', select('Group by', GROUPS, 'line',
			(v) => state.set({ group: v, zoom: '' })));
		add('fold', checkbox('Fold recursion', false,
			(v) => state.set({ fold: v, zoom: '' })));
		add('runtime', checkbox('Run-time frames', false,
			(v) => state.set({ runtime: v, zoom: '' })));
		return foldable(first, list);
	}

	metrics() {
		const { model } = this;
		const options = METRICS.map((m) => ({ value: m.id, disabled: !model.has(m.id),
			label: model.has(m.id) ? m.label : `${m.label} – not recorded` +
				`${m.need ? ` (use ${m.need})` : ''}` }));
		const shots = model.snapshots.filter((s) => s.hasTree).map((s) =>
			({ value: `at-${s.number}`, label: `${model.momentText(s.number)}: ` +
				`${bytes(s.heap)}` }));
		return shots.length ? [{ label: 'Metric', options },
			{ label: 'Live at a moment', options: shots }] : options;
	}

	defaultMetric() {
		const { model } = this;
		return (METRICS.find((m) => model.has(m.id) && model.sum(m.id) > 0) ||
			METRICS[0]).id;
	}

	// Fixes what a part shows; the view applies the state then.
	setMetric(metric) {
		this.metric = metric;
	}

	// Shows what the state says.
	apply(state) {
		const { fields } = this;
		if (!this.isPart)
			this.metric = this.isMetric(state.metric) ? state.metric
				: this.defaultMetric();
		const options = { inverted: state.inverted, group: state.group, fold: state.fold,
			runtime: state.runtime };
		const key = JSON.stringify([this.metric, options]);
		if (fields.metric)
			this.showMetricField();
		fields.inverted.value = state.inverted ? '1' : '0';
		fields.group.value = state.group;
		fields.fold.checked = state.fold;
		fields.runtime.checked = state.runtime;
		if (document.activeElement !== this.search)
			this.search.value = state.q;
		if (key !== this.key)
			this.build(options);
		this.key = key;
		this.find(state.q);
		this.follow(state);
	}

	isMetric(metric) {
		const { model } = this, moment = /^(?:at|grown-(-?\d+))-(\d+)$/.exec(metric);
		const has = (n) => model.snapshots[n] && model.snapshots[n].hasTree;
		return moment ? has(moment[2]) && (moment[1] === undefined || moment[1] === '-1' ||
			has(moment[1])) : model.has(metric);
	}

	// A growth is no entry of the list until it is shown.
	showMetricField() {
		const field = this.fields.metric, { metric } = this;
		if (metric.startsWith('grown') && ![...field.options].some((o) =>
			o.value === metric))
			field.prepend(el('option', { value: metric },
				weightsOf(this.model, metric).title));
		field.value = metric;
	}

	format(v) {
		return formatter(this.model, this.unit)(v);
	}

	build(options) {
		const { self, blocks, unit, title } = weightsOf(this.model, this.metric);
		this.unit = unit;
		const errors = errorColumns(this.model, this.metric);
		const weights = blocks ? [self, blocks] : [self];
		this.tree = new Tree(this.model, [...weights, ...errors], options);
		this.tree.hasBlocks = !!blocks;
		this.flame.bounds = errors.length ? (sums, v) => boundsText(this.model, this.metric,
			sums.slice(weights.length), v) : null;
		this.flame.show(this.tree);
		const { data } = this.model;
		const cut = data.cut && data.cut.left_out ?
			` Places below ${(data.cut.share * 100).toPrecision(2)} % in every ` +
			'metric are summed up as [smaller places] or behind ⋯.' : '';
		this.caption.textContent = `${title}: ${this.format(this.tree.total[0][0])}.${cut}`;
	}

	// Zooms and selects as the state says. A frame that was chosen here stays chosen.
	follow(state) {
		const { model, flame, tree } = this, place = model.findPlace(state.place);
		const zoom = state.zoom ? tree.find(state.zoom) : 0;
		if (flame.chosen && !model.isPartOf(tree.placeNumber(flame.chosen), place))
			flame.chosen = 0;
		if (!flame.chosen && place)
			flame.chosen = flame.largestOf(place);
		flame.select(place, zoom);
		this.out.disabled = !zoom && !flame.chosen;
		this.details(flame.chosen);
	}

	selectFrame(node, isZoom) {
		const { model, tree } = this, place = node ? tree.placeNumber(node) : 0;
		model.state.set({ place: place ? model.placeText(place) : '',
			...(isZoom ? { zoom: tree.address(node) } : {}) }, !isZoom);
	}

	print(width) {
		this.flame.print(width);
	}

	find(text) {
		const result = this.flame.match(toPattern(text.trim()));
		this.found.textContent = result
			? `${count(result.frames)} frame${result.frames === 1 ? '' : 's'}, ` +
			`${this.format(result.value)} (` +
			`${percent(result.value, this.tree.total[0][0])})` : '';
	}

	totalText(node) {
		return this.format(this.tree.total[0][node]);
	}

	ownText(node) {
		return this.format(this.tree.self[0][node]);
	}

	stackText(node) {
		const { tree } = this, lines = tree.path(node)
			.map((n) => `  ${tree.text(n, true)}`);
		return `${this.totalText(node)}\n${lines.join('\n')}\n`;
	}

	details(node) {
		if (!node) {
			this.panel.replaceChildren(el('p', { class: 'hint screen' },
				'Choose a frame to see what it is, and to zoom.'));
			return;
		}
		const { tree } = this;
		const chain = tree.path(node).map((n) => el('li', {}, tree.group === 'line'
			? placeLink(this.model, tree.placeNumber(n), { text: tree.text(n),
				length: 200 }) : nameNode(clip(tree.text(n), 200))));
		this.panel.replaceChildren(el('div', { class: 'details-head' },
			el('h3', {}, nameNode(clip(tree.text(node), 200))),
			el('button', { type: 'button', onclick: (e) => copy(this.stackText(node),
				e.target) }, 'Copy stack')),
			el('div', { class: 'columns' }, el('dl', {}, this.facts(node)),
				el('div', {},
					el('h4', {}, tree.isInverted
					? 'This place, then what it called'
					: 'This place, then its callers'),
					el('ol', { class: 'chain' }, chain.slice(0, 60),
						chain.length > 60
						? el('li', {}, `… ${chain.length - 60} more`)
						: null))));
	}

	facts(node) {
		const { tree, flame } = this, p = tree.place(node), rows = [], { group } = tree;
		const add = (name, value) => value && rows.push(el('dt', {}, name),
			el('dd', {}, nameNode(value)));
		add('Function', p.name && group !== 'file' && group !== 'object'
			? clip(p.name, 4000) : '');
		add('Source', p.file && group !== 'object'
			? `${p.file}${p.line && group === 'line' ? `:${p.line}` : ''}` : '');
		add('Object', p.object);
		add('With all below', flame.value(node));
		add('Itself', this.ownText(node));
		add('Note', p.flags & 1 ? 'This call was inlined by the compiler.'
			: tree.skipped[node]
			? 'Frames between this one and its caller are left out.' : '');
		return rows;
	}
}
