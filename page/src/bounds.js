// bounds.js -- The 95 % bounds of the estimates of a sampled recording (docs/format.md, 7.4).
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { bytes, count } from './util.js';

const DEVIATIONS = 1.96, EXACT_FROM = 10, UNITS = { bytes: 4096, blocks: 1 / 16 };
// chi2(0.025; 2n) / 2 and chi2(0.975; 2n + 2) / 2, by n.
const LOW = [0, 0.0253, 0.2422, 0.6187, 1.0899, 1.6235, 2.2019, 2.8144, 3.4538, 4.1154];
const HIGH = [0, 5.5716, 7.2247, 8.7673, 10.2416, 11.6683, 13.0595, 14.4227, 15.7632, 17.0848];

// Returns the columns of samples, exact part and variance by node; [] if figures are exact.
export function errorColumns(model, metric) {
	const [, moment, what] = /^(peak|end|total)_(bytes|blocks)$/.exec(metric) || [];
	const variance = what === 'bytes' ? 'variance' : 'block_variance';
	return model.data.sampling && moment && model.has(`${moment}_samples`)
		? ['samples', `exact_${what}`, variance].map((f) => model.column(`${moment}_${f}`))
		: [];
}

// Returns [low, high] of an estimate, of whose parts SUMS are the sums of errorColumns().
export function limits(model, metric, [samples, exact, variance], value) {
	const error = DEVIATIONS * Math.sqrt(variance * UNITS[metric.replace(/^\w+_/, '')]);
	const rest = Math.max(0, value - exact);
	const few = (list) => exact + rest * list[samples] / samples;
	if (samples >= EXACT_FROM)
		return [Math.max(exact, value - error), value + error];
	return samples > 0 ? [few(LOW), few(HIGH)] : [exact, exact + model.data.sampling.unseen];
}

// "± 310 KiB", or "3.24 KiB to 713 KiB" of few samples.
export function boundsText(model, metric, sums, value) {
	const [low, high] = limits(model, metric, sums, value);
	const text = (v) => metric.endsWith('_bytes') ? bytes(v) : count(v);
	return sums[0] >= EXACT_FROM && low > sums[1] ? `± ${text(high - value)}`
		: `${text(low)} to ${text(high)}`;
}

// Returns the bounds of the sum of a metric over NODES (default: all), or ''.
export function boundsOf(model, metric, nodes = null) {
	const add = (column) => nodes ? nodes.reduce((sum, n) => sum + column[n], 0)
		: column.reduce((a, b) => a + b, 0);
	const columns = errorColumns(model, metric);
	return columns.length
		? boundsText(model, metric, columns.map(add), add(model.column(metric))) : '';
}
