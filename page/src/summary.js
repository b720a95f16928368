// summary.js -- The run at a glance: the command, its memory, the places that held it, and the
// limits of the figures.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { bytes, clip, count, el, many, nameNode, percent, time } from './util.js';

function card(title, value, note, wide) {
	return el('div', { class: `card ${wide ? 'wide' : ''}` },
		el('div', { class: 'card-title' }, title),
		el('div', { class: 'card-value' }, value),
		el('div', { class: 'card-note' }, note));
}

// Draws a small curve of the heap, with a dot at its peak.
function curve(model) {
	const samples = model.data.samples || {};
	let points = [...model.snapshots, ...(model.ending ? [model.ending] : [])].map((s) =>
		[s.t, s.heap]);
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
	return el('div', { class: 'spark-box' }, el('div', { class: 'spark-area' }, svg, dot,
		label),
		el('div', { class: 'spark-legend' }, el('span', {}, '0'),
			el('span', {}, time(end, model.unit))));
}

function opening(model) {
	const { run, totals, data } = model, list = [];
	const name = (run.command || run.exe || data.file || 'The program').trim();
	list.push(el('code', { class: 'command', dir: 'ltr' }, clip(name, 600)));
	const how = run.ended_normally === true ? ' and ended normally'
		: run.ended_normally === false ?
		' and did not end by itself (killed, _exit, exec, or still running)' : '';
	const parts = [];
	if (run.duration && (model.unit === 'ns' || model.unit === 'ms'))
		parts.push(`It ran ${time(run.duration, model.unit)}${how}.`);
	else if (run.duration)
		parts.push(`It ran for ${time(run.duration, model.unit)}` +
			`${model.unit === 'B' ? ' allocated and freed' : ''}.`);
	if (totals.peak !== undefined) {
		const when = model.peakTime() ? `, ${model.peakTime()},` : '';
		const blocks = model.has('peak_blocks')
			? ` in ${many(model.sum('peak_blocks'), 'block')}` : '';
		parts.push(`At its peak${when} ${bytes(totals.peak)} were live${blocks}.`);
	}
	const top = model.has('peak_bytes') ? model.top('peak_bytes', 1)[0] : null;
	return el('div', { class: 'opening' }, list, el('p', {}, parts.join(' '),
		top ? holderSentence(model, top) : null));
}

function holderSentence(model, top) {
	const whole = model.sum('peak_bytes'), caller = named(model, top.node);
	return [top.value > whole / 2 ? ' Most of it was held by '
		: ' The largest part was held by ',
		el('b', {}, nameNode(clip(model.label(top.node), 100))),
		caller ? [', called by ', nameNode(clip(model.label(caller), 100)), ','] : '',
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

// "parse_line (parse.c:120) held 4.2 MiB (34 %) in 12 places; called by read_file, main"
function topFive(model, metric, verb) {
	const top = model.top(metric, 5), whole = model.sum(metric), most = top.length
		? top[0].value : 1;
	return el('ol', { class: 'top' }, top.map((e) => {
		const callers = [];
		for (let at = model.parent[e.node]; at > 0 &&
			callers.length < 3; at = model.parent[at]) {
			const label = model.label(at);
			if (label !== callers[callers.length - 1] && label !== model.label(e.node))
				callers.push(label);
		}
		return el('li', {},
			el('div', {}, el('b', {}, nameNode(clip(model.label(e.node), 140))), ' ',
			el('span', { class: 'dim' }, clip(model.where(e.place), 60)),
			` ${verb} ${bytes(e.value)} (${percent(e.value, whole)})`, e.stacks > 1
				? ` on ${count(e.stacks)} call paths` : ''),
		callers.length ? el('div', { class: 'dim callers' }, 'called by ',
			callers.map((c, i) => [i ? ' ← ' : '', nameNode(clip(c, 60))])) : null,
		el('div', { class: 'bar', 'aria-hidden': 'true',
			style: { width: `${100 * e.value / most}%` } }));
	}));
}

function cards(model) {
	const { totals, run } = model, list = [];
	if (totals.peak !== undefined)
		list.push(card('Heap peak', bytes(totals.peak), model.peakTime() &&
			(model.unit === 'ns' || model.unit === 'ms') ? model.peakTime()
			: totals.slack ? `± ${bytes(totals.slack)}` : 'bytes asked for'));
	if (totals.bytes !== undefined)
		list.push(card('Allocated in all', bytes(totals.bytes), model.has('total_blocks')
			? many(model.sum('total_blocks'), 'block') : many(totals.calls, 'call')));
	if (totals.end !== undefined)
		list.push(card('Live at the end', bytes(totals.end), model.has('end_blocks')
			? `${many(model.sum('end_blocks'), 'block')}: leaks, or kept on purpose`
			: 'leaks, or kept on purpose'));
	if (model.has('temporary')) {
		const t = model.sum('temporary'), all = model.sum('total_blocks');
		list.push(card('Temporary', percent(t, all),
			`${count(t)} of ${many(all, 'block')} freed before the next was ` +
			`allocated`));
	}
	if (totals.stack_peak !== undefined)
		list.push(card('Stack peak', totals.stack_peak ? bytes(totals.stack_peak) : '–',
			run.threads > 1 ? `the deepest of ${count(run.threads)} threads`
			: 'as seen at calls'));
	if (model.data.samples && model.data.samples.rss_anon && model.data.samples.rss_anon.length)
		list.push(card('RSS, anonymous', bytes(Math.max(...model.data.samples.rss_anon)),
			'the most seen by a sample'));
	if (model.has('read_bytes'))
		list.push(card('Reads, writes', `${bytes(model.sum('read_bytes'))}`,
			`${bytes(model.sum('written_bytes'))} written`));
	return el('div', { class: 'cards' }, list);
}

// Describes the accuracy of the figures, and the cost of recording them.
function measurement(model) {
	const { data, totals, run, recorded } = model, list = [], warnings = [];
	const add = (text) => list.push(el('li', {}, text));
	if (data.kind === 'recording') {
		add(totals.slack
			? `The peak is exact to within ${bytes(totals.slack)} ` +
			`(${count(run.threads)} threads); all sums are exact.` :
			'All figures are exact: every call was recorded, none sampled.');
		add(`The recorder used ${bytes(totals.recorder)} of memory of its own, which is ` +
			`in no figure but RSS, for ${many(totals.calls, 'call')}.`);
		add(`${recorded.stacks ? 'With call stacks a call costs 25 to 60'
			: 'Counting costs 4 to 10'} ns where this was measured ` +
			`(docs/benchmarks.md): here about ` +
			`${time(totals.calls * (recorded.stacks ? 25 : 4))} to ` +
			`${time(totals.calls * (recorded.stacks ? 60 : 10))} of CPU time.`);
		if (!recorded.samples)
			add('RSS over time: not recorded.');
		if (!recorded.accesses)
			add('Reads and writes: not recorded (use --accesses=emulate).');
		if (!recorded.mmap)
			add('Calls of mmap: not counted (use -m).');
	} else if (data.kind === 'massif') {
		add('From a massif.out: its peak is true to within 1 % unless Massif was told ' +
			'otherwise, and it knows bytes of snapshots only.');
	} else if (data.kind === 'dhat') {
		add('From DHAT: exact; it keeps no course over time.');
	} else {
		add('From a data file: heap and stack of every call, but not who called.');
	}
	if (run.images > 1)
		add(`The recording holds ${count(run.images)} process images; this page is about ` +
			`process ${run.pid} (memusagestat --pid chooses another).`);
	for (let i = 0; i + 1 < (data.drops || []).length; i += 2)
		warnings.push([`Not recorded: ${count(data.drops[i])} ${data.drops[i + 1]}.`]);
	for (let i = 0; i + 1 < (data.notes || []).length; i += 2)
		warnings.push([data.notes[i] ? nameNode(clip(data.notes[i], 300)) : '',
			data.notes[i] ? ': ' : '', data.notes[i + 1]]);
	for (const s of data.symbols || []) {
		const what = [nameNode(clip(s.name, 120)), ' in ', nameNode(clip(s.object, 80))];
		if (s.why)
			warnings.push(['Calls of ', what, ` are not seen: ${s.why}.`]);
		else
			add([what, s.calls > 0 ? ` was intercepted: ${many(s.calls, 'call')}.`
				: ' was intercepted, but never called: it may be inlined.']);
	}
	if (data.cut && data.cut.left_out)
		add(`So that this page stays small, ${count(data.cut.left_out)} of ` +
			`${count(data.cut.nodes)} nodes of the call tree, none with more than ` +
			`${(data.cut.share * 100).toPrecision(2)} % in any metric, are added up ` +
			`in others. Sums are exact.`);
	if (data.snapshot_share)
		add(`In snapshots, places below ${(data.snapshot_share * 100).toPrecision(2)} % ` +
			`are added up.`);
	return [warnings.length ? el('section', { class: 'panel warnings' },
		el('h3', {}, '⚠ Warnings'),
		el('ul', {}, warnings.slice(0, 30).map((w) => el('li', {}, w)),
		warnings.length > 30 ? el('li', {}, `and ${warnings.length - 30} more`) : null))
			: null,
	el('section', { class: 'panel' }, el('h3', {}, 'About the measurement'),
		el('ul', {}, list))];
}

export class Summary {
	constructor(model) {
		const sections = [];
		if (model.has('peak_bytes') && model.sum('peak_bytes') > 0)
			sections.push(el('section', { class: 'panel' },
				el('h3', {}, 'Who held the peak'),
				topFive(model, 'peak_bytes', 'held')));
		else if (model.has('total_bytes') && model.sum('total_bytes') > 0)
			sections.push(el('section', { class: 'panel' },
				el('h3', {}, 'Who allocated most'),
				topFive(model, 'total_bytes', 'allocated')));
		if (model.has('end_bytes') && model.sum('end_bytes') > 0)
			sections.push(el('section', { class: 'panel' },
				el('h3', {}, 'What was left at the end'),
				topFive(model, 'end_bytes', 'left')));
		this.element = el('div', { class: 'summary' }, opening(model), curve(model),
			cards(model), el('div', { class: 'cards-wide' }, sections),
			measurement(model));
	}
}
