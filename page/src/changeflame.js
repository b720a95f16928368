// changeflame.js -- The flame graph of two files. A frame is as wide as the larger of both; orange
// grew, blue shrank, grey stayed. People with any kind of colour blindness tell the two apart, by
// their lightness also those who see no colours; memusagestat --flame --diff has the same.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { change, chosenMoment, columnsOf, fullText, isWithinError, moments } from './changes.js';
import { Explorer, toPattern } from './explore.js';
import { Flame } from './flame.js';
import { Tree } from './tree.js';
import { count, css, el, select } from './util.js';

const GROWN = [0xe8, 0x7a, 0x0e], SHRUNK = [0x2f, 0x6f, 0xbf];
const STAYED = 1 / 1000; // of the larger side

const parseHex = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
const mix = (a, b, part) => a.map((v, i) => Math.round(v * part + b[i] * (1 - part)));
const rgb = (c) => `rgb(${c.join(' ')})`;

// Black or white, whichever has more contrast.
function inkOn(color) {
	const [r, g, b] = color.map((v) => v / 255 <= 0.04045 ? v / 255 / 12.92
		: ((v / 255 + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}

class ChangeFlame extends Flame {
	// Old, new, samples and variance of a frame, or of those that are summed up.
	sums(node) {
		const nodes = node < 0 ? this.more[-node - 1].nodes : [node];
		return this.tree.total.slice(1).map((t) => nodes.reduce((sum, n) => sum + t[n], 0));
	}

	// The stronger, the larger the part of the frame that came or went.
	mixed(node) {
		const sums = this.sums(node), more = Math.max(sums[0], sums[1]), by = change(sums);
		const grid = parseHex(css('--grid'));
		if (!(more > 0) || Math.abs(by) < more * STAYED || isWithinError(this.model, sums))
			return grid;
		return mix(by > 0 ? GROWN : SHRUNK, grid, 0.25 + 0.75 * Math.abs(by) / more);
	}

	color(node) {
		return rgb(this.mixed(node));
	}

	drawText(g, node, x, y, w, color) {
		const isMatch = this.matches && this.matches[node];
		super.drawText(g, node, x, y, w, isMatch ? color : inkOn(this.mixed(node)));
	}

	showLegend() {
		const isEstimate = !!this.model.data.diff.distance;
		const entries = [[rgb(GROWN), 'grew'], [rgb(SHRUNK), 'shrank'],
			[css('--grid'), `stayed${isEstimate ? ', or is within the error of the ' +
				'estimates' : ''}`]];
		this.legend.replaceChildren(...entries.map(([color, label]) => el('li', {},
			el('span', { class: 'swatch', style: { background: color },
				'aria-hidden': 'true' }), label)));
	}

	value(node) {
		return fullText(this.model, this.sums(node));
	}

	tipLines(node) {
		return [this.value(node)];
	}
}

export class ChangeExplorer extends Explorer {
	constructor(model) {
		super(model, { isPart: true, FlameKind: ChangeFlame });
		const field = select('Show', moments(model).map((m) =>
			({ value: m.id, label: m.label })), '',
		(v) => model.state.set({ compare: v, zoom: '' }));
		this.moment = field.querySelector('select');
		this.element.querySelector('.controls').prepend(field);
	}

	apply(state) {
		this.metric = this.moment.value = chosenMoment(this.model).id;
		super.apply(state);
	}

	build(options) {
		const { model } = this, columns = columnsOf(model, this.metric);
		const [old, now] = columns;
		this.tree = new Tree(model, [old.map((v, i) => Math.max(v, now[i])), ...columns],
			options);
		this.flame.show(this.tree);
		this.caption.textContent = `${chosenMoment(model).label}: ` +
			`${this.totalText(0)}. A frame is as wide as the larger of both.`;
	}

	find(text) {
		const result = this.flame.match(toPattern(text.trim()));
		this.found.textContent = result
			? `${count(result.frames)} frame${result.frames === 1 ? '' : 's'}` : '';
	}

	totalText(node) {
		return this.flame.value(node);
	}

	ownText(node) {
		return fullText(this.model, this.tree.self.slice(1).map((s) => s[node]));
	}
}
