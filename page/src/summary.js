// summary.js -- The run at a glance: the command, its memory, the places that held it, and the
// limits of the figures.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { boundsOf } from './bounds.js';
import { LIST_GROUPS } from './groups.js';
import { mergeSentence } from './merged.js';
import { measurement } from './notes.js';
import { entryLink, placeLink, stateLink } from './places.js';
import { standing } from './processes.js';
import { memoryParts } from './rss.js';
import { spreadRow } from './spread.js';
import { baseName, bytes, clip, count, el, many, nameNode, percent, select,
	time } from './util.js';

const TOP = 5, LINES = 4, CALLERS = 3;

// A figure with its name; with CHANGES it is a link to the view that shows it.
function card(model, title, value, note, changes) {
	const content = [el('div', { class: 'card-title' }, title),
		el('div', { class: 'card-value' }, value), el('div', { class: 'card-note' }, note)];
	return changes ? stateLink(model, changes, { class: 'card' }, content)
		: el('div', { class: 'card' }, content);
}

// Draws a small curve of the heap, with a dot at its peak.
function curve(model) {
	const samples = model.data.samples || {};
	let points = model.snapshots.map((s) => [s.t, s.heap]);
	if (points.length < 3 && samples.t && samples.heap && samples.heap.some((v) => v > 0))
		points = samples.t.map((t, i) => [t, samples.heap[i]]);
	if (points.length < 3)
		return null;
	const ns = 'http://www.w3.org/2000/svg', W = 600, H = 90, LOW = H - 2, HIGH = 8;
	const highest = points.reduce((best, p) => p[1] > best[1] ? p : best), top = highest[1] ||
		1, peak = model.totals.peak || top;
	const end = Math.max(model.run.duration || 0, points[points.length - 1][0]) || 1;
	const at = (p) =>
		`${(p[0] / end * W).toFixed(1)} ${(LOW - p[1] / top * (LOW - HIGH)).toFixed(1)}`,
		last = points[points.length - 1];
	const svg = document.createElementNS(ns, 'svg'), make = (name, attributes) => {
		const e = document.createElementNS(ns, name);
		for (const [k, v] of Object.entries(attributes))
			e.setAttribute(k, v);
		svg.append(e);
	};
	svg.setAttribute('viewBox', `0 0 ${W} ${H}`);
	svg.setAttribute('preserveAspectRatio', 'none');
	svg.setAttribute('role', 'img');
	svg.setAttribute('aria-label',
		`The heap over the run: it ends at ${bytes(last[1])}, its peak is ${bytes(peak)}`);
	svg.setAttribute('class', 'spark');
	const line = points.map(at).join(' L ');
	make('path', { d: `M 0 ${LOW} L ${line} L ${(last[0] / end * W).toFixed(1)} ${LOW} Z`,
		class: 'spark-fill' });
	make('path', { d: `M ${line}`, class: 'spark-line',
		'vector-effect': 'non-scaling-stroke' });
	const left = 100 * highest[0] / end,
		dot = el('div', { class: 'spark-peak', 'aria-hidden': 'true',
		style: { left: `${left}%`, top: '8px' } });
	const label = el('span', { class: 'spark-at', 'aria-hidden': 'true', style: left > 50
		? { right: `${100 - left}%` } : { left: `${left}%` } },
		`peak ${bytes(peak)}`);
	return sparkLink(model, svg, end, [el('div', { class: 'spark-area' }, svg, dot, label),
		el('div', { class: 'spark-legend' }, el('span', {}, '0'),
			el('span', {}, 'Timeline →'), el('span', {}, time(end, model.unit)))]);
}

// The curve is a link to the timeline; a click goes to the moment at the pointer.
function sparkLink(model, svg, end, content) {
	let clicked = null;
	const link = stateLink(model, () => clicked === null ? { view: 'timeline' } :
		{ view: 'timeline', from: -1, to: clicked }, { class: 'spark-box',
		'aria-label': `${svg.getAttribute('aria-label')}. Opens the timeline.` }, content);
	link.addEventListener('pointerup', (e) => {
		const box = svg.getBoundingClientRect();
		clicked = model.nearest('t', (e.clientX - box.left) / box.width * end);
		if (clicked < 0)
			clicked = null;
	});
	link.addEventListener('keydown', () => { clicked = null; });
	return link;
}

function opening(model) {
	const { run, totals, data } = model, list = [];
	const name = (run.command || run.exe || data.file || 'The program').trim();
	list.push(el('code', { class: 'command', dir: 'ltr' }, clip(name, 600)));
	const how = run.ended ? `; ${run.ended}` : run.ended_normally === true
		? ' and ended normally' : run.ended_normally === false
		? ' and ended without its exit handlers (by _exit, exec or a signal), or it runs ' +
		'still' : '';
	const parts = [];
	if (run.merged)
		parts.push('From the first start to the last end it took ' +
			`${time(run.duration, model.unit)}.`);
	else if (run.duration && (model.unit === 'ns' || model.unit === 'ms'))
		parts.push(`It ran ${time(run.duration, model.unit)}${how}.`);
	else if (run.duration)
		parts.push(`It ran for ${time(run.duration, model.unit)}` +
			`${model.unit === 'B' ? ' allocated and freed' : ''}.`);
	if (totals.peak !== undefined) {
		const when = model.peakTime() ? `, ${model.peakTime()},` : '';
		const blocks = model.has('peak_blocks')
			? ` in ${data.sampling ? 'about ' : ''}` +
				`${many(model.sum('peak_blocks'), 'block')}` : '';
		parts.push(`At its peak${when} ${bytes(totals.peak)} were live${blocks}.`);
	}
	const top = model.has('peak_bytes') ? model.top('peak_bytes', 1)[0] : null;
	return el('div', { class: 'opening' }, list, mergeSentence(model), el('p', {},
		parts.join(' '), top ? holderSentence(model, top) : null), standing(model));
}

function holderSentence(model, top) {
	const whole = model.sum('peak_bytes'), caller = named(model, top.node);
	return [top.value > whole / 2 ? ' Most of it was held by '
		: ' The largest part was held by ',
		el('b', {}, placeLink(model, top.place, { view: 'flame', length: 100 })),
		caller ? [', called by ', placeLink(model, model.place[caller], { view: 'flame',
			length: 100 })] : '',
			` (${percent(top.value, whole)}).`];
}

// Returns the nearest caller with a name, for a function without one; else 0.
function named(model, node) {
	const isNamed = (at) => !/^(0x|$)/.test(model.places[model.place[at]].name);
	if (isNamed(node))
		return 0;
	let at = model.parent[node];
	while (at > 0 && !isNamed(at))
		at = model.parent[at];
	return Math.max(0, at);
}

// The callers of a node, nearest first, without those of a run-time if there are others.
function callersOf(model, node) {
	const all = [], hidden = model.runtimeNodes();
	for (let at = model.parent[node]; at > 0; at = model.parent[at])
		all.push(at);
	const own = all.filter((at) => !hidden[at]),
		seen = new Set([model.label(node)]), list = [];
	for (const at of own.length ? own : all) {
		const label = model.label(at);
		if (!seen.has(label) && list.length < CALLERS)
			list.push(at);
		seen.add(label);
	}
	return list;
}

const figures = (value, whole, sign, bounds = '') => el('span', { class: 'number' },
	`${sign}${bytes(value)} `,
	bounds ? el('span', { class: 'dim bounds' }, `${bounds} `) : null,
	el('span', { class: 'dim' }, percent(value, whole)));

// The lines of a function that has several: "parse.c:120  4.2 MiB 34 %".
function lineRows(model, { lines }, whole, sign, metric) {
	const shown = lines.length > LINES ? LINES - 1 : lines.length, rest = lines.slice(shown);
	const row = (name, value, of) => el('li', { class: 'top-line' }, name,
		figures(value, whole, sign, boundsOf(model, metric, of.flatMap((e) => e.nodes))));
	return lines.length ? el('ul', { class: 'lines' }, lines.slice(0, shown).map((e) =>
		row(placeLink(model, e.place, { view: 'flame', text: e.where || '[no line]' }),
			e.value, [e])), rest.length ? row(el('span', { class: 'dim' },
		`${count(rest.length)} other lines`), rest.reduce((s, e) => s + e.value, 0), rest)
		: null)
		: null;
}

function callerRow(model, e) {
	const callers = model.state.list === 'line' || model.state.list === 'function'
		? callersOf(model, e.node) : [];
	return callers.length ? el('div', { class: 'dim callers' }, 'called by ',
		callers.map((c, i) => [i ? ' ← ' : '', placeLink(model, model.place[c],
			{ view: 'flame', text: model.label(c), length: 60 })]),
		e.stacks > 1 ? `; ${count(e.stacks)} call paths` : '') : null;
}

// Says of a place of a recording whether its memory grows over the run.
function trendMark(model, e) {
	const word = model.trendOf(e, model.state.list);
	return word && el('span', { class: `trend${word === 'still growing' ? ' grows' : ''}`,
		title: 'over the whole run' },
		word);
}

// "parse_line parse.c:120  4.2 MiB  34 %, called by read_file <- main"
function placeRow(model, e, whole, sign, metric) {
	const share = Math.max(0, Math.min(100, 100 * e.value / whole));
	return el('li', {},
		el('div', { class: 'top-line' },
			el('span', {}, el('b', {}, entryLink(model, e, { view: 'flame' })),
				' ', el('span', { class: 'dim' }, clip(e.where, 60)),
				trendMark(model, e)),
			figures(e.value, whole, sign, boundsOf(model, metric, e.nodes))),
		el('div', { class: 'track', 'aria-hidden': 'true' },
			el('div', { class: 'bar', style: { width: `${share}%` } })),
		lineRows(model, e, whole, sign, metric), spreadRow(model, e, metric),
		callerRow(model, e));
}

// Lists the places with the largest values of a metric, as shares of the whole.
function placeList(model, entries, whole, metric, sign = '') {
	const shown = entries.slice(0, TOP), others = entries.slice(TOP);
	const left = others.reduce((s, e) => s + e.value, 0);
	const bounds = others.length
		? boundsOf(model, metric, others.flatMap((e) => e.nodes)) : '';
	return [el('ol', { class: 'top' },
		shown.map((e) => placeRow(model, e, whole, sign, metric))),
		others.length ? el('p', { class: 'hint' },
			`${many(others.length, 'other place')}: ${sign}${bytes(left)}` +
			`${bounds && ` (${bounds})`}, ${percent(left, whole)}`) : null];
}

function placesOf(model, metric) {
	return model.top(metric, Infinity, model.state.list);
}

// Says how to get names, by the rule of --top: if a quarter is held by addresses of one object.
function namesAdvice(model) {
	const metric = model.has('peak_bytes') ? 'peak_bytes' : 'total_bytes', sums = new Map();
	for (const e of model.byGroup(model.column(metric), 'line')) {
		const p = model.places[e.place];
		if (/^0x/.test(p.name) && p.object && e.value > 0)
			sums.set(p.object, (sums.get(p.object) || 0) + e.value);
	}
	const [object, most] = [...sums].reduce((a, b) => b[1] > a[1] ? b : a, ['', 0]);
	return most > 0 && most >= model.sum(metric) / 4 ? el('p', { class: 'hint' },
		'Names are missing: ', nameNode(baseName(object)), ' was stripped of them. ' +
		'Install its debug symbols (Debian: a package NAME-dbgsym), or have them fetched ' +
		'by --debuginfod. A program of your own: build it with -g, and do not strip it.')
		: null;
}

function section(title, note, content) {
	return el('section', { class: 'panel' }, el('h3', {}, title),
		note ? el('p', { class: 'hint' }, note) : null, content);
}

// True if the end is as good as the peak, and so a second list would be the first one again.
function endIsPeak(model, peak, end) {
	const all = model.sum('peak_bytes'), near = (a, b) => Math.abs(a - b) <= all / 50;
	const name = (e) => e.place || e.label, ends = new Map(end.map((e) => [name(e), e.value]));
	return near(all, model.sum('end_bytes')) && peak.slice(0, TOP)
		.every((e) => near(e.value, ends.get(name(e)) || 0));
}

function holders(model) {
	const peak = model.has('peak_bytes') ? placesOf(model, 'peak_bytes') : [];
	const end = model.has('end_bytes') ? placesOf(model, 'end_bytes') : [];
	const total = model.has('total_bytes') ? placesOf(model, 'total_bytes') : [];
	if (!peak.length)
		return total.length ? [section('Who allocated most', '',
			placeList(model, total, model.sum('total_bytes'), 'total_bytes'))] : [];
	const whole = model.sum('peak_bytes'), left = model.sum('end_bytes');
	if (end.length && endIsPeak(model, peak, end))
		return [section('Who held the peak, and still held it at the end',
			`The shares are of ${bytes(whole)}; at the end ${bytes(left)} were live.`,
			placeList(model, peak, whole, 'peak_bytes'))];
	return [section('Who held the peak', `Shares of ${bytes(whole)}.`,
		placeList(model, peak, whole, 'peak_bytes')),
	end.length ? section('What was left at the end', `Shares of ${bytes(left)}.`,
		placeList(model, end, left, 'end_bytes')) : null];
}

// Lists what grew, between the moments that --growth chooses.
function growth(model) {
	const range = model.growthRange();
	if (!range)
		return null;
	const [from, to] = range.map((n) => model.snapshots[n]), start = from ? from.heap : 0;
	const all = model.byGroup(model.growth(...range), model.state.list);
	const entries = all.filter((e) => e.value > 0), less = all.filter((e) => e.value < 0);
	const whole = entries.reduce((s, e) => s + e.value, 0);
	const link = stateLink(model, { view: 'timeline', from: range[0], to: range[1] }, {},
		`${from ? time(from.t, model.unit) : 'the start'} to ${time(to.t, model.unit)}` +
		`${to.kind === 'peak' ? ', the peak,' : to.kind === 'end' ? ', the end,' : ''}`);
	if (!(whole > to.heap / 20 && to.heap > start))
		return null;
	const metric = `grown-${range[0]}-${range[1]}`;
	return section('What grew', ['From ', link, ' the heap went from ',
		bytes(start), ' to ', bytes(to.heap), '.'],
	[placeList(model, entries, whole, metric, '+'), less.length ? el('p', { class: 'hint' },
		`${many(less.length, 'place')} shrank by ` +
		`${bytes(-less.reduce((s, e) => s + e.value, 0))}.`) : null]);
}

// Names the heap total of the texts, if a realloc makes it another figure.
function heapTotal(model) {
	const { totals } = model;
	return model.data.kind === 'recording' && totals.bytes !== model.sum('total_bytes')
		? `; heap total ${bytes(totals.bytes)}: there a realloc counts with what it added`
		: '';
}

function cards(model) {
	const { totals, run, data } = model, list = [], isRunning = run.ended === 'still running';
	const add = (...c) => list.push(card(model, ...c));
	const estimated = (metric) => {
		const bounds = boundsOf(model, metric);
		return bounds && `${bounds} (95 %)`;
	};
	const flame = (metric) => model.has(metric) && model.sum(metric) > 0
		? { view: 'flame', metric, zoom: '' } : null;
	if (totals.peak !== undefined)
		add('Heap peak', bytes(totals.peak), estimated('peak_bytes') || (model.peakTime() &&
			(model.unit === 'ns' || model.unit === 'ms') ? model.peakTime()
			: totals.slack ? `± ${bytes(totals.slack)}` : 'bytes asked for'),
		flame('peak_bytes'));
	if (model.has('total_bytes'))
		add('Allocated in all', bytes(model.sum('total_bytes')),
			estimated('total_bytes') || many(model.sum('total_blocks'), 'block') +
			heapTotal(model),
			flame('total_bytes'));
	else if (totals.bytes !== undefined)
		add('Heap total', bytes(totals.bytes), many(totals.calls, 'call'));
	if (run.merged)
		add('Live at the ends', bytes(model.sum('end_bytes')), estimated('end_bytes') ||
			'what each process had at its own end', flame('end_bytes'));
	else if (totals.end !== undefined)
		add(isRunning ? 'Live now' : 'Live at the end', bytes(totals.end),
			estimated('end_bytes') || [model.has('end_blocks')
				&& many(model.sum('end_blocks'), 'block'),
			!isRunning && 'leaks, or kept on purpose'].filter(Boolean).join(': '),
			flame('end_bytes'));
	if (model.has('temporary')) {
		const t = model.sum('temporary'), all = model.sum('total_blocks');
		add('Temporary', percent(t, all),
			`${count(t)} of ${many(all, 'block')} freed before the next was allocated`,
		 flame('temporary'));
	}
	if (totals.stack_peak !== undefined)
		add('Stack peak', totals.stack_peak ? bytes(totals.stack_peak) : '–',
			run.threads > 1 ? `the deepest of ${count(run.threads)} threads`
			: 'as seen at calls', { view: 'sizes' });
	if (data.memory)
		add('RSS', bytes(data.memory.resident), 'all memory of the process, at most',
			{ view: 'timeline' });
	if (model.has('read_bytes'))
		add('Reads, writes', `${bytes(model.sum('read_bytes'))}`,
			`${bytes(model.sum('written_bytes'))} written`, flame('read_bytes'));
	return el('div', { class: 'cards' }, list);
}

export class Summary {
	constructor(model) {
		const { state } = model;
		const field = select('Places are', LIST_GROUPS, 'function',
			(v) => state.set({ list: v }));
		this.model = model;
		this.list = field.querySelector('select');
		this.lists = el('div', { class: 'lists' });
		const controls = el('div', { class: 'controls list-controls' }, field);
		this.element = el('div', { class: 'summary' }, opening(model), curve(model),
			cards(model), model.siteNodes.length ? controls : null, this.lists,
			namesAdvice(model), memoryParts(model), measurement(model));
	}

	// Shows what the state says.
	apply(state) {
		if (this.group === state.list)
			return;
		this.group = this.list.value = state.list;
		this.lists.replaceChildren(...[...holders(this.model), growth(this.model)]
			.filter(Boolean));
	}
}
