// rss.js -- Where the memory of the process was when the program had most: one bar of its parts.
//
// The parts and their words are those of the text (formats/base/memory.c).
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { bytes, el, percent, time } from './util.js';

// Their colours, which stay the same if a part is missing.
const COLORS = ['heap', 'spare', 'globals', 'stacks', 'file', 'shared', 'recorder'];

const colorOf = (p) => `part-${COLORS.indexOf(p.part)}`;

// Advises what tells more, if malloc knows little of the memory.
function advice(m) {
	return m.unknown > 0 ? el('p', { class: 'hint' },
		`About ${bytes(m.unknown)} of it are no blocks of malloc: `,
		el('code', {}, 'memusage --pages-as-heap=yes --html=FILE'),
		' shows who mapped them.') : null;
}

// Says, in the words of --growth, that RSS rises while live bytes do not.
function rise(r) {
	return r ? el('p', {}, el('b', {}, `Private memory (RSS) rises from ${bytes(r.from)} to ` +
		`${bytes(r.to)}, live bytes do not`), ` (${bytes(r.heap_from)} to ` +
		`${bytes(r.heap_to)}): fragmentation, memory outside malloc, or blocks written ` +
		'to long after they were allocated.') : null;
}

function partRow(m, part) {
	return el('li', {}, el('span', { class: `swatch ${colorOf(part)}`, 'aria-hidden': 'true' }),
		el('span', { class: 'number' }, bytes(part.bytes)),
		el('span', { class: 'number dim' }, percent(part.bytes, m.resident)),
		el('span', {}, part.text));
}

// Returns the section, or null if the memory was not sampled.
export function memoryParts(model) {
	const m = model.data.memory;
	if (!m || !m.resident)
		return null;
	const outside = m.outside.map((p) => `${bytes(p.bytes)} ${p.text}.`);
	if (m.rss_peak > m.highest * 1.01)
		outside.push(`Between two samples the kernel saw ${bytes(m.rss_peak)}.`);
	return el('section', { class: 'panel memory' },
		el('h3', {}, `Where the ${bytes(m.resident)} of memory (RSS) were`),
		el('p', { class: 'hint' },
			`When the program had most, ${time(m.t)} into the run.`),
		el('div', { class: 'stack-bar', 'aria-hidden': 'true' }, m.parts.map((p) =>
			el('div', { class: colorOf(p), title: `${bytes(p.bytes)} ${p.text}`,
				style: { flexGrow: String(p.bytes) } }))),
		el('ul', { class: 'parts' }, m.parts.map((p) => partRow(m, p))),
		outside.length ? el('p', { class: 'hint' }, outside.join(' ')) : null,
		rise(model.data.resident_rise), advice(m));
}
