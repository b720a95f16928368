// merged.js -- The processes of a merge: the course of each one, the sum of each machine, and at
// which places a process is an outlier.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { placeLink, stateLink } from './places.js';
import { joined, outlierNames, processes, readSpread, rangeWords, spreadWords } from './spread.js';
import { bytes, clip, count, el, many, nameNode, select, time } from './util.js';

const DIFFERENCES = 3; // places that are named beside a process
const SVG = 'http://www.w3.org/2000/svg';

// Says in the Summary what the processes had together.
export function mergeSentence(model) {
	const { merge } = model.data;
	if (!merge || merge.processes < 2)
		return null;
	const peaks = readSpread(merge.peaks);
	return el('p', {}, 'This is the sum of ', stateLink(model, { view: 'processes' }, {},
		processes(merge.processes)),
	`: their own peaks add up to ${bytes(merge.peaks_sum)}. ` +
	`Peak of each: ${rangeWords(peaks)}`, outlierNames(model, peaks), '.');
}

// ---- curves ------------------------------------------------------------------------------------

const shape = (name, attributes) => {
	const e = document.createElementNS(SVG, name);
	for (const [k, v] of Object.entries(attributes))
		e.setAttribute(k, v);
	return e;
};

function svg(width, height, label, attributes) {
	return shape('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none',
		role: 'img', 'aria-label': label, ...attributes });
}

// A line through the middle of each part of the time; null is a gap.
const path = (curve, most, width, height) => curve.map((v, i) => v === null ? ''
	: `${i > 0 && curve[i - 1] !== null ? 'L' : 'M'} ` +
	`${((i + 0.5) / curve.length * width).toFixed(1)} ` +
	`${(height - 2 - v / most * (height - 4)).toFixed(1)}`).join(' ');

function spark(curve, most, label) {
	if (!curve)
		return null;
	const W = 150, H = 24, e = svg(W, H, label, { class: 'course-spark' });
	const line = path(curve, most || 1, W, H);
	const [first, last] = [0.5, curve.length - 0.5].map((i) => i / curve.length * W);
	e.append(shape('path', { d: `${line} L ${last} ${H} L ${first} ${H} Z`,
		class: 'spark-fill' }), shape('path', { d: line, class: 'spark-line',
		'vector-effect': 'non-scaling-stroke' }));
	return e;
}

// The heaps of all processes that have a curve, and in the middle their median.
class Courses {
	constructor(model, list) {
		const { merge } = model.data, known = list.filter((p) => p.curve);
		const most = known.reduce((m, p) => p.curve.reduce((a, b) => Math.max(a, b), m), 1);
		const W = 900, H = 190;
		this.lines = new Map();
		this.plot = svg(W, H, `The heap of ${processes(known.length)} over the time from ` +
			`the first start to the last end; the highest is ${bytes(most)}`,
		{ class: 'courses-plot' });
		for (const p of [...known].sort((a, b) => a.outlier - b.outlier)) {
			const line = shape('path', { d: path(p.curve, most, W, H),
				class: p.outlier ? 'course-line is-outlier' : 'course-line',
				'vector-effect': 'non-scaling-stroke' });
			this.lines.set(p.number, line);
			this.plot.append(line);
		}
		const median = this.median(known), hasMedian = median.some((v) => v !== null);
		if (hasMedian)
			this.plot.append(shape('path', { d: path(median, most, W, H),
				class: 'course-median', 'vector-effect': 'non-scaling-stroke' }));
		this.element = el('section', { class: 'panel courses' }, el('h3', {},
			'Heap of each process over time'), this.legend(known, hasMedian),
		el('div', { class: 'courses-box' }, el('span', { class: 'courses-most dim' },
			bytes(most)), this.plot), el('div', { class: 'spark-legend' },
			el('span', {}, '0'), el('span', {}, time(merge.duration))),
		known.length < merge.processes ? el('p', { class: 'hint' },
			`The first ${count(known.length)} of the table are drawn.`) : null);
	}

	legend(known, hasMedian) {
		const entry = (name, text) => el('li', {}, el('span', { class: `swatch ${name}` }),
			text);
		return el('ul', { class: 'swatches' }, entry('course-swatch', 'a process'),
			known.some((p) => p.outlier) ? entry('outlier-swatch', 'an outlier') : null,
			hasMedian ? entry('median-swatch', 'the median of those that run') : null);
	}

	// Returns the median of those that hold something, where these are three at least.
	median(known) {
		return (known.length ? known[0].curve : []).map((_, i) => {
			const column = known.map((p) => p.curve[i]).filter((b) => b > 0)
				.sort((a, b) => a - b), high = column.length >> 1;
			return column.length < 3 ? null : column.length % 2 ? column[high]
				: (column[high - 1] + column[high]) / 2;
		});
	}

	mark(number, is) {
		const line = this.lines.get(number);
		if (line)
			line.classList.toggle('is-marked', is);
	}
}

// ---- the view ----------------------------------------------------------------------------------

// Returns the places at which each process is an outlier, those with most bytes first.
function differences(model) {
	const found = new Map(), holders = model.holderPlaces();
	for (const s of model.data.merge.spread?.function || []) {
		const spread = readSpread(s.peak), place = holders[s.node];
		for (const o of spread.named)
			found.set(o.number, [...(found.get(o.number) || []),
				{ place: model.functionOf[place], value: o.value,
					median: spread.median }]);
	}
	for (const list of found.values())
		list.sort((a, b) => Math.abs(b.value - b.median) - Math.abs(a.value - a.median));
	return found;
}

function hostTable(model) {
	const { hosts } = model.data.merge;
	if (!hosts.length)
		return null;
	const most = hosts.reduce((m, h) => Math.max(m, h.peak), 1);
	return el('section', { class: 'panel' }, el('h3', {}, 'Sum of each machine'),
		el('table', { class: 'hosts' }, el('thead', {}, el('tr', {},
			['Peak of the sum', 'Course', 'Machine'].map((h, i) => el('th',
				{ scope: 'col', class: i === 0 ? 'number' : '' }, h)))),
		el('tbody', {}, hosts.map((h) => el('tr', {},
			el('td', { class: 'number' }, bytes(h.peak)),
			el('td', { class: 'course-cell' }, spark(h.curve, most,
				`The sum of ${h.name || 'an unknown machine'} over time`)),
			el('td', {}, nameNode(h.name || 'an unknown machine'), ' ',
				el('span', { class: 'dim' }, processes(h.processes))))))));
}

export class Merged {
	constructor(model) {
		const { merge } = model.data, { state } = model, { list } = merge;
		Object.assign(this, { model, list });
		this.hasRanks = list.some((p) => p.rank !== undefined);
		this.differences = differences(model);
		this.most = list.reduce((m, p) => Math.max(m, p.peak), 1);
		this.courses = new Courses(model, list);
		this.body = el('tbody', {});
		const field = select('Order', [{ value: 'start', label: 'outliers, then ' +
			`${this.hasRanks ? 'ranks' : 'peaks'}` }, { value: 'peak', label: 'peak' },
		{ value: 'live', label: 'live at the end' }], 'start', (v) => state.set({ by: v }));
		this.order = field.querySelector('select');
		this.element = el('div', { class: 'summary merged' }, this.opening(),
			hostTable(model), this.courses.element,
			el('div', { class: 'controls list-controls' }, field),
			el('div', { class: 'table-box' }, el('table',
				{ class: 'merged-list' },
				el('thead', {}, el('tr', {}, this.heads())), this.body)),
			this.rest(merge.processes - list.length));
	}

	rest(left) {
		return left > 0 ? el('p', { class: 'hint' }, `${processes(left)} with smaller ` +
			'peaks or higher ranks are not listed: memusageprint --merge --processes ' +
			'lists all.') : null;
	}

	opening() {
		const { totals, data: { merge } } = this.model, peaks = readSpread(merge.peaks);
		return el('div', { class: 'opening' }, el('p', {}, el('b', {},
			`${processes(merge.processes)} together held ` +
			`${bytes(totals.peak)} at most`),
		`, ${time(merge.peak_t)} after the first began; their own peaks add up to ` +
		`${bytes(merge.peaks_sum)}.`, peaks.having > 0 ? [' Peak of each: ',
			spreadWords(this.model, peaks), '.'] : ''),
		merge.left_out ? el('p', { class: 'panel warnings' }, merge.left_out === 1
			? 'A recording could not be read: its process is missing.'
			: `${count(merge.left_out)} recordings could not be read: their ` +
			'processes are missing.') : null,
		merge.uncounted_forks ? el('p', { class: 'hint' },
			`${processes(merge.uncounted_forks)} began by fork, and what they have ` +
			'from their parents counts in each; memusage --children=merge counts ' +
			'it once.') : null);
	}

	heads() {
		const heads = [...(this.hasRanks ? ['Rank'] : []), 'Peak', 'Then', 'At the end',
			'Course', 'Process'];
		return heads.map((h, i) => el('th', { scope: 'col',
			class: i < heads.length - 2 ? 'number' : '',
			title: h === 'Then' ? 'when all together held most' : undefined }, h));
	}

	// Shows what the state says.
	apply(state) {
		const order = { start: null, peak: (a, b) => b.peak - a.peak,
			live: (a, b) => b.live - a.live }[state.by];
		this.order.value = state.by;
		this.body.replaceChildren(...(order ? [...this.list].sort(order) : this.list)
			.map((p) => this.row(p)));
	}

	row(p) {
		const number = (v, ...more) => el('td', { class: 'number' }, v, more);
		return el('tr', { class: p.outlier ? 'is-outlier' : '',
			onpointerenter: () => this.courses.mark(p.number, true),
			onpointerleave: () => this.courses.mark(p.number, false) },
		this.hasRanks ? number(p.rank === undefined ? '–' : String(p.rank)) : null,
		number(bytes(p.peak)), number(bytes(p.then)), number(bytes(p.live)),
		el('td', { class: 'course-cell' }, spark(p.curve, this.most,
			`Its heap over time, ${bytes(p.peak)} at most`)),
		el('td', {}, this.about(p)));
	}

	about(p) {
		const { model } = this, isOneHost = !model.data.merge.hosts.length;
		const parts = [!isOneHost && p.host && ['on ', nameNode(p.host)],
			p.file && nameNode(clip(p.file, 80)),
			p.exit !== 'exit' && p.ended].filter(Boolean);
		const differs = this.differences.get(p.number) || [];
		return [nameNode(`${clip(p.name || 'process', 40)} ${p.pid}`),
			p.outlier ? el('span', { class: 'trend grows' }, 'outlier') : null, ' ',
			el('span', { class: 'dim' }, joined(parts)),
			differs.length ? el('div', { class: 'dim differs' }, 'differs at ',
				joined(differs.slice(0, DIFFERENCES).map((d) => [
					placeLink(model, d.place, { view: 'flame', length: 60 }),
					` (${bytes(d.value)}, median ${bytes(d.median)})`])),
				differs.length > DIFFERENCES
					? ` and ${many(differs.length - DIFFERENCES, 'more place')}`
					: '') : null];
	}
}
