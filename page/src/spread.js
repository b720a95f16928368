// spread.js -- How the processes of a merge differ at a place: the least, median and most, and
// outliers.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { bytes, count, el, nameNode } from './util.js';

const FIGURES = { peak_bytes: 'peak', end_bytes: 'end', total_bytes: 'total' };

export const processes = (n) => n === 1 ? '1 process' : `${count(n)} processes`;
export const joined = (list) => list.map((item, i) => [i ? ', ' : '', item]);

// Names a process: "rank 5 on node2", "4711 cc1".
function nameOf(model, number) {
	if (!model.processNames) {
		const list = model.data.merge.names;
		model.processNames = new Map(list.flatMap((n, i) =>
			i % 2 ? [] : [[n, list[i + 1]]]));
	}
	return model.processNames.get(number) || `process ${number}`;
}

// A spread of the page as an object; of a place that is unknown, null.
export function readSpread(list) {
	if (!list)
		return null;
	const [having, least, median, most, outliers, ...named] = list;
	return { having, least, median, most, outliers, named: named.flatMap((n, i) =>
		i % 2 ? [] : [{ number: n, value: named[i + 1] }]) };
}

// Returns how processes differ at a group of places; null if the page does not say, or if none of
// those that are compared has anything there.
export function spreadOf(model, group, key, metric) {
	const list = model.data.merge?.spread?.[group], known = model.spreads ||= new Map();
	if (!list || !FIGURES[metric])
		return null;
	if (!known.has(group)) {
		const { keys } = model.keys(group), holders = model.holderPlaces();
		known.set(group, new Map(list.map((s) => [keys[holders[s.node]], s])));
	}
	const spread = readSpread(known.get(group).get(key)?.[FIGURES[metric]]);
	return spread && spread.having > 0 ? spread : null;
}

export function outlierNames(model, s) {
	const left = s.outliers - s.named.length;
	return s.outliers ? [`; outlier${s.outliers === 1 ? '' : 's'}: `,
		joined(s.named.map((o) => [nameNode(nameOf(model, o.number)), ' with ',
			bytes(o.value)])), left > 0 ? ` and ${count(left)} more` : ''] : '';
}

export const rangeWords = (s) => `least ${bytes(s.least)}, median ${bytes(s.median)}, most ` +
	bytes(s.most);

// "in all 8 processes: least 96 MiB, median 101 MiB, most 180 MiB; outlier: rank 5 with 180 MiB"
export function spreadWords(model, s) {
	const { compared } = model.data.merge;
	const who = s.having < compared ? `in ${count(s.having)} of ${processes(compared)}`
		: `in ${compared > 1 ? 'all ' : ''}${processes(compared)}`;
	return [`${who}: ${rangeWords(s)}`, outlierNames(model, s)];
}

// A line from the least to the most, with the median, and a dot for each outlier that is named.
function strip(s) {
	const at = (v) => `${Math.max(0, Math.min(100, 100 * v / s.most))}%`;
	return s.most > 0 ? el('div', { class: 'strip', 'aria-hidden': 'true' },
		el('div', { class: 'strip-range', style: { insetInlineStart: at(s.least),
			insetInlineEnd: '0' } }),
		el('div', { class: 'strip-median', style: { insetInlineStart: at(s.median) } }),
		s.named.map((o) => el('div', { class: 'strip-dot',
			style: { insetInlineStart: at(o.value) } }))) : null;
}

// What is told of an entry of byGroup() in a list of places; nothing if there is no such figure.
export function spreadRow(model, e, metric) {
	const { list } = model.state;
	const s = e.nodes.length ? spreadOf(model, list,
		model.keys(list).keys[model.holderPlaces()[e.nodes[0]]], metric) : null;
	return s && model.data.merge.compared > 1 ? el('div', { class: 'dim spread' }, strip(s),
		spreadWords(model, s)) : null;
}

// The same of a selected place, for the line below the tabs.
export function spreadOfPlace(model, place) {
	const isFunction = model.functionOf[place] === place && !model.places[place].line;
	const group = isFunction ? 'function' : 'line';
	const s = spreadOf(model, group, model.keys(group).keys[place], 'peak_bytes');
	return s && model.data.merge.compared > 1 ? ['; ', spreadWords(model, s)] : '';
}
