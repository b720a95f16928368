// notes.js -- The limits of the figures, and what recording them cost.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { bytes, clip, count, el, many, time } from './util.js';

const NOTES = 30; // shown at once

// Describes how exact the figures of a recording are. They are so only if no note restricts them.
function exactness(model) {
	const { data, totals, run } = model, { sampling } = data;
	if (sampling)
		return 'Heap and places are estimates: about one block in ' +
			`${bytes(sampling.bytes)} was sampled, ${count(sampling.samples)} in ` +
			'all. The bounds beside them contain the true value with a probability ' +
			'of 95 %, but for the peak and places at it: where blocks are often ' +
			'replaced, these are too high, and may be so beyond their bounds. A ' +
			'place none of whose blocks was sampled is missing; it has at ' +
			`most ${bytes(sampling.unseen_here)} (97.5 %). Calls and heap total are ` +
			'exact.';
	const isWhole = !(data.notes || []).length;
	if (totals.slack)
		return `The peak is exact to within ${bytes(totals.slack)} ` +
			`(${count(run.threads)} threads).` + (isWhole
			? ' All sums are exact: every call was recorded, none sampled.' : '');
	return isWhole ? 'All figures of this process are exact: every call was recorded, none ' +
		'sampled.' : 'Every call was recorded, none sampled; the notes above say which ' +
		'figures are less than exact.';
}

function cost(model) {
	const { totals, recorded, data: { sampling } } = model;
	if (sampling)
		return [(sampling.cost_ns > 0
			? `Recording the samples took about ${time(sampling.cost_ns)} of CPU time; `
			: 'The samples were too few to measure what recording them took; ') +
			`each of the other ${many(totals.calls, 'call')} costs 1 to 2 ns.`];
	const [low, high] = recorded.stacks ? [25, 60] : [4, 10];
	const own = totals.recorder ? `used ${bytes(totals.recorder)} of memory of its own, ` +
		'which is in no figure but RSS, for' : 'saw';
	return [`The recorder ${own} ${many(totals.calls, 'call')}.`,
	`${recorded.stacks ? 'With call stacks a call costs' : 'Counting costs'} ${low} to ` +
		`${high} ns where this was measured (docs/benchmarks.md): here about ` +
		`${time(totals.calls * low)} to ${time(totals.calls * high)} of CPU time.`];
}

function ofRecording(model) {
	const { recorded } = model, list = [exactness(model), ...cost(model)];
	if (!recorded.samples)
		list.push('RSS over time: not recorded.');
	if (!recorded.accesses)
		list.push('Reads and writes: not recorded (use --accesses=emulate).');
	if (!recorded.mmap && !recorded.pages)
		list.push('Calls of mmap: not counted (-m counts them; --pages-as-heap=yes shows ' +
			'who mapped the memory that is not of malloc).');
	return list;
}

function ofFile(model) {
	switch (model.data.kind) {
	case 'recording': return ofRecording(model);
	case 'massif': return ['From a massif.out: its peak is true to within 1 % unless Massif ' +
		'was told otherwise, and it knows bytes of snapshots only.'];
	case 'dhat': return ['From DHAT: exact; it keeps no course over time.'];
	default: return ['From a data file: heap and stack of every call, but not who called.'];
	}
}

function ofPage(model) {
	const { data, run } = model, list = [], share = (v) => (v * 100).toPrecision(2);
	if (run.images > 1)
		list.push(`The recording holds ${count(run.images)} process images; the figures ` +
			`of this page are those of process ${run.pid}.`);
	if (data.cut && data.cut.left_out)
		list.push(`So that this page stays small, ${count(data.cut.left_out)} of ` +
			`${count(data.cut.nodes)} nodes of the call tree, none with more than ` +
			`${share(data.cut.share)} % in any metric, are added up in others. Sums ` +
			'are exact.');
	if (data.snapshot_share)
		list.push(`In snapshots, call paths below ${share(data.snapshot_share)} % are ` +
			'added to others of the same place.');
	return list;
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const list = (texts) => el('ul', {}, texts.map((t) => el('li', { dir: 'ltr' }, t)));

// Returns the sections "Notes" (if there are any) and "About the measurement".
export function measurement(model) {
	const notes = (model.data.notes || []).map((n) => sentence(clip(n, 600)));
	const figures = (model.data.figures || []).filter((f) => !/ threads: heap peak/.test(f))
		.map((f) => sentence(clip(f, 600)));
	const more = notes.length - NOTES;
	return [notes.length ? el('section', { class: 'panel warnings' },
		el('h3', {}, '⚠ What these figures lack'),
		list([...notes.slice(0, NOTES), ...(more > 0 ? [`and ${more} more`] : [])])) : null,
	el('section', { class: 'panel' }, el('h3', {}, 'About the measurement'),
		list([...ofFile(model), ...figures, ...ofPage(model)]))];
}
