// timeline.js -- Memory over time; the places that held it at a moment, or grew between two.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { boundsOf, errorColumns } from './bounds.js';
import { Chart } from './chart.js';
import { axes } from './curves.js';
import { Explorer } from './explore.js';
import { LIST_GROUPS } from './groups.js';
import { entryLink, placeLink, stateLink } from './places.js';
import { bytes, clip, el, foldable, many, moreButton, percent, say, select, time } from './util.js';

const LISTED = 8; // places listed at first

export class Timeline {
	constructor(model) {
		const { state } = model;
		this.model = model;
		this.moments = model.snapshots.filter((s) => s.hasTree);
		this.chart = new Chart(model, {
			onpick: (n, place) => state.set({ from: -1, to: n, ...(place
				? { place: model.placeText(place) } : {}) }),
			onrange: (a, b) => this.setRange(a, b) });
		this.panel = el('div', { class: 'moment' });
		this.element = el('div', {}, this.controls(), el('div', { class: 'course' },
			this.chart.legend, this.chart.box), this.chart.live, this.panel);
		this.isReady = this.isLong = false;
	}

	controls() {
		const { model } = this, { state } = model, first = [], more = [];
		this.fields = {};
		const add = (list, key, field) => {
			this.fields[key] = field.querySelector('select');
			list.push(field);
		};
		if (this.moments.length) {
			const kind = (s) => s.kind === 'peak' || s.kind === 'end'
				? ` (${s.kind})` : '';
			const options = this.moments.map((s) => ({ value: String(s.number),
				label: `${time(s.t, model.unit)}: ${bytes(s.heap)}${kind(s)}` +
					`${s.name ? ` “${clip(s.name, 30)}”` : ''}` }));
			add(first, 'from', select('From', [{ value: '-1', label:
				'the start: nothing live' }, ...options], '-1',
			(v) => this.setRange(Number(v), this.to)));
			add(first, 'to', select('To', options, '', (v) =>
				this.setRange(this.from, Number(v))));
			first.push(el('div', { class: 'stepper' },
				el('button', { type: 'button', 'aria-label': 'Moment before',
					onclick: () => this.step(-1) }, '◀'),
				el('button', { type: 'button', 'aria-label': 'Next moment',
					onclick: () => this.step(1) }, '▶')));
		}
		if (this.moments.length > 1)
			first.push(el('button', { type: 'button', class: 'main',
				title: 'What grew between the first and the last moment in view',
				onclick: () => this.growthInView() }, 'What grew in view'));
		add(more, 'axis', select('X axis', axes(model), 't',
			(v) => state.set({ axis: v })));
		if (this.moments.length > 1)
			add(more, 'stacked', select('Show', [{ value: '0', label: 'curves' },
				{ value: '1', label: 'areas by place' }], '0',
			(v) => state.set({ stacked: v === '1' })));
		if (this.moments.length)
			add(more, 'list', select('Places are', LIST_GROUPS, 'function',
				(v) => state.set({ list: v })));
		more.push(el('button', { type: 'button', onclick: () => this.chart.zoom(0.5) },
			'Zoom in'),
		this.moments.length ? el('button', { type: 'button', onclick: () =>
			this.chart.zoomToRange() }, 'Zoom to From – To') : null,
		el('button', { type: 'button', onclick: () => this.chart.plot() }, 'Whole run'));
		return foldable(first, more);
	}

	// Called when the tab is shown: before that a plot has no width.
	shown() {
		this.chart.resize();
	}

	// Shows what the state says.
	apply(state) {
		const { model, fields } = this, place = model.findPlace(state.place);
		[this.from, this.to] = this.range(state);
		if (this.moments.length) {
			fields.from.value = String(this.from);
			fields.to.value = String(this.to);
			fields.list.value = this.group = state.list;
		}
		const axis = axes(model).some((a) => a.value === state.axis) ? state.axis : 't';
		const isStacked = state.stacked && this.moments.length > 1 && axis !== 'call';
		fields.axis.value = axis;
		if (fields.stacked)
			fields.stacked.value = isStacked ? '1' : '0';
		this.chart.show({ axis, isStacked, range: [this.from, this.to], place,
			group: state.list });
		if (!this.isReady)
			this.chart.start();
		this.isReady = true;
		this.showMoment();
		if (this.explorer)
			this.explorer.apply(state);
	}

	// The moments of the state that exist: [from, to]; to is the peak if none is named.
	range(state) {
		const { model } = this, has = (n) => n !== null && n >= 0 && model.snapshots[n] &&
			model.snapshots[n].hasTree;
		const peak = model.snapshots[model.peakSnapshot];
		const to = has(state.to) ? state.to : peak ? model.nearest('number', peak.number)
			: -1;
		return [has(state.from) && state.from < to ? state.from : -1, to];
	}

	// Shows what grew between two moments, in whichever order.
	setRange(from, to) {
		if (from === to)
			from = -1;
		else if (from > to && to >= 0)
			[from, to] = [to, from];
		this.model.state.set({ from, to, zoom: '' });
	}

	redraw() {
		if (this.isReady)
			this.chart.plot();
	}

	print(width) {
		this.chart.print(width);
		if (this.explorer)
			this.explorer.print(width);
	}

	growthInView() {
		const inside = this.chart.inView(), range = this.model.growthRange();
		const isWhole = inside.length === this.moments.length;
		if (isWhole && range)
			this.setRange(...range);
		else if (inside.length > 1)
			this.setRange(inside[0].number, inside[inside.length - 1].number);
		else
			say('Less than two moments with places are in view.');
	}

	step(by) {
		const i = this.moments.findIndex((s) => s.number === this.to) + by;
		if (this.moments[i])
			this.setRange(this.from >= this.moments[i].number ? -1 : this.from,
				this.moments[i].number);
	}

	showMoment() {
		const { model, from, to } = this;
		const [a, b] = [from, to].map((n) => model.snapshots[n]);
		const key = `${from} ${to} ${this.isLong} ${this.group}`;
		if (key === this.shownKey)
			return;
		this.shownKey = key;
		if (!b) {
			this.panel.replaceChildren();
			return;
		}
		this.explorer ||= new Explorer(model, { isPart: true });
		this.explorer.setMetric(a ? `grown-${from}-${to}` : `at-${to}`);
		const grown = a ? b.heap - a.heap : 0;
		const title = a ? `What grew from ${time(a.t, model.unit)} to ` +
			`${time(b.t, model.unit)}: ${grown > 0 ? '+' : ''}${bytes(grown)}`
			: `Live at ${time(b.t, model.unit)}` +
			`${b.kind === 'peak' || b.kind === 'end' ? `, the ${b.kind}` : ''}` +
			`${b.name ? ` “${clip(b.name, 60)}”` : ''}: ${bytes(b.heap)}`;
		const link = stateLink(model, () => ({ view: 'flame', metric: this.explorer.metric,
			zoom: '' }), {}, 'Flame graph of it →');
		this.panel.replaceChildren(el('section', { class: 'panel' },
			el('div', { class: 'details-head' }, el('h3', {}, title), link),
			this.list(model.growth(from, to), a, this.explorer.metric)),
		this.explorer.element);
	}

	// Lists the places that held, or grew, most; those that shrank are last.
	list(self, isGrowth, metric) {
		const { model } = this, all = model.byGroup(self, this.group)
			.filter((e) => e.value !== 0);
		const hasBounds = errorColumns(model, metric).length > 0;
		const whole = all.reduce((s, e) => s + Math.max(0, e.value), 0);
		const shown = this.isLong ? all : all.slice(0, LISTED);
		const head = [el('th', { class: 'number' }, isGrowth ? 'Growth' : 'Bytes'),
			hasBounds ? el('th', { class: 'number' }, 'Bounds (95 %)') : null,
			el('th', { class: 'number' }, 'Share'),
			el('th', { 'aria-hidden': 'true' }), el('th', {}, 'Place')];
		const row = (e, name, isLine) => el('tr', { class: isLine ? 'line-row' : '' },
			el('td', { class: 'number' },
				`${isGrowth && e.value > 0 ? '+' : ''}${bytes(e.value)}`),
			hasBounds ? el('td', { class: 'number dim' },
				boundsOf(model, metric, e.nodes)) : null,
			el('td', { class: 'number' }, e.value > 0 ? percent(e.value, whole) : ''),
			el('td', { class: 'bar-cell', 'aria-hidden': 'true' }, isLine ? null
				: el('div', { class: 'track' }, el('div', { class: e.value < 0
					? 'bar less' : 'bar', style: { width: `${Math.min(100,
					100 * Math.abs(e.value) / (whole || 1))}%` } }))),
			el('td', {}, name));
		const rows = (e) => [row(e, [entryLink(model, e, { length: 160 }), ' ',
			el('span', { class: 'dim' }, clip(e.where, 80))]),
		e.lines.map((l) => row(l, placeLink(model, l.place,
			{ text: l.where || '[no line]' }), true))];
		return [el('table', { class: 'list bars' }, el('thead', {}, el('tr', {}, head)),
			el('tbody', {}, shown.map(rows))),
		all.length > LISTED ? moreButton(this.isLong ? 'Show fewer'
			: `Show all ${many(all.length, 'place')}`, shown.length, all.length, () => {
			this.isLong = !this.isLong;
			this.showMoment();
		}) : null];
	}
}
