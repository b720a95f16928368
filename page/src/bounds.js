// bounds.js -- The 95 % bounds of the estimates of a sampled recording (docs/format.md, 7.4).
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { bytes, count } from './util.js';

const DEVIATIONS = 1.96, EXACT_FROM = 10, UNITS = { bytes: 4096, blocks: 1 / 16 };
// chi2(0.025; 2n) / 2 and chi2(0.975; 2n + 2) / 2, by n.
const LOW = [0, 0.0253, 0.2422, 0.6187, 1.0899, 1.6235, 2.2019, 2.8144, 3.4538, 4.1154];
const HIGH = [0, 5.5716, 7.2247, 8.7673, 10.2416, 11.6683, 13.0595, 14.4227, 15.7632, 17.0848];

// Returns [samples, exact bytes, variance] of the nodes at a snapshot: of one that is not the peak
// or the end the part of all blocks' that its bytes are of the sampled ones, as many as can be.
function momentColumns(model, number) {
	const { columns } = model.snapshots[number];
	const column = (name) => model.column(name);
	if (columns)
		return ['samples', 'exact_bytes', 'variance'].map((f) => column(`${columns}_${f}`));
	const at = model.atSnapshot(number), exactEver = column('total_exact_bytes');
	const ever = column('total_bytes').map((v, i) => Math.max(0, v - exactEver[i]));
	const samples = column('total_samples'), variance = column('total_variance');
	const share = at.map((v, i) => v > 0 && ever[i] > 0 ? Math.min(1, v / ever[i]) : 0);
	const exact = at.map((v, i) => samples[i] > 0
		? Math.min(Math.max(0, v - ever[i]), exactEver[i]) : v);
	const part = [share.map((s, i) => Math.ceil(samples[i] * s)), exact,
		share.map((s, i) => variance[i] * s)];
	const { bytes: distance, first_bytes: first } = model.data.sampling;
	return distance > first ? widened(model, part, at, ever, distance) : part;
}

// If the distance of samples has grown, the snapshot may be of the time after that, when few
// samples were left of many: the error of their mean size at that distance counts if it is larger.
function widened(model, [samples, exact, variance], at, ever, distance) {
	const blocks = model.column('total_blocks');
	const exactBlocks = model.column('total_exact_blocks');
	const size = ever.map((v, i) => blocks[i] > exactBlocks[i]
		? v / (blocks[i] - exactBlocks[i]) : 0);
	const sampled = at.map((v, i) => samples[i] > 0 && size[i] > 0
		? Math.max(0, v - exact[i]) : 0);
	const wide = sampled.map((v, i) => v > 0
		? v * size[i] / Math.expm1((size[i] + 1) / distance) / UNITS.bytes : 0);
	return [samples.map((n, i) => wide[i] > variance[i] ? Math.min(n, Math.ceil(sampled[i] /
		size[i] * -Math.expm1(-(size[i] + 1) / distance))) : n), exact,
		variance.map((v, i) => Math.max(v, wide[i]))];
}

const momentsOf = (metric) => {
	const [, from, to] = /^(?:at|grown-(-?\d+))-(\d+)$/.exec(metric) || [];
	return to === undefined ? null : [from === undefined ? -1 : Number(from), Number(to)];
};
const isChange = (metric) => (momentsOf(metric) || [-1])[0] >= 0;

// The columns of a metric at-N, or grown-A-B: a change has the errors of both moments.
function changeColumns(model, metric, [from, to]) {
	const cache = model.errorsOfMoments ||= new Map();
	if (!cache.has(metric)) {
		const end = momentColumns(model, to);
		const start = from >= 0 && momentColumns(model, from);
		const sum = (column, k) => column.map((v, i) => v + start[k][i]);
		cache.clear();
		cache.set(metric, start ? end.map(sum) : end);
	}
	return cache.get(metric);
}

// Returns the columns of samples, exact part and variance by node; of blocks also all that ever
// were, and how many of these were recorded. [] if figures are exact.
export function errorColumns(model, metric) {
	const [, moment, what] = /^(peak|end|total)_(bytes|blocks)$/.exec(metric) || [];
	const moments = momentsOf(metric);
	if (model.data.sampling && moments && model.has('total_samples'))
		return changeColumns(model, metric, moments);
	if (!model.data.sampling || !moment || !model.has(`${moment}_samples`))
		return [];
	const own = (...fields) => fields.map((f) => model.column(`${moment}_${f}`));
	if (what === 'bytes')
		return own('samples', 'exact_bytes', 'variance');
	const exact = model.column('total_exact_blocks');
	return [...own('samples', 'exact_blocks', 'block_variance'), model.column('total_blocks'),
		model.column('total_samples').map((v, i) => v + exact[i])];
}

// Returns how far a difference of two estimates may be off; squares: its variance.
export const changeError = (samples, squares) => samples >= 1 && samples < EXACT_FROM
	? (HIGH[samples] / samples - 1) * Math.sqrt(samples * squares)
	: DEVIATIONS * Math.sqrt(squares);

// Returns what may be there where no sample is left. Blocks are as large as those there ever were.
function unseen({ data }, ever, recorded) {
	if (ever === undefined)
		return data.sampling.unseen;
	return recorded > 0 ? data.sampling.unseen / data.sampling.bytes *
		Math.max(1, ever / recorded) : 0;
}

// Returns what cannot be exceeded, with the exact part: all that the process asked for.
function most({ data: { sampling } }, metric) {
	return sampling[metric.endsWith('_blocks') ? 'most_blocks' : 'most_bytes'] || Infinity;
}

// Returns [low, high] of an estimate that is no change.
function limitsOfValue(model, metric, [samples, exact, , ever, recorded], value, error) {
	const rest = Math.max(0, value - exact);
	const few = (list) => exact + rest * list[samples] / samples;
	if (samples >= EXACT_FROM)
		return [Math.max(exact, value - error), value + error];
	return samples > 0 ? [few(LOW), few(HIGH)] : [exact, exact + unseen(model, ever, recorded)];
}

// Returns [low, high] of an estimate, of whose parts SUMS are the sums of errorColumns().
export function limits(model, metric, sums, value) {
	const [samples, exact, variance] = sums;
	const squares = variance * UNITS[/_blocks$/.test(metric) ? 'blocks' : 'bytes'];
	const error = isChange(metric) ? changeError(samples, squares)
		: DEVIATIONS * Math.sqrt(squares);
	if (isChange(metric))
		return [value - error, value + error];
	const [low, high] = limitsOfValue(model, metric, sums, value, error);
	return [low, Math.max(Math.min(high, Math.max(exact, most(model, metric))), value)];
}

// "± 310 KiB", or "3.24 KiB to 713 KiB" of few samples.
export function boundsText(model, metric, sums, value) {
	const [low, high] = limits(model, metric, sums, value);
	const text = (v) => metric.endsWith('_blocks') ? count(v) : bytes(v);
	const isEven = isChange(metric) ||
		(sums[0] >= EXACT_FROM && low > sums[1] && high - value >= (value - low) * 0.99);
	return isEven ? `± ${text(high - value)}` : `${text(low)} to ${text(high)}`;
}

// Returns the bounds of the sum of a metric, also at-N and grown-A-B, over NODES (default: all), or
// ''.
export function boundsOf(model, metric, nodes = null) {
	const [from, to] = momentsOf(metric) || [];
	const add = (column) => nodes ? nodes.reduce((sum, n) => sum + column[n], 0)
		: column.reduce((a, b) => a + b, 0);
	const columns = errorColumns(model, metric);
	return columns.length
		? boundsText(model, metric, columns.map(add), add(to === undefined
			? model.column(metric) : model.growth(from, to))) : '';
}
