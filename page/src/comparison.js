// comparison.js -- The Summary of two files: what became of each sum, both heaps over time, and the
// places that grew and shrank most.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import uPlot from 'uplot';
import { change, changesByGroup, changeText, chosenMoment, columnsOf, isWithinError, moments,
	signed, totals, WITHIN } from './changes.js';
import { valueAt } from './curves.js';
import { LIST_GROUPS } from './groups.js';
import { entryLink } from './places.js';
import { byteSplits, splits } from './ticks.js';
import { bytes, clip, count, css, el, many, nameNode, percent, select, tickTime, tidy, time }
	from './util.js';

const SHOWN = 12; // places of each list
const NAMES = 20; // renamed functions
const NS = { ns: 1, ms: 1e6 };

// ---- the heaps over time ----------------------------------------------------------------------

// Returns {unit, list}: curves with xs and ys on one axis, which is the part of the run if the
// units of time differ.
function curvesOf(model) {
	const { diff } = model.data;
	const list = [['old', 'Old', '--c2', [6, 4]], ['new', 'New', '--c1', []]]
		.filter(([side]) => diff[side].t && diff[side].t.length > 1)
		.map(([side, label, color, dash]) => ({ side, color, dash, ...diff[side],
			label: `${label}: ${diff[side].file}` }));
	const units = new Set(list.map((c) => NS[c.unit] ? 'ns' : c.unit));
	const unit = units.size === 1 ? [...units][0] : 'part';
	return { unit, list: list.map((c) => {
		const most = c.t[c.t.length - 1] || 1;
		const scale = unit === 'part' ? 100 / most : NS[c.unit] || 1, xs = [], ys = [];
		c.t.forEach((t, i) => { // of points at one time the last one counts
			if (xs.length && t * scale <= xs[xs.length - 1])
				ys[xs.length - 1] = Math.max(ys[xs.length - 1], c.heap[i]);
			else
				ys[xs.push(t * scale) - 1] = c.heap[i];
		});
		return { ...c, xs, ys };
	}) };
}

class Curves {
	constructor(model) {
		Object.assign(this, curvesOf(model), { scale: 1, paper: 0 });
		this.box = el('div', { class: 'plot' });
		this.where = el('span', { class: 'where' }, 'Point at a moment for its values.');
		this.legend = el('div', { class: 'legend' });
		this.element = el('section', { class: 'course', 'aria-label':
			'Heap of both runs over time' }, this.legend, this.box);
		if (!this.list.length) {
			this.box.append(el('p', { class: 'hint' },
				'Neither file has the course of its heap.'));
			return;
		}
		new ResizeObserver(() => this.resize()).observe(this.box);
	}

	width() {
		return this.paper * this.scale || this.box.clientWidth - 8;
	}

	resize() {
		if (!this.uplot)
			this.plot();
		else if (this.box.clientWidth && this.width() !== this.uplot.width)
			this.uplot.setSize({ width: this.width(), height: this.uplot.height });
	}

	x(v) {
		return this.unit === 'part' ? `${count(v)} % of the run` : time(v, this.unit);
	}

	plot() {
		if (!this.list.length || !(this.width() > 0))
			return;
		if (this.uplot)
			this.uplot.destroy();
		const data = this.list.length > 1 ? uPlot.join(this.list.map((c) => [c.xs, c.ys]))
			: [this.list[0].xs, this.list[0].ys];
		this.box.replaceChildren();
		this.uplot = new uPlot(this.options(), data, this.box);
		this.uplot.root.ariaHidden = 'true'; // the table of sums says it in words
		this.readouts = this.list.map(() => el('span', { class: 'value' }));
		this.legend.replaceChildren(this.where, ...this.list.map((c, i) =>
			el('div', { class: 'check' }, this.sample(c),
				el('span', {}, nameNode(clip(c.label, 80))), this.readouts[i])));
	}

	sample(c) {
		const canvas = el('canvas', { width: 56, height: 20, class: 'sample',
			'aria-hidden': 'true' }), g = canvas.getContext('2d');
		g.strokeStyle = css(c.color);
		g.lineWidth = 4;
		g.setLineDash(c.dash.map((d) => 2 * d));
		g.beginPath();
		g.moveTo(0, 10);
		g.lineTo(56, 10);
		g.stroke();
		return canvas;
	}

	options() {
		const k = this.scale, xTick = (v) => this.unit === 'part' ? `${tidy(count(v))} %`
			: tickTime(v, this.unit);
		const line = { stroke: css('--dim'), grid: { stroke: css('--grid'), width: k },
			ticks: { stroke: css('--grid'), size: 10 * k }, gap: 5 * k,
			font: `${12 * k}px system-ui, sans-serif` };
		return { width: this.width(), height: 260 * k, padding: [18 * k, 30 * k, 0, 0],
			scales: { x: { time: false },
				y: { range: (u, min, max) => [0, max > 0 ? max * 1.06 : 1] } },
			axes: [{ ...line, size: 34 * k, values: (u, v) => v.map(xTick),
				splits: (u, i, min, max) => splits(min, max, Math.max(2,
					Math.floor(u.bbox.width / devicePixelRatio / k / 110)),
				this.unit === 'B' ? 1024 : 1000, this.unit === 'ns' ? 1e9 : 0) },
			{ ...line, size: 76 * k, values: (u, v) => v.map((y) => tidy(bytes(y))),
				splits: (u, i, min, max) => byteSplits(u, min, max, k) }],
			series: [{}, ...this.list.map((c) => ({ label: c.label, width: 2 * k,
				stroke: css(c.color), dash: c.dash.map((d) => d * k),
				spanGaps: true, points: { show: false } }))],
			legend: { show: false }, cursor: { drag: { x: true, y: false } },
			hooks: { setCursor: [(u) => this.readout(u)] } };
	}

	readout(u) {
		const i = u.cursor.left >= 0 ? u.cursor.idx : null;
		const isSome = i !== null && i !== undefined, x = isSome ? u.data[0][i] : 0;
		this.where.textContent = isSome ? `at ${this.x(x)}`
			: 'Point at a moment for its values.';
		this.list.forEach((c, k) => {
			const isThere = isSome && x <= c.xs[c.xs.length - 1];
			const v = isThere ? valueAt(c, x) : null;
			this.readouts[k].textContent = v
				? `${v.isExact ? '' : '≈ '}${bytes(v.value)}` : '';
		});
	}

	print(width) {
		this.paper = width;
		this.scale = width ? 2 : 1;
		this.plot();
	}
}

// ---- words -------------------------------------------------------------------------------------

const verb = (by) => by > 0 ? 'grew' : 'shrank';

// Returns the sentences at the top: the place that changed most, and the sum.
function answer(model, moment, list) {
	const sums = totals(columnsOf(model, moment.id));
	const sure = list.filter((e) => change(e.sums) !== 0 && !isWithinError(model, e.sums));
	const first = sure.find((e) => change(e.sums) > 0) ||
		sure[sure.length - 1];
	const isEstimate = !!model.data.diff.distance;
	return [first ? el('p', {}, el('b', {}, nameNode(clip(first.label, 120))),
		` ${verb(change(first.sums))} by ` +
		`${changeText(model, first.sums).replace(/^[+\u2212]/, '')}, ` +
		`from ${bytes(first.sums[0])} to ${bytes(first.sums[1])}, ${moment.words}.`)
		: el('p', {}, isEstimate && list.some((e) => change(e.sums) !== 0)
			? 'Nothing changed by more than the error of the estimates.'
			: 'Nothing changed.'),
	el('p', { class: 'hint' }, `In all ${bytes(sums[0])} became ${bytes(sums[1])}: ` +
		`${changeText(model, sums)}${isWithinError(model, sums) ? `, ${WITHIN}` : ''}.`)];
}

const signedPercent = (sums) => sums[0] > 0 ? `${change(sums) > 0 ? '+' : ''}` +
	percent(change(sums), sums[0]).replace('-', '\u2212') : 'new';

function matchText(m) {
	const parts = [['folded', 'renamed, split or inlined'], ['moved', 'called from elsewhere']]
		.filter(([key]) => m[key] > 0.0005).map(([key, words]) =>
			`${percent(m[key], 1)} ${words}`);
	return `${percent(m.matched, 1)}${parts.length ? ` (${parts.join(', ')})` : ''}`;
}

// Each metric, with the share of its bytes at places that both files have.
function sumTable(model) {
	const heads = ['', 'Old', 'New', 'Change', 'At places that both have'];
	return el('div', { class: 'table-box' }, el('table', { class: 'sums' }, el('thead', {},
		el('tr', {}, heads.map((h, i) => el('th', { scope: 'col',
			class: i ? 'number' : '' }, h)))),
	el('tbody', {}, moments(model).map((m) => {
		const sums = totals(columnsOf(model, m.id)), isWithin = isWithinError(model, sums);
		return el('tr', {}, el('th', { scope: 'row' }, m.label),
			el('td', { class: 'number' }, bytes(sums[0])),
			el('td', { class: 'number' }, bytes(sums[1])),
			el('td', { class: `number${isWithin ? ' dim' : ''}` },
				`${changeText(model, sums)} (${signedPercent(sums)})`,
				isWithin ? el('div', { class: 'chance' },
					'within the error') : null),
			el('td', { class: 'number' }, matchText(m)));
	}))));
}

function renamedList(model) {
	const { renamed } = model.data.diff;
	if (!renamed.length)
		return null;
	const left = renamed.length - NAMES;
	return el('section', { class: 'panel' }, el('h3', {}, 'Renamed functions'),
		el('ul', {}, renamed.slice(0, NAMES).map((r) => el('li', {},
			nameNode(clip(r.old, 80)), ' is now ', nameNode(clip(r.new, 80))))),
		left > 0 ? el('p', { class: 'hint' }, `and ${count(left)} more`) : null);
}

function noteOnEstimates(model) {
	const { distance, unseen } = model.data.diff;
	return distance ? el('p', { class: 'hint' }, 'These are estimates: about one block in ' +
		`${bytes(distance)} was sampled. A change has its 95 % bounds; grey is what ` +
		'they do not tell from none. A place without a sampled block may have ' +
		`${bytes(unseen)} at most.`) : null;
}

// ---- the view ----------------------------------------------------------------------------------

export class Comparison {
	constructor(model) {
		const { diff } = model.data;
		this.model = model;
		this.curves = new Curves(model);
		this.answer = el('div', { class: 'opening' });
		this.lists = el('div', { class: 'lists' });
		const show = select('Show', moments(model).map((m) =>
			({ value: m.id, label: m.label })), '',
		(v) => model.state.set({ compare: v }));
		const group = select('Group by', LIST_GROUPS, 'function',
			(v) => model.state.set({ list: v }));
		this.fields = [show, group].map((f) => f.querySelector('select'));
		this.element = el('div', { class: 'summary comparison' }, this.answer,
			el('dl', { class: 'files' }, [['Old', diff.old], ['New', diff.new]]
				.map(([name, side]) => [el('dt', {}, name), el('dd', {},
					nameNode(clip(side.file, 300)), ' ',
					el('span', { class: 'dim' },
						clip(side.process || '', 300)))])),
			noteOnEstimates(model), sumTable(model), el('h3', {}, 'Heap over time'),
			this.curves.element,
			el('div', { class: 'controls list-controls' }, show, group), this.lists,
			renamedList(model));
	}

	apply(state) {
		const { model } = this, moment = chosenMoment(model);
		const list = changesByGroup(model, moment.id, state.list);
		this.fields[0].value = moment.id;
		this.fields[1].value = state.list;
		this.answer.replaceChildren(...answer(model, moment, list));
		const grown = list.filter((e) => change(e.sums) > 0);
		const shrunk = list.filter((e) => change(e.sums) < 0).reverse();
		const most = [...grown, ...shrunk].reduce((m, e) =>
			Math.max(m, Math.abs(change(e.sums))), 1);
		this.lists.replaceChildren(this.panel('Grew', grown, most, ''),
			this.panel('Shrank', shrunk, most, ' less'));
	}

	panel(title, list, most, kind) {
		const rest = list.slice(SHOWN), { model } = this;
		return el('section', { class: 'panel' }, el('h3', {}, title),
			list.length ? el('ol', { class: 'top' }, list.slice(0, SHOWN).map((e) =>
				this.entry(e, most, kind)))
				: el('p', { class: 'hint' }, 'Nothing.'),
			rest.length ? el('p', { class: 'hint' },
				`${many(rest.length, 'other place')}: ` +
				signed(rest.reduce((s, e) => s + change(e.sums), 0)), ' ',
				el('a', { href: model.state.link({ view: 'points' }) },
					'all of them')) : null);
	}

	entry(e, most, kind) {
		const { model } = this, isWithin = isWithinError(model, e.sums);
		return el('li', { class: isWithin ? 'dim' : '' }, el('div', { class: 'top-line' },
			el('span', {}, entryLink(model, e, { view: 'flame' }), ' ',
				el('span', { class: 'dim' }, clip(e.where, 60))),
			el('span', { class: 'number' }, el('b', {}, changeText(model, e.sums)), ' ',
				el('span', { class: 'dim' }, `${bytes(e.sums[0])} to ` +
					bytes(e.sums[1]) + (isWithin ? ', within the error'
					: '')))),
		el('div', { class: 'track', 'aria-hidden': 'true' }, el('div', {
			class: `bar change${isWithin ? ' chance' : kind}`,
			style: { width: `${100 * Math.abs(change(e.sums)) / most}%` } })));
	}

	shown() {
		this.curves.resize();
	}

	redraw() {
		this.curves.plot();
	}

	print(width) {
		this.curves.print(width);
	}
}
