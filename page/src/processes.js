// processes.js -- All processes of the recording: which are in the page, how they stand to each
// other, and how they ended.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { stateLink } from './places.js';
import { bytes, clip, count, el, many, nameNode, percent, select, time } from './util.js';

const HEADS = ['Peak', 'At the end', 'Ran', 'Process', 'End'];

// Returns the data of the process with a PID, or of the one that the page is about.
//
// A key names a process that the page has: 0 is the one that the page is about, which may have
// executed another program later; a PID is the last program of another one. The page may have both.
export function processData(data, pid) {
	const others = data.others || [], found = others.find((o) => o.run.pid === pid);
	const shown = [0, ...others.map((o) => o.run.pid)];
	return found ? { ...data, access: undefined, labels: undefined, ...found, shown, key: pid,
		run: { ...found.run, images: data.run.images } } : { ...data, shown, key: 0 };
}

// Returns the key of an element of data.processes, or -1.
const keyOf = (p, data) => p.shown ? 0 : p.last && data.shown.includes(p.pid) ? p.pid : -1;

// What changes with the process: moments and frames are its own, places may be in others, too.
const choose = (key) => ({ process: key, from: -1, to: null, zoom: '', metric: '' });

const nameOf = (p) => clip(p.name || p.command || `process ${p.pid}`, 40);

// A list of the processes whose figures the page has; nothing if there is one only.
export function chooser(model) {
	const { data, state } = model;
	if (data.shown.length < 2)
		return null;
	const options = data.shown.map((key) => {
		const p = data.processes.find((q) => keyOf(q, data) === key) || { pid: key };
		return { value: String(key), label: `${nameOf(p)} ${p.pid}: ` +
			`${bytes(p.own_peak || 0)}` };
	});
	const field = select('Process', options, String(data.key), (v) =>
		state.set(choose(Number(v))));
	field.classList.add('chooser');
	return field;
}

// The number of processes. One has several elements if it executed another program; elements that
// the page does not list count as processes.
const countProcesses = (data) => data.process_count -
	(data.processes || []).filter((p) => !p.last).length;

// "It held 4.3 MiB of the 4.6 MiB of all 5 processes", for the Summary.
export function standing(model) {
	const { data, run } = model, list = data.processes || [];
	const own = list.find((p) => keyOf(p, data) === data.key);
	if (list.length < 2 || !own || !(data.own_peaks > 0))
		return null;
	const before = own.last ? '' : ', before it executed another program';
	return el('p', {}, `This is process ${run.pid}, ${nameOf(own)}${before}: it held ` +
		`${bytes(own.own_peak)} of the ${bytes(data.own_peaks)} that `,
	stateLink(model, { view: 'processes' }, {},
		`${many(countProcesses(data), 'process')}`.replace('processs', 'processes')),
	` held at their peaks${own.forked ? ', without what it got from its parent' : ''}.`);
}

export class Processes {
	constructor(model) {
		const { state } = model;
		this.model = model;
		this.body = el('tbody', {});
		this.note = el('p', { class: 'caption' });
		const field = select('Order', [{ value: 'start', label: 'tree: parents, then ' +
			'children' }, { value: 'peak', label: 'peak' },
		{ value: 'live', label: 'live at the end' }], 'start',
		(v) => state.set({ by: v }));
		this.order = field.querySelector('select');
		this.element = el('div', {}, el('div', { class: 'controls' }, field), this.note,
			el('div', { class: 'table-box' }, el('table', { class: 'processes' },
				el('thead', {}, el('tr', {}, HEADS.map((h, i) =>
					el('th', { scope: 'col', class: i < 2 ? 'number' : '' },
						h)))), this.body)));
	}

	// Shows what the state says.
	apply(state) {
		const { data } = this.model, list = data.processes;
		const most = list.reduce((m, p) => Math.max(m, p.end || p.start), 1);
		const rows = state.by === 'start' ? this.tree(list)
			: [...list].sort((a, b) => state.by === 'peak' ? b.own_peak - a.own_peak
				: b.own_live - a.own_live).map((p) => ({ p, level: 0 }));
		this.order.value = state.by;
		this.describe(data, data.process_count - list.length);
		this.body.replaceChildren(...rows.map(({ p, level }) => this.row(p, level, most)));
	}

	// Writes the sums; left: processes that the page does not list.
	describe(data, left) {
		const how = el('code', {}, 'memusagestat --pid=PID --html=FILE RECORDING');
		this.note.replaceChildren(`${count(countProcesses(data))} processes, ` +
			`${bytes(data.own_peaks)} at their peaks, ${bytes(data.own_lives)} live ` +
			'at their ends. The figures of a forked process are without what it got ' +
			'from its parent.',
		left > 0 ? ` ${count(left)} with smaller peaks are left out.` : '',
		...(data.shown.length < data.process_count
			? [' A page of a process without a link is made by ', how, '.'] : []));
	}

	// Returns parents, each with its children below it.
	tree(list) {
		const known = new Set(list.map((p) => p.pid)), rows = [], seen = new Set();
		const add = (p, level) => {
			if (seen.has(p))
				return;
			seen.add(p);
			rows.push({ p, level });
			if (p.last)
				list.filter((c) => c.parent === p.pid && c.pid !== p.pid)
					.forEach((c) => add(c, level + 1));
		};
		list.filter((p) => !p.has_parent || !known.has(p.parent)).forEach((p) => add(p, 0));
		list.forEach((p) => add(p, 0));
		return rows;
	}

	row(p, level, most) {
		const { model } = this, { data } = model, key = keyOf(p, data);
		const isShown = key === data.key;
		const end = p.end || most, name = nameNode(`${nameOf(p)} ${p.pid}`);
		return el('tr', { class: isShown ? 'is-selected' : '', 'aria-current': isShown
			? 'true' : undefined },
		el('td', { class: 'number' }, bytes(p.own_peak), el('span', { class: 'dim' },
			` ${percent(p.own_peak, data.own_peaks)}`)),
		el('td', { class: 'number' }, bytes(p.own_live)),
		el('td', { class: 'span-cell' }, el('div', { class: 'track', title:
			`${time(p.start)} to ${p.end ? time(p.end) : 'an unknown time'}` },
		el('div', { class: 'bar', style: { marginInlineStart: `${100 * p.start / most}%`,
			width: `${100 * (end - p.start) / most}%` } }))),
		el('td', { style: { paddingInlineStart: `${Math.min(level, 12) * 1.3}rem` } },
			level ? el('span', { class: 'dim', 'aria-hidden': 'true' }, '└ ') : null,
			key >= 0 ? stateLink(model, () => ({ ...choose(key),
				view: 'summary' }), {}, name) : name, ' ',
			el('span', { class: 'dim command-text', dir: 'ltr' },
				clip(p.command || '', 160))),
		el('td', {}, p.ended || ''));
	}
}
