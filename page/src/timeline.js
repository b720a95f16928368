// timeline.js -- memory over time, its snapshots and marks; the places of one, or of a range.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import uPlot from 'uplot';
import { Explorer } from './explore.js';
import { bytes, clip, count, css, el, nameNode, percent, say, select, tickTime, tidy, time } from './util.js';

// A curve: where its values come from, how it is drawn (dashes, so that colour is not needed).
const CURVES = [
	{ id: 'heap', label: 'Heap (asked for)', color: '--c1', dash: [], fill: true, from: 'snapshots', get: (s) => s.heap },
	{ id: 'extra', label: '+ rounding and admin', color: '--c2', dash: [6, 3], from: 'snapshots',
		get: (s) => s.heap + s.extra, need: (m) => m.snapshots.some((s) => s.extra > 0) },
	{ id: 'stacks', label: '+ stacks', color: '--c3', dash: [2, 3], from: 'snapshots',
		get: (s) => s.heap + s.extra + s.stacks, need: (m) => m.snapshots.some((s) => s.stacks > 0) },
	{ id: 'heap', label: 'Heap', color: '--c1', dash: [], fill: true, from: 'samples', alone: true },
	{ id: 'stack', label: 'Stack', color: '--c3', dash: [2, 3], from: 'samples' },
	{ id: 'mmap', label: 'Mapped by mmap', color: '--c7', dash: [8, 3, 2, 3], from: 'samples' },
	{ id: 'rss_anon', label: 'RSS, anonymous', color: '--c4', dash: [], from: 'samples' },
	{ id: 'rss_file', label: 'RSS, files', color: '--c5', dash: [8, 4], from: 'samples' },
	{ id: 'rss_shmem', label: 'RSS, shared', color: '--c6', dash: [3, 3], from: 'samples' },
	{ id: 'swap', label: 'Swap', color: '--c7', dash: [10, 3, 2, 3], from: 'samples' },
];

const MARKS = 200; // the lines of more would hide the curves

function axes(model) {
	const list = [{ value: 't', label: model.unit === 'B' ? 'bytes allocated and freed' : model.unit === 'i' ? 'instructions' :
		model.unit === 'calls' ? 'calls' : 'time' }];
	if (model.snapshots.some((s) => s.clock > 0))
		list.push({ value: 'clock', label: 'bytes allocated and freed' });
	if (model.snapshots.some((s) => s.instructions > 0))
		list.push({ value: 'instructions', label: 'instructions' });
	if (model.snapshots.length > 1)
		list.push({ value: 'number', label: 'number of the snapshot' });
	if (model.data.samples && model.data.samples.call && model.data.samples.call.length)
		list.push({ value: 'call', label: 'calls of malloc and its kin' });
	return list;
}

export class Timeline {
	constructor(model) {
		this.model = model;
		this.axis = 't';
		this.selected = this.until = -1;
		this.hidden = new Set();
		this.box = el('div', { class: 'plot' });
		this.legend = el('div', { class: 'legend' });
		this.panel = el('div', { class: 'moment' });
		this.element = el('div', {}, this.controls(), this.legend, this.box, this.panel);
		this.isReady = false;
	}

	controls() {
		const { model } = this, list = [];
		list.push(select('Along', axes(model), this.axis, (v) => { this.axis = v; this.plot(); }));
		if (model.snapshots.length) {
			const options = model.snapshots.map((s) => ({ value: String(s.number),
				label: `${s.number}${s.kind === 'peak' ? ' (peak)' : ''}: ${time(s.t, model.unit)}, ${bytes(s.total)}` }));
			this.fromField = select('Snapshot', [{ value: '-1', label: 'none' }, ...options], '-1', (v) => this.select(Number(v), -1));
			this.toField = select('until', [{ value: '-1', label: 'that moment alone' }, ...options], '-1',
				(v) => this.select(this.selected, Number(v)));
			list.push(el('div', { class: 'stepper' },
				el('button', { type: 'button', 'aria-label': 'Snapshot before', onclick: () => this.step(-1) }, '◀'), this.fromField,
				el('button', { type: 'button', 'aria-label': 'Next snapshot', onclick: () => this.step(1) }, '▶')), this.toField);
		}
		if (model.snapshots.filter((s) => s.hasTree).length > 1)
			list.push(el('button', { type: 'button', title: 'What grew between the first and the last snapshot in view',
				onclick: () => this.selectView() }, 'Growth in view'));
		list.push(el('button', { type: 'button', onclick: () => this.plot() }, 'Whole run'));
		return el('div', { class: 'controls' }, list);
	}

	// Called when the tab is shown, because a plot needs a width.
	shown() {
		if (!this.isReady) {
			this.isReady = true;
			this.plot();
			new ResizeObserver(() => this.resize()).observe(this.box);
			if (this.model.snapshots.length && this.selected < 0)
				this.select(this.model.peakSnapshot, -1);
		} else {
			this.resize();
		}
	}

	resize() {
		if (this.chart && this.box.clientWidth && this.box.clientWidth !== this.chart.width)
			this.chart.setSize({ width: this.box.clientWidth, height: this.height() });
	}

	height() {
		return Math.max(220, Math.min(420, Math.round(window.innerHeight * 0.45)));
	}

	redraw() {
		if (this.isReady)
			this.plot();
	}

	curves() {
		const { model } = this, samples = model.data.samples || {}, shots = model.snapshots;
		return CURVES.filter((c) => c.from === 'snapshots' ? shots.length > 1 && (!c.need || c.need(model)) :
			samples[c.id] && samples[c.id].some((v) => v > 0) && !(c.alone && shots.length > 1 && this.axis !== 'call'))
			.filter((c) => c.from === 'samples' ? (samples[this.axis] || []).length : this.axis !== 'call');
	}

	// One table of all curves along the chosen axis; where one has no value it is null.
	table(curves) {
		const { model, axis } = this, samples = model.data.samples || {};
		const order = (xs) => [...xs.keys()].sort((a, b) => xs[a] - xs[b]);
		const tables = [], make = (xs, columns) => {
			const at = order(xs), keep = at.filter((i, k) => k === at.length - 1 || xs[i] !== xs[at[k + 1]]);
			tables.push([keep.map((i) => xs[i]), ...columns.map((c) => keep.map((i) => c[i]))]);
		};
		const ofShots = curves.filter((c) => c.from === 'snapshots'), ofSamples = curves.filter((c) => c.from === 'samples');
		if (ofShots.length)
			make(model.snapshots.map((s) => s[axis]), ofShots.map((c) => model.snapshots.map(c.get)));
		if (ofSamples.length)
			make(samples[axis], ofSamples.map((c) => samples[c.id]));
		const rate = this.rates();
		if (rate)
			tables.push(rate);
		return { data: tables.length > 1 ? uPlot.join(tables) : tables[0] || [[0], [0]], rate: !!rate };
	}

	// Bytes allocated and freed per second, between two snapshots each.
	rates() {
		const { model, axis } = this, s = model.snapshots;
		if (model.unit !== 'ns' && model.unit !== 'ms' || !(s.length > 2 && s[s.length - 1].clock > 0) || axis === 'call')
			return null;
		const scale = model.unit === 'ns' ? 1e9 : 1e3, xs = [], ys = [];
		for (let i = 1; i < s.length; i++) {
			if (s[i].t > s[i - 1].t && s[i][axis] > (xs.length ? xs[xs.length - 1] : -1)) {
				xs.push(s[i][axis]);
				ys.push(Math.max(0, s[i].clock - s[i - 1].clock) * scale / (s[i].t - s[i - 1].t));
			}
		}
		return xs.length > 1 ? [xs, ys] : null;
	}

	plot() {
		const { model, axis } = this, curves = this.curves(), { data, rate } = this.table(curves);
		if (this.chart)
			this.chart.destroy();
		this.chart = null;
		this.legend.replaceChildren();
		if (!curves.length) {
			this.box.replaceChildren(el('p', { class: 'hint' }, 'No course of the memory was recorded in this file' +
				(model.data.kind === 'dhat' ? ': DHAT keeps none. Run memusage --html.' : '.')));
			return;
		}
		const x = (v) => axis === 't' ? time(v, model.unit) : axis === 'clock' ? bytes(v) : count(v);
		const xTick = (v) => axis === 't' ? tickTime(v, model.unit) : axis === 'clock' ? tidy(bytes(v)) : tickTime(v, 'calls');
		const line = { stroke: css('--dim'), grid: { stroke: css('--grid'), width: 1 }, ticks: { stroke: css('--grid') },
			font: '12px system-ui, sans-serif' };
		const series = curves.map((c) => ({ label: c.label, stroke: css(c.color), width: 2, dash: c.dash, spanGaps: true,
			fill: c.fill ? css('--c1-fill') : undefined, points: { show: false }, show: !this.hidden.has(c.label),
			paths: uPlot.paths.linear(), scale: 'y', value: (u, v) => v === null ? '–' : bytes(v) }));
		if (rate)
			series.push({ label: 'Allocated and freed per second', stroke: css('--dim'), width: 1, dash: [1, 3], spanGaps: true,
				points: { show: false }, scale: 'rate', show: !this.hidden.has('Allocated and freed per second') && this.showsRate === true });
		this.chart = new uPlot({
			width: this.box.clientWidth || 800, height: this.height(), padding: [model.data.marks && model.data.marks.length ? 34 : 18, 12, 0, 0],
			scales: { x: { time: false }, y: { range: (u, min, max) => [0, max > 0 ? max * 1.06 : 1] }, rate: { range: (u, min, max) => [0, max * 1.06 || 1] } },
			axes: [{ ...line, size: 34, space: 90, splits: this.xSplits(axis), values: (u, v) => v.map(xTick) },
				{ ...line, scale: 'y', size: 76, splits: byteSplits, values: (u, v) => v.map((y) => tidy(bytes(y))) },
				...(rate && this.showsRate ? [{ ...line, scale: 'rate', side: 1, size: 86, grid: { show: false }, splits: byteSplits, values: (u, v) => v.map((y) => `${tidy(bytes(y))}/s`) }] : [])],
			series: [{ value: (u, v) => x(v) }, ...series],
			legend: { show: false },
			cursor: { drag: { x: true, y: false, dist: 6 }, focus: { prox: 24 }, points: { size: 7 } },
			hooks: { draw: [(u) => this.decorate(u)], setCursor: [(u) => this.readout(u)] },
		}, data, this.box);
		this.x = x;
		this.makeLegend(series);
		this.listen();
	}

	xSplits(axis) {
		const { model } = this;
		return (u, i, min, max) => splits(min, max, Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / 84)),
			axis === 'clock' || (axis === 't' && model.unit === 'B') ? 1024 : 1000,
			axis !== 't' ? 0 : model.unit === 'ns' ? 1e9 : model.unit === 'ms' ? 1e3 : 0);
	}

	makeLegend(series) {
		this.readouts = [];
		this.where = el('span', { class: 'where' });
		series.forEach((s, i) => {
			const sample = el('canvas', { width: 56, height: 20, class: 'sample', 'aria-hidden': 'true' }), g = sample.getContext('2d');
			g.scale(2, 2);
			g.strokeStyle = s.stroke;
			g.lineWidth = s.width;
			g.setLineDash(s.dash);
			g.beginPath();
			g.moveTo(0, 5);
			g.lineTo(28, 5);
			g.stroke();
			const value = el('span', { class: 'value' });
			this.readouts[i + 1] = value;
			const box = el('input', { type: 'checkbox', checked: s.show !== false, onchange: () => this.toggle(s, i + 1, box.checked) });
			this.legend.append(el('label', { class: 'check' }, box, sample, el('span', {}, s.label), value));
		});
		this.legend.append(this.where);
	}

	toggle(s, index, isShown) {
		if (isShown)
			this.hidden.delete(s.label);
		else
			this.hidden.add(s.label);
		if (s.scale === 'rate') {
			this.showsRate = isShown;
			this.plot();
		} else {
			this.chart.setSeries(index, { show: isShown });
		}
	}

	readout(u) {
		const i = u.cursor.idx;
		this.where.textContent = i === null || i === undefined ? '' : `at ${this.x(u.data[0][i])}`;
		this.readouts.forEach((e, k) => {
			let v = i === null || i === undefined ? null : u.data[k][i];
			// Between two values of a curve: the last one.
			for (let at = i; v === null && at > 0; at--)
				v = u.data[k][at];
			e.textContent = v === null || v === undefined ? '' : bytes(v) + (u.series[k].scale === 'rate' ? '/s' : '');
		});
	}

	// Snapshots as ticks on the axis, the peak, the chosen ones, and marks of the program.
	decorate(u) {
		const g = u.ctx, { model, axis } = this, r = devicePixelRatio || 1;
		const { left, top, width, height } = u.bbox;
		const pos = (s) => u.valToPos(s[axis], 'x', true);
		const inside = (x) => x >= left - 1 && x <= left + width + 1;
		const taken = []; // what is written so far: row, from, to
		const flag = (x, text, color, dash, row) => {
			g.strokeStyle = g.fillStyle = color;
			g.setLineDash(dash.map((d) => d * r));
			g.lineWidth = r * 1.5;
			g.beginPath();
			g.moveTo(x, top);
			g.lineTo(x, top + height);
			g.stroke();
			g.font = `${11 * r}px system-ui, sans-serif`;
			const w = text ? g.measureText(text).width : 0, isRight = x + w + 8 * r > left + width;
			const from = isRight ? x - w - 8 * r : x, to = from + w + 8 * r, y = top - (5 + row * 15) * r;
			if (!w || taken.some((t) => t.row === row && from < t.to && to > t.from))
				return;
			taken.push({ row, from, to });
			g.fillText(text, from + 4 * r, y);
		};
		g.save();
		g.textBaseline = 'middle';
		g.textAlign = 'left';
		g.fillStyle = css('--dim');
		for (const s of model.snapshots) {
			const x = pos(s), big = s.hasTree ? 6 : 3;
			if (inside(x))
				g.fillRect(x - r / 2, top + height - big * r, r, big * r);
		}
		const peak = model.snapshots[model.peakSnapshot];
		if (peak && inside(pos(peak)))
			flag(pos(peak), `peak ${bytes(peak.total)}`, css('--accent'), [5, 4], 0);
		for (const n of [this.selected, this.until]) {
			const s = model.snapshots[n];
			if (s && inside(pos(s)))
				flag(pos(s), s === peak ? '' : `snapshot ${s.number}`, css('--text'), [], 0);
		}
		const marks = axis === 't' ? (model.data.marks || []).filter((m) => inside(u.valToPos(m.t, 'x', true))) : [];
		for (const m of marks.slice(0, MARKS))
			flag(u.valToPos(m.t, 'x', true), clip(m.text || m.kind, 24), css('--c7'), [2, 2], 1);
		g.restore();
	}

	nearest(value) {
		const { model, axis } = this;
		return model.snapshots.reduce((best, s, i) => s.hasTree && (best < 0 ||
			Math.abs(s[axis] - value) < Math.abs(model.snapshots[best][axis] - value)) ? i : best, -1);
	}

	listen() {
		const over = this.chart.over;
		let down = 0;
		over.addEventListener('mousedown', (e) => { down = e.clientX; });
		over.addEventListener('click', (e) => {
			if (Math.abs(e.clientX - down) > 4 || this.axis === 'call')
				return;
			const n = this.nearest(this.chart.posToVal(e.offsetX, 'x'));
			if (n >= 0)
				this.select(e.shiftKey && this.selected >= 0 ? this.selected : n, e.shiftKey ? n : -1);
		});
	}

	selectView() {
		const { model, axis } = this;
		if (!this.chart || axis === 'call')
			return;
		const { min, max } = this.chart.scales.x;
		const inside = model.snapshots.filter((s) => s.hasTree && s[axis] >= min && s[axis] <= max);
		if (inside.length > 1)
			this.select(inside[0].number, inside[inside.length - 1].number);
		else
			say('Less than two snapshots with places are in view.');
	}

	step(by) {
		const { snapshots } = this.model;
		let n = this.selected + by;
		while (n >= 0 && n < snapshots.length && !snapshots[n].hasTree)
			n += by;
		if (n >= 0 && n < snapshots.length)
			this.select(n, -1);
	}

	select(from, until) {
		if (until >= 0 && from >= 0 && until < from)
			[from, until] = [until, from];
		if (until === from)
			until = -1;
		this.selected = from;
		this.until = until;
		this.fromField.querySelector('select').value = String(from);
		this.toField.querySelector('select').value = String(until);
		if (this.chart)
			this.chart.redraw(false);
		this.showMoment();
	}

	showMoment() {
		const { model } = this, a = model.snapshots[this.selected], b = model.snapshots[this.until];
		if (!a) {
			this.panel.replaceChildren();
			return;
		}
		if (!a.hasTree || (b && !b.hasTree)) {
			this.panel.replaceChildren(el('p', { class: 'hint' },
				'This snapshot is only figures: it kept no places. Those with a longer tick below the curve did.'));
			return;
		}
		const self = b ? model.growth(this.selected, this.until) : model.atSnapshot(this.selected);
		const what = { self, format: bytes, caption: b ? 'Grown by, where it grew' : 'Live then' };
		const title = b ? `From snapshot ${a.number} (${time(a.t, model.unit)}) to ${b.number} (${time(b.t, model.unit)}): ` +
			`${b.heap >= a.heap ? '+' : ''}${bytes(b.heap - a.heap)}` :
			`Snapshot ${a.number}${a.kind === 'peak' ? ', the peak' : ''}${a.name ? ` “${clip(a.name, 60)}”` : ''}: ${bytes(a.heap)} of heap, ${time(a.t, model.unit)} into the run`;
		if (this.explorer)
			this.explorer.setWhat(what);
		else
			this.explorer = new Explorer(model, { what });
		this.panel.replaceChildren(el('h3', {}, title), this.list(self, b), this.explorer.element);
	}

	// The places that held (or grew) most, in words.
	list(self, isGrowth) {
		const { model } = this, sums = new Map();
		self.forEach((v, node) => {
			if (v === 0)
				return;
			const at = model.holder(node);
			const e = sums.get(model.place[at]) || { node: at, value: 0 };
			e.value += v;
			sums.set(model.place[at], e);
		});
		const all = [...sums.values()].sort((x, y) => Math.abs(y.value) - Math.abs(x.value)).slice(0, 8);
		const whole = self.reduce((s, v) => s + v, 0);
		return el('table', { class: 'list' }, el('thead', {}, el('tr', {}, el('th', { class: 'number' }, isGrowth ? 'Growth' : 'Bytes'),
			isGrowth ? null : el('th', { class: 'number' }, 'Share'), el('th', {}, 'Place'))),
		el('tbody', {}, all.map((e) => el('tr', {}, el('td', { class: 'number' }, `${isGrowth && e.value > 0 ? '+' : ''}${bytes(e.value)}`),
			isGrowth ? null : el('td', { class: 'number' }, percent(e.value, whole)),
			el('td', {}, nameNode(clip(model.label(e.node), 160)), ' ', el('span', { class: 'dim' }, clip(model.where(model.place[e.node]), 80)))))));
	}
}

const CLOCK = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

// At most so many round steps; of bytes, in powers of two; of times, as clocks have them. `second`
// is one in units of the axis, 0 if it is no time.
function splits(min, max, most, base, second = 0) {
	const room = (max - min) / most;
	if (!(room > 0))
		return [min];
	let step;
	if (second > 0 && room > 5 * second) {
		step = (CLOCK.find((s) => s * second >= room) || Math.ceil(room / 86400 / second) * 86400) * second;
	} else if (base === 1024) {
		step = 2 ** Math.ceil(Math.log2(room));
	} else {
		const p = 10 ** Math.floor(Math.log10(room));
		step = [1, 2, 5, 10].map((k) => k * p).find((s) => s >= room);
	}
	const list = [];
	for (let v = Math.ceil(min / step) * step; v <= max + step * 1e-9; v += step)
		list.push(v);
	return list;
}

function byteSplits(u, i, min, max) {
	return splits(min, max, Math.max(2, Math.floor(u.bbox.height / devicePixelRatio / 36)), 1024);
}
