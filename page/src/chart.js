// chart.js -- Memory over time: curves, or areas stacked by place, with snapshots, the peak and
// marks. The chart has zoom, a cursor with values, and a legend.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import uPlot from 'uplot';
import { bands, curves, dwarfing, RATE, valueAt } from './curves.js';
import { placeLink } from './places.js';
import { byteSplits, splits } from './ticks.js';
import { bytes, clip, count, css, el, tickTime, tidy, time } from './util.js';

const MARKS = 200; // more lines would hide the curves

export class Chart {
	// onpick(number): a snapshot was chosen. onrange(from, to): two of them. onplace(place): an
	// area was.
	constructor(model, { onpick, onrange, onplace }) {
		Object.assign(this, { model, onpick, onrange, onplace });
		this.axis = 't';
		this.isStacked = false;
		this.range = [-1, -1]; // numbers of snapshots; -1: the start, or none
		this.place = 0;
		this.paper = 0;
		// For paper everything is drawn at twice the size, and the style sheet shrinks it.
		this.scale = 1;
		this.hidden = new Set([RATE, ...dwarfing(model)]);
		this.box = el('div', { class: 'plot', tabIndex: 0, role: 'application',
			onkeydown: (e) => this.key(e), 'aria-label':
			'Memory over time. Left and Right move the cursor, plus and minus zoom, ' +
			'Enter chooses the moment there, Shift and Enter its growth since the ' +
			'moment before, Escape shows the whole run.' });
		this.legend = el('div', { class: 'legend' });
		this.live = el('div', { class: 'offscreen', role: 'status' });
	}

	start() {
		this.plot();
		new ResizeObserver(() => this.resize()).observe(this.box);
	}

	// Shows what the view says; it is drawn anew only if it must be.
	show({ axis, isStacked, range, place, group }) {
		const isNew = axis !== this.axis || isStacked !== this.isStacked ||
			(isStacked && (place !== this.place || group !== this.group));
		Object.assign(this, { axis, isStacked, range, place, group });
		if (!this.uplot)
			return;
		if (isNew)
			this.plot();
		else
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

	// Series of the curves, and one table of all their points.
	curveSeries() {
		const k = this.scale, list = curves(this.model, this.axis);
		const series = list.map((c) => ({ label: c.label, stroke: css(c.color),
			width: c.isRate ? k : 2 * k, dash: c.dash.map((d) => d * k), spanGaps: true,
			fill: c.fill ? css('--c1-fill') : undefined, points: { show: false },
			show: !this.hidden.has(c.label), scale: c.isRate ? 'rate' : 'y', curve: c,
			paths: uPlot.paths.linear() }));
		return { series, data: list.length > 1 ? uPlot.join(list.map((c) => [c.xs, c.ys]))
			: list.length ? [list[0].xs, list[0].ys] : [[0], [0]] };
	}

	// Series of the areas: each is drawn down to the axis over those that are higher.
	bandSeries() {
		const k = this.scale, { xs, bands: list } = bands(this.model, this.axis,
			this.place, this.group);
		const top = new Float64Array(xs.length);
		const columns = list.map((b) => Array.from(xs, (x, i) => top[i] += b.values[i]));
		const series = list.map((b) => ({ label: b.label, stroke: css('--panel'),
			width: (b.isChosen ? 2.5 : 1) * k,
			fill: css(b.color < 0 ? '--band-rest' : `--band-${b.color % 9}`),
			points: { show: false }, scale: 'y', band: b,
			paths: uPlot.paths.linear() }));
		return { series: series.reverse(), data: [xs, ...columns.reverse()] };
	}

	plot() {
		if (this.uplot)
			this.uplot.destroy();
		this.uplot = null;
		this.legend.replaceChildren();
		const { series, data } = this.isStacked ? this.bandSeries() : this.curveSeries();
		if (!series.length || !data[0].length) {
			this.box.replaceChildren(el('p', { class: 'hint' }, this.emptyText()));
			return;
		}
		this.box.replaceChildren();
		const { model, axis } = this;
		this.x = (v) => axis === 't' ? time(v, model.unit) : axis === 'clock' ? bytes(v)
			: count(v);
		this.uplot = new uPlot(this.options(series), data, this.box);
		this.uplot.root.ariaHidden = 'true'; // the box has its name, and says the values
		this.makeLegend(series);
		this.listen();
	}

	emptyText() {
		if (this.isStacked)
			return 'No snapshot with places was recorded along this axis.';
		return 'No course of the memory was recorded in this file' +
			(this.model.data.kind === 'dhat' ? ': DHAT keeps none. Run memusage --html.'
			: '.');
	}

	options(series) {
		const { model, axis } = this, k = this.scale;
		const byteTicks = (u, i, min, max) => byteSplits(u, min, max, k);
		const xTick = (v) => axis === 't' ? tickTime(v, model.unit) : axis === 'clock'
			? tidy(bytes(v)) : tickTime(v, 'calls');
		const line = { stroke: css('--dim'), grid: { stroke: css('--grid'), width: k },
			ticks: { stroke: css('--grid'), size: 10 * k }, gap: 5 * k,
			font: `${12 * k}px system-ui, sans-serif` };
		const hasRate = series.some((s) => s.scale === 'rate' && s.show);
		return {
			width: this.width(), height: this.height(),
			padding: [(model.data.marks && model.data.marks.length ? 34 : 18) * k,
				30 * k, 0, 0],
			scales: { x: { time: false },
				y: { range: (u, min, max) => [0, max > 0 ? max * 1.06 : 1] },
				rate: { range: (u, min, max) => [0, max * 1.06 || 1] } },
			axes: [{ ...line, size: 34 * k, space: 90 * k,
				splits: this.xSplits(axis, xTick), values: (u, v) => v.map(xTick) },
			{ ...line, scale: 'y', size: 76 * k, splits: byteTicks,
				values: (u, v) => v.map((y) => tidy(bytes(y))) },
			...(hasRate ? [{ ...line, scale: 'rate', side: 1, size: 86 * k,
				grid: { show: false }, splits: byteTicks, values: (u, v) =>
					v.map((y) => `${tidy(bytes(y))}/s`) }] : [])],
			series: [{}, ...series],
			legend: { show: false },
			cursor: { drag: { x: true, y: false, dist: 6, setScale: false },
				focus: { prox: this.isStacked ? -1 : 24 },
				points: { size: 7, show: !this.isStacked } },
			hooks: { draw: [(u) => this.decorate(u)],
				setCursor: [(u) => this.readout(u)],
				setSelect: [(u) => this.pickRange(u)] },
		};
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
		this.series = series;
		this.readouts = [];
		this.where = el('span', { class: 'where' }, this.idle());
		const rows = series.map((s, i) => {
			const value = this.readouts[i] = el('span', { class: 'value' });
			return s.band ? this.bandEntry(s, value) : this.curveEntry(s, i + 1, value);
		});
		this.legend.append(this.where, ...rows);
	}

	// What the legend says while the cursor is elsewhere.
	idle() {
		const has = this.axis !== 'call' &&
			this.model.snapshots.filter((s) => s.hasTree).length > 1;
		return has ? 'Point at a moment for its values, click for its places, drag over ' +
			'a range for what grew.' : 'Point at a moment for its values.';
	}

	curveEntry(s, index, value) {
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
		const box = el('input', { type: 'checkbox', checked: s.show !== false,
			onchange: () => this.toggle(s, index, box.checked) });
		return el('label', { class: 'check' }, box, sample, el('span', {}, s.label), value);
	}

	bandEntry(s, value) {
		const { model } = this, { place } = s.band;
		return el('div', { class: 'check' },
			el('span', { class: 'swatch', style: { background: s.fill },
				'aria-hidden': 'true' }),
			place ? el('span', { class: 'band-name' }, placeLink(model, place,
				{ text: s.label, length: 70 })) : el('span', {}, s.label), value);
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

	// Shows the value of every curve at the cursor. One between two points is an estimate.
	readout(u) {
		const i = u.cursor.left >= 0 ? u.cursor.idx : null, isSome = i !== null &&
			i !== undefined, x = isSome ? u.data[0][i] : 0;
		const over = isSome && this.isStacked ? this.bandAt(u, i) : null;
		this.where.textContent = isSome ? `at ${this.x(x)}` : this.idle();
		this.series.forEach((s, k) => {
			let text = '';
			if (isSome && s.band) {
				text = bytes(s.band.values[i]);
			} else if (isSome) {
				const v = valueAt(s.curve, x);
				text = v ? `${v.isExact ? '' : '≈ '}${bytes(v.value)}` +
					`${s.curve.isRate ? '/s' : ''}` : '–';
			}
			this.readouts[k].textContent = text;
			this.readouts[k].parentElement.classList.toggle('is-over',
				!!over && s.band === over);
		});
	}

	// Returns the area under the cursor, or null.
	bandAt(u, i) {
		const y = u.posToVal(u.cursor.top, 'y');
		for (let k = this.series.length - 1; k >= 0; k--) {
			if (y >= 0 && y <= u.data[k + 1][i])
				return this.series[k].band;
		}
		return null;
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
		this.shadeRange(g, pos, u.bbox);
		const peak = model.snapshots[model.peakSnapshot];
		if (peak && inside(pos(peak)))
			flag(pos(peak), `peak ${bytes(peak.heap)}`, css('--accent'), [5, 4], 0);
		for (const n of this.range) {
			const s = model.snapshots[n];
			if (s && axis !== 'call' && inside(pos(s)))
				flag(pos(s), s === peak ? '' : n === this.range[0] ? 'from' : 'to',
					css('--text'), [], 0);
		}
		const marks = axis === 't' ? (model.data.marks || [])
			.filter((m) => inside(u.valToPos(m.t, 'x', true))) : [];
		for (const m of marks.slice(0, MARKS))
			flag(u.valToPos(m.t, 'x', true), clip(m.text || m.kind, 24), css('--c7'),
				[2, 2], 1);
		g.restore();
	}

	// Shades the range whose growth is shown.
	shadeRange(g, pos, { left, top, width, height }) {
		const [from, to] = this.range.map((n) => this.model.snapshots[n]);
		if (!from || !to || this.axis === 'call')
			return;
		const x = Math.max(left, pos(from)), end = Math.min(left + width, pos(to));
		g.fillStyle = css('--range');
		if (end > x)
			g.fillRect(x, top, end - x, height);
	}

	listen() {
		const over = this.uplot.over;
		let down = 0;
		over.addEventListener('mousedown', (e) => { down = e.clientX; });
		over.addEventListener('click', (e) => {
			if (Math.abs(e.clientX - down) > 4 || this.axis === 'call')
				return;
			const u = this.uplot, band = this.isStacked && u.cursor.idx !== null
				? this.bandAt(u, u.cursor.idx) : null;
			this.pick(u.posToVal(e.offsetX, 'x'), e.shiftKey, band && band.place);
		});
		this.followTouch(over);
	}

	// uPlot follows the mouse only. A finger's drag shows the values under it and chooses a
	// range as the mouse's does; the browser keeps vertical drags, for scrolling.
	followTouch(over) {
		const u = this.uplot;
		let start = null, end = null;
		const follow = (e) => {
			const box = over.getBoundingClientRect(), { height } = box;
			end = Math.max(0, Math.min(box.width, e.clientX - box.left));
			start ??= end;
			u.setCursor({ left: end, top: e.clientY - box.top });
			u.setSelect({ left: Math.min(start, end), top: 0,
				width: Math.abs(end - start), height }, false);
		};
		const isFinger = (e) => e.pointerType === 'touch' && e.isPrimary;
		over.addEventListener('pointerdown', (e) => {
			start = null;
			if (isFinger(e))
				follow(e);
		});
		over.addEventListener('pointermove', (e) => isFinger(e) && start !== null &&
			follow(e));
		over.addEventListener('pointerup', (e) => {
			if (isFinger(e) && start !== null)
				this.pickRange(u);
			start = null;
		});
		over.addEventListener('pointercancel', () => {
			start = null;
			u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
		});
	}

	// Chooses the moment nearest to VALUE. isRange: it ends a range that the one before begins.
	pick(value, isRange, place) {
		const n = this.axis === 'call' ? -1 : this.model.nearest(this.axis, value);
		if (n < 0)
			return;
		if (isRange && this.range[1] >= 0)
			this.onrange(this.range[1], n);
		else
			this.onpick(n, place || 0);
	}

	// A drag chooses what grew between its ends.
	pickRange(u) {
		const { left, width } = u.select;
		if (width < 6)
			return;
		const ends = [left, left + width].map((x) => this.axis === 'call' ? -1
			: this.model.nearest(this.axis, u.posToVal(x, 'x')));
		u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
		if (ends[0] >= 0 && ends[0] !== ends[1])
			this.onrange(ends[0], ends[1]);
	}

	// Returns the snapshots with places in view, in order.
	inView() {
		if (!this.uplot || this.axis === 'call')
			return [];
		const { min, max } = this.uplot.scales.x;
		return this.model.snapshots.filter((s) => s.hasTree && s[this.axis] >= min &&
			s[this.axis] <= max);
	}

	// Makes the chosen range, or the part before the chosen moment, fill the chart.
	zoomToRange() {
		const u = this.uplot, [from, to] = this.range.map((n) => this.model.snapshots[n]);
		if (!u || !to || this.axis === 'call')
			return;
		const first = u.data[0][0], min = from ? from[this.axis] : first;
		if (to[this.axis] > min)
			u.setScale('x', { min, max: to[this.axis] });
	}

	// Halves or doubles the visible range, around the cursor or else a chosen snapshot.
	zoom(factor) {
		const u = this.uplot;
		if (!u)
			return;
		const { min, max } = u.scales.x, xs = u.data[0],
			shot = this.model.snapshots[this.range[1]];
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
