// timeline.js -- Memory over time, snapshots and marks; the places of a snapshot or a range.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { axes, Chart } from './chart.js';
import { Explorer } from './explore.js';
import { bytes, clip, el, nameNode, percent, say, select, time } from './util.js';

export class Timeline {
	constructor(model) {
		this.model = model;
		this.selected = this.until = -1;
		this.chart = new Chart(model,
			{ onpick: (n, isRange) => isRange && this.selected >= 0
			? this.select(this.selected, n) : this.select(n, -1) });
		this.panel = el('div', { class: 'moment' });
		this.element = el('div', {}, this.controls(), this.chart.legend, this.chart.box,
			this.chart.live, this.panel);
		this.isReady = false;
	}

	controls() {
		const { model } = this, list = [];
		list.push(select('Along', axes(model), 't', (v) => this.chart.show(v)));
		if (model.snapshots.length) {
			const options = model.snapshots.map((s) => ({ value: String(s.number),
				label: `${s.number}${s.kind === 'peak' ? ' (peak)' : ''}: ` +
					`${time(s.t, model.unit)}, ${bytes(s.heap)}` }));
			this.fromField = select('Snapshot',
				[{ value: '-1', label: 'none' }, ...options], '-1',
				(v) => this.select(Number(v), -1));
			this.toField = select('until', [{ value: '-1', label: 'that moment alone' },
				...options], '-1',
				(v) => this.select(this.selected, Number(v)));
			list.push(el('div', { class: 'stepper' },
				el('button', { type: 'button', 'aria-label': 'Snapshot before',
					onclick: () => this.step(-1) }, '◀'), this.fromField,
				el('button', { type: 'button', 'aria-label': 'Next snapshot',
					onclick: () => this.step(1) }, '▶')), this.toField);
		}
		if (model.snapshots.filter((s) => s.hasTree).length > 1)
			list.push(el('button',
				{ type: 'button',
				title: 'What grew between the first and the last snapshot in view',
				onclick: () => this.selectView() }, 'Growth in view'));
		list.push(el('button',
			{ type: 'button',
			title: 'Drag in the chart, or press + and −, to the same effect',
			onclick: () => this.chart.zoom(0.5) }, 'Zoom in'),
			el('button', { type: 'button', onclick: () => this.chart.plot() },
				'Whole run'));
		return el('div', { class: 'controls' }, list);
	}

	// Called when the tab is shown: before that a plot has no width.
	shown() {
		if (!this.isReady) {
			this.isReady = true;
			this.chart.start();
			if (this.model.snapshots.length && this.selected < 0)
				this.select(this.model.peakSnapshot, -1);
		} else {
			this.chart.resize();
		}
	}

	redraw() {
		if (this.isReady)
			this.chart.plot();
	}

	print(width) {
		this.chart.print(width);
		if (this.explorer)
			this.explorer.print(width);
	}

	selectView() {
		const inside = this.chart.inView();
		if (inside.length > 1)
			this.select(inside[0].number, inside[inside.length - 1].number);
		else
			say('Less than two snapshots with places are in view.');
	}

	step(by) {
		const { snapshots } = this.model;
		let n = this.selected + by;
		while (n >= 0 && n < snapshots.length && !snapshots[n].hasTree)
			n += by;
		if (n >= 0 && n < snapshots.length)
			this.select(n, -1);
	}

	select(from, until) {
		if (until >= 0 && from >= 0 && until < from)
			[from, until] = [until, from];
		if (until === from)
			until = -1;
		this.selected = from;
		this.until = until;
		this.fromField.querySelector('select').value = String(from);
		this.toField.querySelector('select').value = String(until);
		this.chart.mark([from, until]);
		this.showMoment();
	}

	showMoment() {
		const { model } = this, a = model.snapshots[this.selected],
			b = model.snapshots[this.until];
		if (!a) {
			this.panel.replaceChildren();
			return;
		}
		if (!a.hasTree || (b && !b.hasTree)) {
			this.panel.replaceChildren(el('p', { class: 'hint' },
				'This snapshot is only figures: it kept no places. Those with a ' +
				'longer tick below the curve did.'));
			return;
		}
		const self = b ? model.growth(this.selected, this.until)
			: model.atSnapshot(this.selected);
		const what = { self, format: bytes, caption: b ? 'Grown by, where it grew'
			: 'Live then' };
		const title = b
			? `From snapshot ${a.number} (${time(a.t, model.unit)}) to ${b.number} ` +
			`(${time(b.t, model.unit)}): ` +
			`${b.heap >= a.heap ? '+' : ''}${bytes(b.heap - a.heap)}` :
			`Snapshot ${a.number}${a.kind === 'peak' ? ', the peak' : ''}` +
			`${a.name ? ` “${clip(a.name, 60)}”` : ''}: ${bytes(a.heap)} of heap, ` +
			`${time(a.t, model.unit)} into the run`;
		if (this.explorer)
			this.explorer.setWhat(what);
		else
			this.explorer = new Explorer(model, { what });
		this.panel.replaceChildren(el('section', { class: 'panel' }, el('h3', {}, title),
			this.exactness(b ? null : a), this.list(self, b)),
			this.explorer.element);
	}

	// The snapshot of the peak is the last one taken while the heap grew towards the peak.
	exactness(s) {
		const { model } = this, peak = model.totals.peak;
		return s && s.kind === 'peak' && model.has('peak_bytes') && peak > s.heap
			? el('p', { class: 'hint' },
			`The heap was ${percent(peak - s.heap, peak)} higher at the peak itself, ` +
			`${bytes(peak)}: the flame graph's “Live at the peak” is of that ` +
			`moment.`) : null;
	}

	// Lists the places that held (or grew) most.
	list(self, isGrowth) {
		const { model } = this, sums = new Map();
		self.forEach((v, node) => {
			if (v === 0)
				return;
			const at = model.holder(node);
			const e = sums.get(model.place[at]) || { node: at, value: 0 };
			e.value += v;
			sums.set(model.place[at], e);
		});
		const all = [...sums.values()].sort((x, y) => Math.abs(y.value) - Math.abs(x.value))
			.slice(0, 8);
		const whole = self.reduce((s, v) => s + v, 0), most = all.length
			? Math.abs(all[0].value) : 1;
		const head = [el('th', { class: 'number' }, isGrowth ? 'Growth' : 'Bytes'), isGrowth
			? null : el('th', { class: 'number' }, 'Share'),
			el('th', {}, 'Place'), el('th', { 'aria-hidden': 'true' })];
		const row = (e) =>
			[el('td', { class: 'number' },
			`${isGrowth && e.value > 0 ? '+' : ''}${bytes(e.value)}`),
			isGrowth ? null : el('td', { class: 'number' }, percent(e.value, whole)),
			el('td', {}, nameNode(clip(model.label(e.node), 160)), ' ',
				el('span', { class: 'dim' }, clip(model.where(model.place[e.node]),
				80))),
			el('td', { class: 'bar-cell', 'aria-hidden': 'true' },
				el('div',
				{ class: 'bar',
				style: { width: `${100 * Math.abs(e.value) / most}%` } }))];
		return el('table', { class: 'list bars' }, el('thead', {}, el('tr', {}, head)),
			el('tbody', {}, all.map((e) => el('tr', {}, row(e)))));
	}
}
