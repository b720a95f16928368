// page_lists.mjs -- What lists of an HTML page say: page_lists.mjs SOURCE FILE.html METRIC GROUP
//
// SOURCE is the source tree: the model of the page runs without a browser. Prints the list of the
// Summary for a metric (peak_bytes, end_bytes), "growth", or "growth-all" from the start to the
// end, each place as "BYTES PLACE", the lines of a function with two blanks before them; what grew
// has its verdict; with "bounds" as a fifth argument, of a sampled recording, "LOW HIGH PLACE".
// "changes-peak", "-end" and "-total" of a page of two files print the change, OLD, NEW and PLACE, and
// what is within the error. "spread-peak_bytes" of a merge prints how processes differ at each place:
// "HAVING LEAST MEDIAN MOST OUTLIERS PLACE", then the values of outliers. "peak" prints when the peak was, and the heap then. "short NAME" prints what the page makes of a
// name.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const LINES = 8; // of a function, as in the text
const [source, file, metric, group, wants] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(source, 'page/src', name)).href);
const { Model } = await load('model.js'), util = await load('util.js');
const { errorColumns, limits } = await load('bounds.js');
const bytes = (v) => util.bytes(v).replace('\u2212', '-');

if (file === 'short') {
	const { shortName } = await load('shortname.js');
	for (const name of readFileSync(0, 'utf8').split('\n').slice(0, -1))
		console.log(shortName(name));
} else {
	const html = readFileSync(file, 'utf8');
	const data = /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(html)[1];
	const model = new Model(JSON.parse(data));
	if (metric === 'peak') {
		const last = model.snapshots.length - 1, s = model.snapshots[model.peakSnapshot];
		console.log(`${model.peakSnapshot === last ? 'the end' : 'before'} ${bytes(s.heap)}`);
		process.exit();
	}
	if (metric.startsWith('changes-')) {
		const { change, changesByGroup, isWithinError } = await load('changes.js');
		for (const e of changesByGroup(model, metric.slice(8), group))
			console.log([change(e.sums), e.sums[0], e.sums[1], e.label,
				...(isWithinError(model, e.sums) ? ['within'] : [])].join(' '));
		process.exit();
	}
	if (metric.startsWith('spread-')) {
		const { spreadOf } = await load('spread.js'), column = metric.slice(7);
		for (const e of model.byGroup(model.column(column), group)) {
			const place = model.holderPlaces()[e.nodes[0]];
			const s = spreadOf(model, group, model.keys(group).keys[place], column);
			if (s)
				console.log([s.having, s.least, s.median, s.most, s.outliers, e.label,
					...s.named.map((o) => o.value)].join(' '));
		}
		process.exit();
	}
	const isGrowth = metric.startsWith('growth');
	const range = metric === 'growth' ? model.growthRange() : [-1, model.snapshots.length - 1];
	const self = isGrowth ? model.growth(...range) : model.column(metric);
	for (const e of model.byGroup(self, group)) {
		if (e.value <= 0)
			continue;
		if (wants === 'bounds') {
			const metricOf = isGrowth ? `grown-${range[0]}-${range[1]}` : metric;
			const sums = errorColumns(model, metricOf)
				.map((column) => e.nodes.reduce((sum, n) => sum + column[n], 0));
			const [low, high] = limits(model, metricOf, sums, e.value);
			console.log(`${Math.round(low)} ${Math.round(high)} ${e.label}`);
			continue;
		}
		const trend = isGrowth ? model.trendOf(e, group) : '';
		const where = e.label.includes(' in ') ? '' : e.where;
		console.log(`${bytes(e.value)} ${e.label}${!where ? ''
			: where.startsWith('in ') ? ` ${where}` : ` (${where})`}${trend && `, ${trend}`}`);
		const shown = e.lines.length > LINES ? LINES - 1 : e.lines.length;
		for (const l of e.lines.slice(0, shown))
			console.log(`  ${bytes(l.value)} ${l.where}`);
		if (shown < e.lines.length) {
			const left = e.lines.slice(shown).reduce((sum, l) => sum + l.value, 0);
			console.log(`  ${bytes(left)} ${e.lines.length - shown} other lines`);
		}
	}
}
