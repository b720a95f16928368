// colors.js -- The colours of frames: a hue for each program and library, grey for run-times.
//
// The objects whose frames are widest at the peak get the hues that are farthest apart. The
// pictures of memusagestat --flame use the same hues in the same order (memusagestat/flame.c).
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { baseName } from './util.js';

const HUES = [215, 28, 150, 325, 265, 185, 52, 0, 100];
const LEGEND = 7;

// A function without an object is code that was made at run time: its object is ''.
const objectOf = (p) => p.object || p.file || '';
// What Massif merged (flag 8) has neither an object nor a hue.
const hasHue = (p) => (objectOf(p) || p.name) && !(p.flags & (2 | 8));

function hash(text) {
	let h = 7;
	for (let i = 0; i < text.length; i++)
		h = (h * 31 + text.charCodeAt(i)) | 0;
	return h >>> 0;
}

export class Palette {
	constructor(model) {
		this.model = model;
		this.cache = new Map();
		this.order = this.rank();
		this.hues = new Map(this.order.map((o, i) => [o, HUES[i % HUES.length]]));
	}

	// Objects by the widest frame that each has, without those of run-times.
	rank() {
		const { model } = this, metric = ['peak_bytes', 'total_bytes', 'end_bytes']
			.find((m) => model.has(m) && model.sum(m) > 0);
		const sum = model.inclusive(model.column(metric)), widest = new Map();
		const hidden = model.runtimeNodes();
		for (let i = 1; i < model.nodes; i++) {
			const p = model.places[model.place[i]], object = objectOf(p);
			if (hasHue(p) && !hidden[i] && !(widest.get(object) >= sum[i]))
				widest.set(object, sum[i]);
		}
		return [...widest].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
			.map(([o]) => o);
	}

	// The colour of a place. Neighbours of an object differ a little. In the dark theme a
	// lightness above 32 % would give yellow less than 4.5 of contrast to the text.
	of(p, isDark) {
		const key = `${p.name}\0${objectOf(p)}\0${p.flags & (2 | 8)}\0${isDark}`;
		let color = this.cache.get(key);
		if (!color) {
			const object = objectOf(p), l = hash(p.name || object) % 9 - 4;
			const h = this.hues.get(object) ?? HUES[hash(object) % HUES.length];
			color = this.mix(h, hasHue(p) ? 1 : 0, l, isDark);
			this.cache.set(key, color);
		}
		return color;
	}

	mix(hue, isOwn, lightness, isDark) {
		const [s, l] = isDark ? isOwn ? [45, 28 + lightness / 2] : [3, 25 + lightness / 2]
			: isOwn ? [72, 80 + lightness] : [5, 88 + lightness];
		return `hsl(${hue} ${s}% ${l}%)`;
	}

	// Returns [{label, color}] for the objects that places of the list have.
	legend(places, isDark) {
		const found = new Set(), list = [];
		let hasRuntime = false;
		for (const p of places) {
			if (p.flags & 2)
				hasRuntime = true;
			else if (hasHue(p))
				found.add(objectOf(p));
		}
		const shown = this.order.filter((o) => found.has(o));
		for (const o of shown.slice(0, LEGEND))
			list.push({ label: baseName(o) || 'code made at run time',
				color: this.mix(this.hues.get(o), 1, 0, isDark) });
		if (shown.length > LEGEND)
			list.push({ label: `${shown.length - LEGEND} more` });
		if (hasRuntime)
			list.push({ label: 'run-time', color: this.mix(0, 0, 0, isDark) });
		return list;
	}
}
