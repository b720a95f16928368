// chart.js -- Curves of memory over time, with snapshots, the peak and marks. The chart has zoom, a
// cursor with values, and a legend that shows and hides curves.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import uPlot from 'uplot';
import { byteSplits, splits } from './ticks.js';
import { bytes, clip, count, css, el, tickTime, tidy, time } from './util.js';

// Curves: the source of their values, and their style. Dashes distinguish them without colour.
const CURVES = [
	{ id: 'heap', label: 'Heap (asked for)', color: '--c1', dash: [], fill: true,
		from: 'snapshots', get: (s) => s.heap },
	{ id: 'extra', label: '+ rounding and admin', color: '--c2', dash: [6, 3],
		from: 'snapshots',
		get: (s) => s.heap + s.extra, need: (m) => m.snapshots.some((s) => s.extra > 0) },
	{ id: 'stacks', label: '+ stacks', color: '--c3', dash: [2, 3], from: 'snapshots',
		get: (s) => s.heap + s.extra + s.stacks, need: (m) =>
			m.snapshots.some((s) => s.stacks > 0) },
	{ id: 'heap', label: 'Heap', color: '--c1', dash: [], fill: true, from: 'samples',
		alone: true },
	{ id: 'stack', label: 'Stack', color: '--c3', dash: [2, 3], from: 'samples' },
	{ id: 'mmap', label: 'Mapped by mmap', color: '--c7', dash: [8, 3, 2, 3], from: 'samples' },
	{ id: 'rss_anon', label: 'RSS, anonymous', color: '--c4', dash: [], from: 'samples' },
	{ id: 'rss_file', label: 'RSS, files', color: '--c5', dash: [8, 4], from: 'samples' },
	{ id: 'rss_shmem', label: 'RSS, shared', color: '--c6', dash: [3, 3], from: 'samples' },
	{ id: 'swap', label: 'Swap', color: '--c7', dash: [10, 3, 2, 3], from: 'samples' },
];

const MARKS = 200; // more lines would hide the curves

export function axes(model) {
	const list = [{ value: 't', label: model.unit === 'B' ? 'bytes allocated and freed'
		: model.unit === 'i' ? 'instructions' :
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

export class Chart {
	// onpick(number, isRange): called when a snapshot is chosen; with Shift it ends a range.
	constructor(model, { onpick }) {
		this.model = model;
		this.onpick = onpick;
		this.axis = 't';
		this.chosen = []; // numbers of snapshots
		this.paper = 0;
		// For paper everything is drawn at twice the size, and the style sheet shrinks it.
		this.scale = 1;
		this.hidden = new Set(['Allocated and freed per second', ...this.dwarfing()]);
		this.box = el('div', { class: 'plot', tabIndex: 0, role: 'application',
			onkeydown: (e) => this.key(e), 'aria-label':
			'Memory over time. Left and Right move the cursor, plus and minus zoom, ' +
			'Enter chooses the snapshot there, Escape shows the whole run.' });
		this.legend = el('div', { class: 'legend' });
		this.live = el('div', { class: 'offscreen', role: 'status' });
	}

	// Curves of mapped files are hidden at first: mapped files are often many times larger than
	// the heap.
	dwarfing() {
		const samples = this.model.data.samples || {}, most = (list) => (list || [])
			.reduce((a, b) => Math.max(a, b), 0);
		const own = Math.max(most(this.model.snapshots.map((s) => s.total)),
			most(samples.heap), most(samples.rss_anon));
		return own > 0 ? CURVES.filter((c) => /^rss_[fs]/.test(c.id) &&
			most(samples[c.id]) > 1.3 * own).map((c) => c.label) : [];
	}

	start() {
		this.plot();
		new ResizeObserver(() => this.resize()).observe(this.box);
	}

	show(axis) {
		this.axis = axis;
		this.plot();
	}

	mark(chosen) {
		this.chosen = chosen;
		if (this.uplot)
			this.uplot.redraw(false);
	}

	width() {
		return this.paper * this.scale || this.box.clientWidth - 8 || 800;
	}

	resize() {
		if (this.uplot && this.box.clientWidth && this.width() !== this.uplot.width)
			this.uplot.setSize({ width: this.width(), height: this.height() });
	}

	// width: pixels of the chart on paper; 0 for the screen.
	print(width) {
		this.paper = width;
		this.scale = width ? 2 : 1;
		if (this.uplot)
			this.plot();
	}

	height() {
		return this.scale * (this.paper ? 300
			: Math.max(220, Math.min(420, Math.round(window.innerHeight * 0.45))));
	}

	curves() {
		const { model } = this, samples = model.data.samples || {}, shots = model.snapshots;
		return CURVES.filter((c) => c.from === 'snapshots' ? shots.length > 1 &&
			(!c.need || c.need(model)) :
			samples[c.id] && samples[c.id].some((v) => v > 0) &&
				!(c.alone && shots.length > 1 && this.axis !== 'call'))
			.filter((c) => c.from === 'samples' ? (samples[this.axis] || []).length
				: this.axis !== 'call');
	}

	// Makes one table of all curves along the chosen axis; a missing value is null.
	table(curves) {
		const { model, axis } = this, samples = model.data.samples || {};
		const order = (xs) => [...xs.keys()].sort((a, b) => xs[a] - xs[b]);
		const tables = [], make = (xs, columns) => {
			const at = order(xs), keep = at.filter((i, k) => k === at.length - 1 ||
				xs[i] !== xs[at[k + 1]]);
			tables.push([keep.map((i) => xs[i]),
				...columns.map((c) => keep.map((i) => c[i]))]);
		};
		const ofShots = curves.filter((c) => c.from === 'snapshots'),
			ofSamples = curves.filter((c) => c.from === 'samples');
		const shots = model.ending && axis === 't' ? [...model.snapshots, model.ending]
			: model.snapshots;
		if (ofShots.length)
			make(shots.map((s) => s[axis]), ofShots.map((c) => shots.map(c.get)));
		if (ofSamples.length)
			make(samples[axis], ofSamples.map((c) => samples[c.id]));
		const rate = this.rates();
		if (rate)
			tables.push(rate);
		return { data: tables.length > 1 ? uPlot.join(tables) : tables[0] || [[0], [0]],
			rate: !!rate };
	}

	// Bytes allocated and freed per second, between two snapshots each.
	rates() {
		const { model, axis } = this, s = model.snapshots;
		if (model.unit !== 'ns' && model.unit !== 'ms' ||
			!(s.length > 2 && s[s.length - 1].clock > 0) || axis === 'call')
			return null;
		const scale = model.unit === 'ns' ? 1e9 : 1e3, xs = [], ys = [];
		for (let i = 1; i < s.length; i++) {
			if (s[i].t > s[i - 1].t && s[i][axis] > (xs.length ? xs[xs.length - 1]
				: -1)) {
				xs.push(s[i][axis]);
				ys.push(Math.max(0, s[i].clock - s[i - 1].clock) * scale / (
					s[i].t - s[i - 1].t));
			}
		}
		return xs.length > 1 ? [xs, ys] : null;
	}

	plot() {
		const { model, axis } = this, curves = this.curves(),
			{ data, rate } = this.table(curves), k = this.scale,
			byteTicks = (u, i, min, max) => byteSplits(u, min, max, k);
		if (this.uplot)
			this.uplot.destroy();
		this.uplot = null;
		this.legend.replaceChildren();
		if (!curves.length) {
			this.box.replaceChildren(el('p', { class: 'hint' },
				'No course of the memory was recorded in this file' +
				(model.data.kind === 'dhat'
					? ': DHAT keeps none. Run memusage --html.' : '.')));
			return;
		}
		const x = (v) => axis === 't' ? time(v, model.unit) : axis === 'clock' ? bytes(v)
			: count(v);
		const xTick = (v) => axis === 't' ? tickTime(v, model.unit) : axis === 'clock'
			? tidy(bytes(v)) : tickTime(v, 'calls');
		const line = { stroke: css('--dim'), grid: { stroke: css('--grid'), width: k },
			ticks: { stroke: css('--grid'), size: 10 * k }, gap: 5 * k,
			font: `${12 * k}px system-ui, sans-serif` };
		const series = curves.map((c) =>
			({ label: c.label, stroke: css(c.color), width: 2 * k,
			dash: c.dash.map((d) => d * k), spanGaps: true,
			fill: c.fill ? css('--c1-fill') : undefined, points: { show: false },
				show: !this.hidden.has(c.label),
			paths: uPlot.paths.linear(), scale: 'y', value: (u, v) => v === null ? '–'
				: bytes(v) }));
		if (rate)
			series.push({ label: 'Allocated and freed per second', stroke: css('--dim'),
				width: k, dash: [k, 3 * k], spanGaps: true,
				points: { show: false }, scale: 'rate',
					show: !this.hidden.has('Allocated and freed per second') });
		this.uplot = new uPlot({
			width: this.width(), height: this.height(),
				padding: [(model.data.marks && model.data.marks.length ? 34
				: 18) * k, 30 * k, 0, 0],
			scales: { x: { time: false },
				y: { range: (u, min, max) => [0, max > 0 ? max * 1.06 : 1] },
				rate: { range: (u, min, max) => [0, max * 1.06 || 1] } },
			axes: [{ ...line, size: 34 * k, space: 90 * k,
				splits: this.xSplits(axis, xTick), values: (u, v) => v.map(xTick) },
				{ ...line, scale: 'y', size: 76 * k, splits: byteTicks,
					values: (u, v) => v.map((y) => tidy(bytes(y))) },
				...(rate && !this.hidden.has('Allocated and freed per second')
					? [{ ...line, scale: 'rate', side: 1, size: 86 * k,
					grid: { show: false }, splits: byteTicks, values: (u, v) =>
					v.map((y) => `${tidy(bytes(y))}/s`) }] : [])],
			series: [{ value: (u, v) => x(v) }, ...series],
			legend: { show: false },
			cursor: { drag: { x: true, y: false, dist: 6 }, focus: { prox: 24 },
				points: { size: 7 } },
			hooks: { draw: [(u) => this.decorate(u)],
				setCursor: [(u) => this.readout(u)] },
		}, data, this.box);
		this.x = x;
		this.makeLegend(series);
		this.listen();
	}

	// Ticks, as many as there is room for their labels.
	xSplits(axis, label) {
		const { model } = this, room = (min, max) => 14 + 7 * Math.max(6, label(min).length,
			label(max).length);
		return (u, i, min, max) =>
			splits(min, max,
			Math.max(2,
			Math.floor(u.bbox.width / devicePixelRatio / this.scale / room(min, max))),
			axis === 'clock' || (axis === 't' && model.unit === 'B') ? 1024 : 1000,
			axis !== 't' ? 0 : model.unit === 'ns' ? 1e9 : model.unit === 'ms' ? 1e3
				: 0);
	}

	makeLegend(series) {
		this.readouts = [];
		this.where = el('span', { class: 'where' });
		series.forEach((s, i) => {
			const sample = el('canvas', { width: 56, height: 20, class: 'sample',
				'aria-hidden': 'true' }), g = sample.getContext('2d');
			g.scale(2, 2);
			g.strokeStyle = s.stroke;
			g.lineWidth = s.width / this.scale;
			g.setLineDash(s.dash.map((d) => d / this.scale));
			g.beginPath();
			g.moveTo(0, 5);
			g.lineTo(28, 5);
			g.stroke();
			const value = el('span', { class: 'value' });
			this.readouts[i + 1] = value;
			const box = el('input', { type: 'checkbox', checked: s.show !== false,
				onchange: () => this.toggle(s, i + 1, box.checked) });
			this.legend.append(el('label', { class: 'check' }, box, sample,
				el('span', {}, s.label), value));
		});
		this.legend.append(this.where);
	}

	toggle(s, index, isShown) {
		if (isShown)
			this.hidden.delete(s.label);
		else
			this.hidden.add(s.label);
		if (s.scale === 'rate')
			this.plot(); // it has an axis of its own
		else
			this.uplot.setSeries(index, { show: isShown });
	}

	readout(u) {
		const i = u.cursor.idx;
		this.where.textContent = i === null || i === undefined ? ''
			: `at ${this.x(u.data[0][i])}`;
		this.readouts.forEach((e, k) => {
			let v = i === null || i === undefined ? null : u.data[k][i];
			// Between two values of a curve the earlier one holds.
			for (let at = i; v === null && at > 0; at--)
				v = u.data[k][at];
			e.textContent = v === null || v === undefined ? '' : bytes(v) +
				(u.series[k].scale === 'rate' ? '/s' : '');
		});
	}

	// Draws snapshots as ticks on the axis, the peak, the chosen snapshots, and marks.
	decorate(u) {
		const g = u.ctx, { model, axis } = this, r = (devicePixelRatio || 1) * this.scale;
		const { left, top, width, height } = u.bbox;
		const pos = (s) => u.valToPos(s[axis], 'x', true);
		const inside = (x) => x >= left - 1 && x <= left + width + 1;
		const taken = []; // space that labels occupy: row, from, to
		const flag = (x, text, color, dash, row) => {
			g.strokeStyle = g.fillStyle = color;
			g.setLineDash(dash.map((d) => d * r));
			g.lineWidth = r * 1.5;
			g.beginPath();
			g.moveTo(x, top);
			g.lineTo(x, top + height);
			g.stroke();
			g.font = `${11 * r}px system-ui, sans-serif`;
			const w = text ? g.measureText(text).width : 0, isRight = x + w +
				8 * r > left + width;
			const from = isRight ? x - w - 8 * r : x, to = from + w + 8 * r,
				y = top - (5 + row * 15) * r;
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
			flag(pos(peak), `peak ${bytes(peak.heap)}`, css('--accent'), [5, 4], 0);
		for (const n of this.chosen) {
			const s = model.snapshots[n];
			if (s && inside(pos(s)))
				flag(pos(s), s === peak ? '' : `snapshot ${s.number}`,
					css('--text'), [], 0);
		}
		const marks = axis === 't' ? (model.data.marks || [])
			.filter((m) => inside(u.valToPos(m.t, 'x', true))) : [];
		for (const m of marks.slice(0, MARKS))
			flag(u.valToPos(m.t, 'x', true), clip(m.text || m.kind, 24), css('--c7'),
				[2, 2], 1);
		g.restore();
	}

	nearest(value) {
		const { model, axis } = this;
		return model.snapshots.reduce((best, s, i) => s.hasTree && (best < 0 ||
			Math.abs(s[axis] - value) < Math.abs(model.snapshots[best][axis] - value))
				? i : best, -1);
	}

	listen() {
		const over = this.uplot.over;
		let down = 0;
		over.addEventListener('mousedown', (e) => { down = e.clientX; });
		over.addEventListener('click', (e) => {
			if (Math.abs(e.clientX - down) > 4 || this.axis === 'call')
				return;
			this.pick(this.uplot.posToVal(e.offsetX, 'x'), e.shiftKey);
		});
	}

	pick(value, isRange) {
		const n = this.axis === 'call' ? -1 : this.nearest(value);
		if (n >= 0)
			this.onpick(n, isRange);
	}

	// Snapshots with places in view, in order.
	inView() {
		if (!this.uplot || this.axis === 'call')
			return [];
		const { min, max } = this.uplot.scales.x;
		return this.model.snapshots.filter((s) => s.hasTree && s[this.axis] >= min &&
			s[this.axis] <= max);
	}

	// Halves or doubles the visible range, around the cursor or else a chosen snapshot.
	zoom(factor) {
		const u = this.uplot;
		if (!u)
			return;
		const { min, max } = u.scales.x, xs = u.data[0],
			shot = this.model.snapshots[this.chosen[0]];
		const cursor = u.cursor.idx !== null && u.cursor.idx !== undefined &&
			u.cursor.left >= 0 ? xs[u.cursor.idx] :
			shot && this.axis !== 'call' ? shot[this.axis] : (min + max) / 2;
		const middle = Math.min(max, Math.max(min, cursor)),
			part = (middle - min) / (max - min || 1), width = (max - min) * factor;
		const first = xs[0], last = xs[xs.length - 1],
			from = Math.max(first, Math.min(last - width, middle - width * part));
		u.setScale('x', { min: from, max: Math.min(last, from + width) });
	}

	key(e) {
		const u = this.uplot;
		if (!u || e.target !== this.box || e.ctrlKey || e.metaKey || e.altKey)
			return;
		const xs = u.data[0], { min, max } = u.scales.x;
		const seen = u.cursor.left >= 0 ? u.cursor.idx : null;
		const move = (i) => {
			while (i > 0 && xs[i] > max)
				i--;
			while (i < xs.length - 1 && xs[i] < min)
				i++;
			u.setCursor({ left: u.valToPos(xs[i], 'x'),
				top: u.bbox.height / devicePixelRatio / 2 });
			this.live.textContent = [...this.legend.children].map((c) => c.textContent)
				.join(', ');
		};
		const last = xs.length - 1, step = e.shiftKey ? Math.max(1, Math.round(last / 20))
			: 1;
		switch (e.key) {
		case 'ArrowLeft': move(seen === null ? last : Math.max(0, seen - step)); break;
		case 'ArrowRight': move(seen === null ? 0 : Math.min(last, seen + step)); break;
		case 'Home': move(0); break;
		case 'End': move(last); break;
		case '+': case '=': this.zoom(0.5); break;
		case '-': this.zoom(2); break;
		case 'Escape': this.plot(); break;
		case 'Enter':
			if (seen !== null)
				this.pick(xs[seen], e.shiftKey);
			break;
		default: return;
		}
		e.preventDefault();
	}
}
