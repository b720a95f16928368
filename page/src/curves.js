// curves.js -- What the timeline can draw: curves of memory, and areas stacked by place.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { many } from './util.js';

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
export const RATE = 'Allocated and freed per second';
const BANDS = 8; // places that have an area of their own

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

// Returns the labels of curves that are hidden at first: mapped files are often many times larger
// than the heap.
export function dwarfing(model) {
	const samples = model.data.samples || {}, most = (list) => (list || [])
		.reduce((a, b) => Math.max(a, b), 0);
	const own = Math.max(most(model.snapshots.map((s) => s.total)),
		most(samples.heap), most(samples.rss_anon));
	return own > 0 ? CURVES.filter((c) => /^rss_[fs]/.test(c.id) &&
		most(samples[c.id]) > 1.3 * own).map((c) => c.label) : [];
}

// Sorts points, and keeps the last one of those at the same place.
function ordered(xs, ys) {
	const at = [...xs.keys()].sort((a, b) => xs[a] - xs[b]);
	const keep = at.filter((i, k) => k === at.length - 1 || xs[i] !== xs[at[k + 1]]);
	return { xs: keep.map((i) => xs[i]), ys: keep.map((i) => ys[i]) };
}

// Bytes allocated and freed per second, between two snapshots each.
function rates(model, axis) {
	const s = model.along('clock');
	if (model.unit !== 'ns' && model.unit !== 'ms' ||
		!(s.length > 2 && s[s.length - 1].clock > 0) || axis === 'call')
		return null;
	const scale = model.unit === 'ns' ? 1e9 : 1e3, xs = [], ys = [];
	for (let i = 1; i < s.length; i++) {
		if (s[i].t > s[i - 1].t && s[i][axis] > (xs.length ? xs[xs.length - 1] : -1)) {
			xs.push(s[i][axis]);
			ys.push(Math.max(0, s[i].clock - s[i - 1].clock) * scale /
				(s[i].t - s[i - 1].t));
		}
	}
	return xs.length > 1 ? { label: RATE, color: '--dim', dash: [1, 3], isRate: true, xs, ys }
		: null;
}

// Returns the curves along an axis, with their points: xs, ys.
export function curves(model, axis) {
	const samples = model.data.samples || {}, shots = model.along(axis);
	const isThere = (c) => c.from === 'snapshots'
		? shots.length > 1 && axis !== 'call' && (!c.need || c.need(model))
		: samples[c.id] && samples[c.id].some((v) => v > 0) &&
			(samples[axis] || []).length &&
			!(c.alone && shots.length > 1 && axis !== 'call');
	const list = CURVES.filter(isThere).map((c) => ({ ...c,
		...(c.from === 'snapshots' ? ordered(shots.map((s) => s[axis]), shots.map(c.get))
			: ordered(samples[axis], samples[c.id])) }));
	const rate = list.length ? rates(model, axis) : null;
	return rate ? [...list, rate] : list;
}

// Returns the value of a curve at X: {value, isExact}. Between two points it is what the line
// shows, outside of them the nearest point's.
export function valueAt({ xs, ys }, x) {
	let low = 0, high = xs.length - 1;
	if (high < 0)
		return null;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (xs[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	if (xs[low] === x || low === 0 || x > xs[low])
		return { value: ys[low], isExact: xs[low] === x };
	const part = (x - xs[low - 1]) / (xs[low] - xs[low - 1]);
	return { value: ys[low - 1] + (ys[low] - ys[low - 1]) * part, isExact: false };
}

// How much a band changes after the program has set itself up.
function change(shots, values) {
	const late = values.filter((v, i) => shots[i].t >= shots[shots.length - 1].t / 10);
	return late.reduce((a, b) => Math.max(a, b), 0) - late.reduce((a, b) => Math.min(a, b),
		Infinity);
}

// Sums by group of each snapshot: key of the group -> values.
function valuesByGroup(model, shots, group) {
	const holders = model.holderPlaces(), { keys } = model.keys(group), found = new Map();
	shots.forEach((s, i) => {
		const self = model.atSnapshot(s.number);
		for (let node = 0; node < self.length; node++) {
			if (self[node] === 0)
				continue;
			const key = holders[node] ? keys[holders[node]] : 0;
			let values = found.get(key);
			if (!values)
				found.set(key, values = new Float64Array(shots.length));
			values[i] += self[node];
		}
	});
	return found;
}

// Returns a group for a legend. A function that has several lines is named without one.
function describeBand(model, group, key) {
	const { names } = model.keys(group), { label, place } = names[key];
	if (group === 'line' || group === 'function') {
		const shown = group === 'line' ? place : model.functionOf[place];
		return { label: model.placeText(shown), place: shown };
	}
	return { label, place: 0 };
}

// Returns the areas of the places with most memory over time, lowest first: those that hardly
// change are at the bottom, so that growth shows; the others are summed up on top. `selected` has
// an area of its own in any case.
export function bands(model, axis, selected, group) {
	const shots = model.along(axis).filter((s) => s.hasTree)
		.sort((a, b) => a[axis] - b[axis])
		.filter((s, i, all) => i === 0 || s[axis] > all[i - 1][axis]);
	const known = model.bandValues ||= new Map(), name = `${axis} ${group}`;
	if (!known.has(name))
		known.set(name, valuesByGroup(model, shots, group));
	const found = known.get(name);
	const area = (values) => values.reduce((s, v, i) => i === 0 ? 0 : s + (v + values[i - 1]) *
		(shots[i].t - shots[i - 1].t), 0);
	const order = [...found.keys()].filter((p) => p > 0)
		.sort((a, b) => area(found.get(b)) - area(found.get(a)));
	const shown = new Set(order.slice(0, BANDS));
	const chosen = selected ? model.keys(group).keys[selected] : 0;
	if (chosen && found.has(chosen))
		shown.add(chosen);
	const list = order.filter((p) => shown.has(p)).map((key, i) => ({ key, color: i,
		...describeBand(model, group, key), isChosen: key === chosen,
		values: found.get(key) }));
	list.sort((a, b) => change(shots, a.values) - change(shots, b.values));
	const rest = new Float64Array(shots.length);
	let others = 0;
	for (const [key, values] of found) {
		if (shown.has(key))
			continue;
		others++;
		values.forEach((v, i) => { rest[i] += v; });
	}
	if (others)
		list.push({ key: 0, place: 0, label: many(others, 'other place'), color: -1,
			values: rest });
	return { xs: shots.map((s) => s[axis]), bands: list };
}
