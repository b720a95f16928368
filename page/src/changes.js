// changes.js -- What changed between the two files of a comparison, and what may be chance.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { changeError } from './bounds.js';
import { bytes } from './util.js';

const VARIANCE_UNIT = 4096; // of columns of variances: docs/format.md, 7.4

const MOMENTS = [
	{ id: 'peak', label: 'Live at the peak', words: 'live when the heap was largest' },
	{ id: 'end', label: 'Live at the end', words: 'live at the end' },
	{ id: 'total', label: 'Allocated in all', words: 'allocated in all' },
];

export const isComparison = (model) => model.data.kind === 'diff';

// Returns the metrics that both files tell: {id, label, words, matched, folded, moved}.
export const moments = (model) => model.data.diff.metrics.map((m) =>
	({ ...MOMENTS.find((o) => o.id === m.metric), ...m }));

// Returns the metric that the state names, else the first one.
export const chosenMoment = (model) => moments(model).find((m) => m.id === model.state.compare) ||
	moments(model)[0];

// Returns the columns of a metric by node: old bytes, new bytes, and of estimates the samples and
// the variance of the change. Sums of such columns are the SUMS below.
export function columnsOf(model, moment) {
	const names = [`old_${moment}_bytes`, `new_${moment}_bytes`];
	if (model.data.diff.distance)
		names.push(`${moment}_change_samples`, `${moment}_change_variance`);
	return names.map((name) => model.column(name));
}

export const totals = (columns) => columns.map((c) => c.reduce((a, b) => a + b, 0));

export const change = ([old, now]) => now - old;

const errorOf = ([, , samples, variance]) => changeError(Math.round(samples),
	variance * VARIANCE_UNIT);

// True if the change could be none. If no block was sampled, some may have been there.
export function isWithinError(model, sums) {
	const { distance, unseen } = model.data.diff;
	return !!distance && change(sums) !== 0 &&
		Math.abs(change(sums)) <= (sums[2] > 0 ? errorOf(sums) : unseen);
}

export const signed = (v) => `${v > 0 ? '+' : ''}${bytes(v)}`;

// "+244 KiB ± 12 KiB"
export function changeText(model, sums) {
	const isEstimate = model.data.diff.distance && sums[2] > 0;
	return `${signed(change(sums))}${isEstimate ? ` ± ${bytes(errorOf(sums))}` : ''}`;
}

export const WITHIN = 'within the error of the estimates';

// "+244 KiB (195 KiB to 439 KiB)"
export const fullText = (model, sums) => `${changeText(model, sums)} (${bytes(sums[0])} to ` +
	`${bytes(sums[1])})${isWithinError(model, sums) ? `, ${WITHIN}` : ''}`;

// Returns the groups of places that have memory in either file, what grew most first, with their
// `sums`. See Model.byGroup().
export function changesByGroup(model, moment, group) {
	const columns = columnsOf(model, moment), [old, now] = columns;
	return model.byGroup(old.map((v, i) => Math.max(v, now[i])), group)
		.map((e) => ({ ...e, sums: columns.map((c) =>
			e.nodes.reduce((sum, node) => sum + c[node], 0)) }))
		.sort((a, b) => change(b.sums) - change(a.sums));
}

// What the bar of a selected place says: its changes, and those of all that it called.
export function placeChanges(model, place) {
	const inside = new Uint8Array(model.nodes);
	for (let i = 1; i < model.nodes; i++)
		inside[i] = inside[model.parent[i]] || model.isPartOf(model.place[i], place)
			? 1 : 0;
	return moments(model).map((m) => {
		const sums = columnsOf(model, m.id).map((c) =>
			c.reduce((sum, v, node) => inside[node] ? sum + v : sum, 0));
		return `${m.label.toLowerCase()}: ${fullText(model, sums)}`;
	}).join(' · ');
}
