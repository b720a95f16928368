// util.js -- Numbers for people, and elements whose text never becomes HTML.
//
// SPDX-License-Identifier: LGPL-2.1-or-later

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

// Rounds as printf() does: what is in the middle to the even digit.
function fixed(v, digits) {
	const scale = 10 ** digits, n = v * scale, low = Math.floor(n);
	return (n - low === 0.5 && low % 2 === 0 ? low / scale : v).toFixed(digits);
}

export const digits3 = (v) => fixed(v, v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2);

export function bytes(v) {
	if (!Number.isFinite(v))
		return '–';
	let a = Math.abs(v), unit = 0;
	while (a >= 999.5 && unit < UNITS.length - 1) {
		a /= 1024;
		unit++;
	}
	const text = unit === 0 ? String(Math.round(a)) : digits3(a);
	return `${v < 0 ? '−' : ''}${text} ${UNITS[unit]}`;
}

// For axes and labels: 16 MiB, not 16.0 MiB.
export const tidy = (text) => text.replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');

export const count = (v) => Number.isFinite(v) ? Math.round(v).toLocaleString('en-US') : '–';

// Shortens numbers with too many digits to read.
export function large(v) {
	const a = Math.abs(v);
	return !(a >= 1e6) ? count(v) : a < 999.5e6 ? `${digits3(v / 1e6)} million`
		: `${digits3(v / 1e9)} billion`;
}

export const many = (n, what) => `${count(n)} ${what}${Math.round(n) === 1 ? '' : 's'}`;

export function percent(part, whole) {
	if (!(whole > 0))
		return '0 %';
	const p = 100 * part / whole;
	if (p !== 0 && Math.abs(p) < 0.05)
		return '<0.1 %';
	return `${Math.abs(p) >= 99.95 ? p.toFixed(0) : p.toFixed(1)} %`;
}

// Times are in ns, ms, i(nstructions) or B(ytes).
export function time(v, unit = 'ns') {
	if (!Number.isFinite(v))
		return '–';
	if (unit === 'B')
		return bytes(v);
	if (unit !== 'ns' && unit !== 'ms')
		return `${large(v)} ${unit === 'i' ? 'instructions' : unit}`;
	const ns = unit === 'ms' ? v * 1e6 : v;
	if (ns < 1e3)
		return `${Math.round(ns)} ns`;
	if (ns < 1e6)
		return `${digits3(ns / 1e3)} µs`;
	if (ns < 1e9)
		return `${digits3(ns / 1e6)} ms`;
	if (ns < 120e9)
		return `${digits3(ns / 1e9)} s`;
	const s = Math.round(ns / 1e9), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
	return h ? `${h} h${m ? ` ${m} min` : ''}` : `${m} min${s % 60 ? ` ${s % 60} s` : ''}`;
}

// As time(), but with every digit, for texts that users compare with other tools.
export const exactTime = (v, unit) => unit === 'i' || unit === 'B'
	? `${count(v)} ${unit === 'i' ? 'instructions' : 'bytes'}` : time(v, unit);

// For an axis, whose title names the unit.
export const tickTime = (v, unit) => tidy(unit === 'ns' || unit === 'ms' || unit === 'B'
	? time(v, unit) : large(v));

// Invisible characters, and those that change the direction of text, are shown by their numbers.
const HIDDEN =
	/[\0-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
export const visible = (text) => String(text).replace(/\n/g, '\\n').replace(/\t/g, '\\t')
	.replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);

export const clip = (text, max) => text.length <= max ? text :
	`${text.slice(0, Math.floor(max * 2 / 3))}…` +
	`${text.slice(text.length - Math.floor(max / 3) + 1)}`;

// el('div', {class: 'a', onclick: f}, child, 'text', ...): children are nodes or texts.
export function el(name, attributes, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (key.startsWith('on'))
			e.addEventListener(key.slice(2), value);
		else if (key === 'style')
			Object.assign(e.style, value);
		else if (key in e && typeof value !== 'string')
			e[key] = value;
		else
			e.setAttribute(key, value);
	}
	e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined &&
		c !== false));
	return e;
}

// A name from the program, isolated: its direction does not affect the text around it.
export const nameNode = (text, attributes) => el('bdi', { dir: 'auto', ...attributes }, text);

export function select(label, options, value, onchange) {
	const s = el('select', { 'aria-label': label, onchange: () => onchange(s.value) },
		options.map((o) => o.options ?
			el('optgroup', { label: o.label }, o.options.map((p) => option(p, value))) :
			option(o, value)));
	return el('label', { class: 'field' }, el('span', {}, label), s);
}

const option = (o, value) => el('option', { value: o.value, disabled: !!o.disabled,
	selected: o.value === value }, o.label);

export function checkbox(label, value, onchange) {
	const box = el('input', { type: 'checkbox', checked: value, onchange: () =>
		onchange(box.checked) });
	return el('label', { class: 'check' }, box, el('span', {}, label));
}

// Controls; on a narrow screen a button shows and hides all but the first ones.
export function foldable(first, more) {
	const rest = el('div', { class: 'folded' }, more);
	const button = el('button', { type: 'button', class: 'fold', 'aria-expanded': 'false',
		onclick: () => button.setAttribute('aria-expanded',
			String(rest.classList.toggle('open'))) }, 'Options');
	return el('div', { class: 'controls' }, first, button, rest);
}

// A button that shows more of a list; paper, which has no buttons, says how much of it is there.
export function moreButton(text, shown, all, onclick) {
	return [el('button', { type: 'button', class: 'link', onclick }, text),
		el('p', { class: 'on-paper' }, `${count(shown)} of ${count(all)} are shown.`)];
}

export async function copy(text, from) {
	let done = false;
	try {
		await navigator.clipboard.writeText(text);
		done = true;
	} catch {
		const area = el('textarea', { class: 'offscreen', readOnly: true });
		area.value = text;
		document.body.append(area);
		area.select();
		done = document.execCommand('copy');
		area.remove();
	}
	say(done ? 'Copied.' : 'Copying is not allowed here.', from);
}

// Shows a short message near the bottom, also to screen readers.
let messages, timer;
export function say(text) {
	if (!messages) {
		messages = el('div', { class: 'message', role: 'status' });
		document.body.append(messages);
	}
	messages.textContent = text;
	messages.classList.add('shown');
	clearTimeout(timer);
	timer = setTimeout(() => messages.classList.remove('shown'), 2500);
}

export function debounce(f, ms) {
	let waiting;
	return (...a) => {
		clearTimeout(waiting);
		waiting = setTimeout(() => f(...a), ms);
	};
}

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name)
	.trim();
