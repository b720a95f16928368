// sizes.js -- Blocks by size and by lifetime, calls, and waste.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { bytes, clip, count, el, nameNode, percent, select, tidy, time } from './util.js';

const FUNCTIONS = ['malloc', 'realloc', 'calloc', 'free', 'mmap, read-only', 'mmap, of a file',
	'mmap, anonymous', 'mremap', 'munmap', 'memalign and its kin'];

// "16 – 31 B", "1 – 2 KiB": from one KiB on the limits are rounded.
function range(low, end) {
	if (end <= 1024)
		return `${low} – ${end - 1} B`;
	const [a, b] = [tidy(bytes(low)), tidy(bytes(end))];
	return a.split(' ')[1] === b.split(' ')[1] ? `${a.split(' ')[0]} – ${b}` : `${a} – ${b}`;
}

// "1 – 2 ms", "1.02 – 2.05 s"
function duration(low, high) {
	const [a, b] = [tidy(time(low, 'ms')), tidy(time(high, 'ms'))],
		unit = b.slice(b.indexOf(' '));
	return !/ .* /.test(a + b) && a.endsWith(unit) ? `${a.slice(0, -unit.length)} – ${b}`
		: `${a} – ${b}`;
}

// Makes a table of bars with their figures: [{label, value, more}].
function bars(head, rows, format, whole) {
	const most = rows.reduce((m, r) => Math.max(m, r.value), 0);
	return el('table', { class: 'bars' },
		el('thead', {},
		el('tr', {}, head.map((h, i) => el('th', { class: i === 0 ? '' : 'number' }, h)),
		el('th', { 'aria-hidden': 'true' }))),
		el('tbody', {},
			rows.map((r) => el('tr', {}, el('th', { scope: 'row' }, r.label),
			el('td', { class: 'number' }, format(r.value)),
			el('td', { class: 'number' }, percent(r.value, whole)),
			el('td', { class: 'bar-cell', 'aria-hidden': 'true' },
				el('div',
				{ class: 'bar',
				style: { width: `${most ? 100 * r.value / most : 0}%` } }))))));
}

export class Sizes {
	constructor(model) {
		this.model = model;
		this.sizes = el('div', {});
		this.element = el('div', { class: 'cards-wide sizes' },
			el('div', { class: 'stack' }, this.section('Sizes of blocks', this.sizes,
			this.chooser())),
				el('div', { class: 'stack' },
				this.section('Lifetimes', this.lifetimes()),
				this.section('Waste', this.waste()),
				this.section('Calls', this.calls())));
	}

	// Shows what the state says.
	apply(state) {
		this.by = state.count;
		this.field.value = this.by;
		this.renderSizes();
	}

	section(title, content, tools) {
		return el('section', { class: 'panel' }, el('div', { class: 'details-head' },
			el('h3', {}, title), tools), content);
	}

	chooser() {
		const field = select('Count', [{ value: 'count', label: 'requests' },
			{ value: 'bytes', label: 'bytes' }], 'count',
			(v) => this.model.state.set({ count: v }));
		this.field = field.querySelector('select');
		return field;
	}

	// Joins the triples of the file to steps of a power of two above 256 bytes.
	classes() {
		const list = this.model.data.sizes || [], found = new Map();
		for (let i = 0; i + 2 < list.length; i += 3) {
			const from = list[i], n = list[i + 2];
			let low = from, high = list[i + 1];
			if (from >= 256) {
				low = 2 ** Math.floor(Math.log2(from));
				high = low * 2 - 1;
			}
			if (list[i + 1] === 0)
				high = 0;
			const e = found.get(low) || { low, high, n: 0, bytes: 0 };
			e.n += n;
			e.bytes += n * (list[i + 1] ? (from + list[i + 1]) / 2 : from);
			found.set(low, e);
		}
		return [...found.values()].sort((a, b) => a.low - b.low);
	}

	renderSizes() {
		const classes = this.classes(), isBytes = this.by === 'bytes';
		if (!classes.length) {
			this.sizes.replaceChildren(this.averages());
			return;
		}
		const rows = classes.map((c) =>
			({ label: c.high ? range(c.low, c.high + 1)
			: `${tidy(bytes(c.low))} and more`, value: isBytes ? c.bytes : c.n }));
		const whole = rows.reduce((s, r) => s + r.value, 0);
		this.sizes.replaceChildren(
			bars(['Size asked for', isBytes ? 'Bytes, about' : 'Requests', 'Share'],
			rows, isBytes ? bytes : count, whole),
			isBytes ? el('p', { class: 'hint' },
				'From the middle of each step of 16 bytes; those of 64 KiB and ' +
				'more count with 64 KiB.') :
				el('p', { class: 'hint' },
					'Requests as they were made: also of reallocs, and of ' +
					'calls that failed.'));
	}

	// Without a histogram, each place counts with the average size of its blocks.
	averages() {
		const { model } = this;
		if (!model.has('total_blocks'))
			return el('p', { class: 'hint' }, 'Not recorded in this file.');
		return this.perSite('total_bytes', 'total_blocks', (v) => bytes(v),
			'Average size at a place', (v) => 2 ** Math.ceil(Math.log2(Math.max(1, v))),
			(c) => `up to ${bytes(c)}`);
	}

	perSite(sum, weight, format, head, classOf, labelOf) {
		const { model } = this, a = model.column(sum), b = model.column(weight),
			found = new Map();
		for (const node of model.siteNodes) {
			if (b[node] > 0) {
				const c = classOf(a[node] / b[node]);
				found.set(c, (found.get(c) || 0) + b[node]);
			}
		}
		const rows = [...found].sort((x, y) => x[0] - y[0])
			.map(([c, value]) => ({ label: labelOf(c), value }));
		return bars([head, 'Blocks', 'Share'], rows, count,
			rows.reduce((s, r) => s + r.value, 0));
	}

	lifetimes() {
		const { model } = this;
		if (model.data.lifetimes)
			return this.countedLifetimes(model.data.lifetimes);
		if (!model.has('life'))
			return el('p', { class: 'hint' },
				'Not recorded in this file: memusage --html records lifetimes.');
		const steps = [1, 10, 100, 1000, 10000, 60000, 600000, 3600000];
		const unit = model.lifeUnit, isTime = unit === 'ms';
		const classOf = isTime ? (v) => steps.find((s) => v < s) || Infinity : (v) =>
			10 ** Math.ceil(Math.log10(Math.max(1, v)));
		const freed = this.freed();
		return el('div', {}, this.perSite('life', 'total_blocks', (v) => time(v, unit),
			'Average lifetime at a place', classOf,
			(c) => c === Infinity ? 'longer'
				: `${isTime ? 'below' : 'up to'} ${tidy(time(c, unit))}`),
		el('p', { class: 'hint' },
			'Not of every block: blocks by the average of the place where they were ' +
			'allocated.', freed));
	}

	// Counts single blocks; the classes are powers of two of milliseconds.
	countedLifetimes(classes) {
		const { model } = this, live = model.has('end_blocks')
			? Math.max(0, model.sum('end_blocks')) : 0;
		const rows = classes.map((value, i) =>
			({ label: i === 0 ? 'below 1 ms' : duration(2 ** (i - 1), 2 ** i),
			value }));
		if (live > 0)
			rows.push({ label: 'still live at the end', value: live });
		return el('div', {}, bars(['Lived for', 'Blocks', 'Share'], rows, count,
			rows.reduce((s, r) => s + r.value, 0)),
			el('p', { class: 'hint' },
				'Every block is counted, at its end, by a clock of milliseconds; ' +
				'a realloc ends a block and begins another.', this.freed()));
	}

	freed() {
		const { model } = this;
		return model.has('temporary')
			? ` ${count(model.sum('temporary'))} blocks (` +
			`${percent(model.sum('temporary'), model.sum('total_blocks'))}) were ` +
			`temporary: ` +
			'freed by their thread before it allocated again.' : '';
	}

	waste() {
		const { model } = this, { counters, totals } = model.data, rows = [];
		const add = (label, value, note) =>
			rows.push(el('tr', {}, el('th', { scope: 'row' }, label),
			el('td', { class: 'number' }, value), el('td', {}, note)));
		const peak = model.snapshots[model.peakSnapshot];
		if (peak && peak.extra > 0)
			add('Rounding and admin at the peak', bytes(peak.extra),
				`${percent(peak.extra, peak.total)} of the memory then, with ` +
				`${(totals && totals.admin) || 8} bytes charged per block`);
		if (counters) {
			const { calls: { 1: calls }, failed: { 1: failed } } = counters;
			const moved = Math.max(0,
				calls - counters.realloc_nomove - counters.realloc_free - failed);
			add('Reallocs that copied, or began a block', count(moved),
				`of ${count(calls)}; ${count(counters.realloc_nomove)} stayed ` +
				`where they were`);
			add('Failed calls', count(counters.failed.reduce((a, b) => a + b, 0)),
				'requests that got no memory');
			add('Frees of unknown blocks', count(counters.foreign_frees),
				'allocated before the recording began, or by another allocator');
		}
		if (model.has('temporary'))
			add('Temporary blocks', count(model.sum('temporary')),
				'often avoidable: a buffer that is kept would do');
		if (model.has('read_bytes')) {
			const r = model.column('read_bytes'), w = model.column('written_bytes'),
				b = model.column('total_bytes');
			let unread = 0, unwritten = 0;
			for (const n of model.siteNodes) {
				unread += r[n] === 0 ? b[n] : 0;
				unwritten += w[n] === 0 ? b[n] : 0;
			}
			add('Never read', bytes(unread),
				'all blocks of their place were never read');
			add('Never written', bytes(unwritten),
				'all blocks of their place were never written');
		} else {
			add('Never read, never written', '–',
				'not recorded (use --accesses=emulate)');
		}
		return el('table', { class: 'list waste' }, el('tbody', {}, rows));
	}

	calls() {
		const { counters, threads } = this.model.data;
		if (!counters)
			return el('p', { class: 'hint' }, 'Not recorded in this file.');
		const rows = FUNCTIONS.map((f, i) => [f, counters.calls[i], counters.bytes[i],
			counters.failed[i]]).filter((r) => r[1] > 0);
		return el('div', {},
			el('table', { class: 'list' },
			el('thead', {},
			el('tr', {}, ['Function', 'Calls', 'Bytes', 'Failed'].map((h, i) =>
			el('th', { class: i ? 'number' : '' }, h)))),
			el('tbody', {},
				rows.map((r) => el('tr', {}, el('th', { scope: 'row' }, r[0]),
				el('td', { class: 'number' }, count(r[1])),
				el('td', { class: 'number' }, bytes(r[2])),
				el('td', { class: 'number' }, count(r[3])))))),
		threads && threads.length > 1 ? el('div', {}, el('h4', {}, 'Stacks of threads'),
			el('table', { class: 'list' }, el('tbody', {},
			threads.slice(0, 40)
				.map((t) =>
				el('tr', {},
				el('th', { scope: 'row' },
				nameNode(clip(t.name, 20) || `thread ${t.tid}`)),
				el('td', { class: 'number' }, bytes(t.stack))))))) : null);
	}
}
