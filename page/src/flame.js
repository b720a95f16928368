// flame.js -- A flame graph on a canvas. Only visible rows are drawn, so 4000 levels cost nothing.
// The root is at the top; the frames below a place are the functions that it called (or, inverted,
// its callers), with widths in proportion to their values.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { Palette } from './colors.js';
import { el, css, clip, many, nameNode, percent } from './util.js';

const ROW = 20, FONT = '12px system-ui, sans-serif';
const NARROW = 3; // pixels; narrower frames of a caller are summed up

// Cuts a text to the part that fits.
function fit(g, text, room) {
	let fits = 0,
		not = Math.min(text.length, Math.ceil(room / 2)); // no letter is narrower than 2
	if (not === text.length && g.measureText(text).width <= room)
		return text;
	while (not - fits > 1) {
		const half = (fits + not) >> 1;
		if (g.measureText(`${text.slice(0, half)}…`).width <= room)
			fits = half;
		else
			not = half;
	}
	return fits ? `${text.slice(0, fits)}…` : '';
}

export class Flame {
	// format(value) returns text. onselect(node, isZoom) is called when a frame is chosen,
	// onreset() when the whole graph is wanted.
	constructor(model, { format, onselect, onreset }) {
		this.model = model;
		this.format = format;
		this.onselect = onselect;
		this.onreset = onreset;
		this.canvas = el('canvas', { class: 'flame', tabIndex: 0, role: 'application',
			'aria-label': 'Flame graph. Arrow keys move between frames, Enter zooms, ' +
			'Escape zooms out.' });
		this.filler = el('div', { class: 'flame-filler' });
		this.scroller = el('div', { class: 'flame-box' }, this.canvas, this.filler);
		this.tip = el('div', { class: 'tip', hidden: true });
		this.live = el('div', { class: 'offscreen', role: 'status',
			'aria-live': 'polite' });
		this.legend = el('ul', { class: 'swatches', 'aria-label': 'Colours' });
		this.element = el('div', { class: 'flame-frame' }, this.legend, this.scroller,
			this.tip, this.live);
		model.palette ||= new Palette(model);
		this.root = this.chosen = 0;
		this.marked = new Set();
		this.pattern = null;
		this.listen();
		new ResizeObserver(() => this.resize()).observe(this.scroller);
	}

	listen() {
		const c = this.canvas;
		this.scroller.addEventListener('scroll', () => this.draw());
		c.addEventListener('mousemove', (e) => this.hover(e));
		c.addEventListener('mouseleave', () => this.hover(null));
		c.addEventListener('click', (e) => {
			const node = this.at(e);
			this.hover(null);
			this.quiet = node; // the tip stays away until another frame is under it
			if (node !== null && node < 0)
				this.choose(this.more[-node - 1].parent, true);
			else if (node !== null)
				this.choose(node, node !== this.chosen || node !== this.root);
		});
		c.addEventListener('keydown', (e) => this.key(e));
	}

	show(tree) {
		this.tree = tree;
		this.total = tree.total[0];
		this.root = this.chosen = 0;
		this.match(this.pattern);
		this.scroller.scrollTop = 0;
		this.layout();
		this.showLegend();
	}

	// Zooms to a frame and marks those of a place.
	select(place, zoom) {
		this.place = place;
		this.marked = place ? this.tree.keysOf(place) : new Set();
		if (zoom !== this.root) {
			this.root = zoom;
			this.layout();
			this.scrollTo(zoom ? zoom : 0);
		}
		this.draw();
	}

	// Returns the largest frame of a place, or 0.
	largestOf(place) {
		const { tree, total } = this, keys = tree.keysOf(place);
		return tree.key.reduce((best, k, node) => keys.has(k) && node > 0 &&
			(!best || total[node] > total[best]) ? node : best, 0);
	}

	showLegend() {
		const { tree, model } = this, isDark = css('--is-dark') === '1';
		const seen = [...new Set(tree.key)].filter((k) => k > 1).map((k) =>
			model.places[tree.names[k].place]);
		this.legend.replaceChildren(...model.palette.legend(seen, isDark).map((e) =>
			el('li', {}, e.color ? el('span', { class: 'swatch',
				style: { background: e.color }, 'aria-hidden': 'true' }) : null,
			nameNode(clip(e.label, 40)))));
	}

	repaint() {
		this.showLegend();
		this.draw();
	}

	width() {
		return this.paper || this.scroller.clientWidth || 1000;
	}

	resize() {
		if (this.tree && this.width() !== this.laidOut)
			this.layout();
		this.draw();
	}

	// Computes the positions of all frames below the root, as shares of its width, by depth.
	// A negative number is an entry of `more`: narrow frames of a caller that are summed up.
	layout() {
		const { tree, total } = this, rows = [];
		let base = 0;
		this.laidOut = this.width();
		this.more = [];
		this.ancestors = [];
		for (let at = this.root; at >= 0; at = tree.parent[at])
			this.ancestors.unshift(at);
		this.ancestors.forEach((node, depth) => {
			rows[depth] = { node: [node], from: [0], to: [1] };
			base = depth;
		});
		const queue = [[this.root, 0]], whole = total[this.root];
		this.box = new Map(this.ancestors.map((n, d) => [n, [d, 0, 1]]));
		for (let i = 0; i < queue.length && whole > 0; i++) {
			const [node, from] = queue[i], depth = base + 1 + tree.depth[node] -
				tree.depth[this.root];
			this.layoutChildren(node, from, rows[depth] || { node: [], from: [],
				to: [] }, queue, whole, rows, depth);
		}
		this.rows = rows;
	}

	layoutChildren(node, from, row, queue, whole, rows, depth) {
		const { tree, total } = this, children = tree.children[node] || [];
		const least = (node === this.root ? 1 : NARROW) / this.laidOut;
		let x = from, n = 0;
		const put = (what, width) => {
			row.node.push(what);
			row.from.push(x);
			row.to.push(x + width);
			rows[depth] = row;
			x += width;
		};
		for (; n < children.length && total[children[n]] / whole >= least; n++) {
			const child = children[n], width = total[child] / whole;
			this.box.set(child, [depth, x, x + width]);
			queue.push([child, x]);
			put(child, width);
		}
		const rest = children.slice(n), value = rest.reduce((s, c) => s + total[c], 0);
		if (value / whole * this.laidOut >= 1) {
			this.more.push({ parent: node, nodes: rest, value });
			put(-this.more.length, value / whole);
		}
	}

	// The height of the whole graph on the screen, or on paper.
	height(all) {
		if (this.paper)
			return Math.max(ROW, Math.min(all, Math.round(this.paper * 1.3)));
		const most = Math.max(240, window.innerHeight - 190);
		return Math.max(3 * ROW, Math.min(all, most));
	}

	draw() {
		const { canvas, scroller, rows, tree } = this;
		if (!rows || !scroller.clientWidth)
			return;
		const width = this.width(), all = rows.length * ROW + 4, height = this.height(all);
		scroller.style.height = `${height}px`;
		this.filler.style.height = `${Math.max(0, all - height)}px`;
		const scale = this.paper ? 3 : window.devicePixelRatio || 1;
		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		const g = canvas.getContext('2d'), top = scroller.scrollTop;
		g.setTransform(scale, 0, 0, scale, 0, 0);
		g.font = FONT;
		g.textBaseline = 'middle';
		g.textAlign = 'left';
		const paint = { isDark: css('--is-dark') === '1', text: css('--frame-text'),
			dim: css('--dim'),
			match: css('--match'), matchText: css('--match-text'),
				accent: css('--accent'), back: css('--panel') };
		for (let d = Math.floor(top / ROW); d < rows.length && d * ROW - top < height; d++)
			this.drawRow(g, rows[d], d, width, d * ROW - top, paint);
		if (tree.total[0].length && !(this.total[0] > 0)) {
			g.fillStyle = css('--dim');
			g.fillText('Nothing to show in this metric.', 12, 36);
		}
	}

	// width: pixels of the graph on paper; 0 for the screen.
	print(width) {
		this.paper = width;
		this.scroller.scrollTop = 0;
		this.layout();
		this.draw();
	}

	drawRow(g, row, depth, width, y, paint) {
		for (let i = 0; i < row.node.length; i++) {
			const x = row.from[i] * width, w = (row.to[i] - row.from[i]) * width,
				node = row.node[i];
			const isMatch = this.matches && node >= 0 && this.matches[node];
			g.fillStyle = isMatch ? paint.match : this.color(node, paint.isDark);
			g.globalAlpha = depth < this.ancestors.length - 1 ? 0.6 : 1;
			g.fillRect(x, y, Math.max(0.5, w - (w > 2 ? 1 : 0)), ROW - 1);
			g.globalAlpha = 1;
			const isChosen = node > 0 && node === this.chosen;
			if (isChosen || (node > 0 && this.marked.has(this.tree.key[node]))) {
				g.strokeStyle = paint.accent;
				g.lineWidth = isChosen ? 3 : 1.5;
				g.strokeRect(x + 1, y + 1, Math.max(1, w - 3), ROW - 3);
			}
			if (w > 34)
				this.drawText(g, node, x, y, w, isMatch ? paint.matchText
					: paint.text);
		}
	}

	color(node, isDark) {
		const none = { name: '', object: '', file: '', flags: 0 };
		return this.model.palette.of(node > 0 ? this.tree.place(node) : none, isDark);
	}

	// The text of a frame, or of those that are summed up.
	text(node, isFull) {
		const { tree } = this;
		return node >= 0 ? tree.text(node, isFull)
			: `… ${this.more[-node - 1].nodes.length} more`;
	}

	drawText(g, node, x, y, w, color) {
		const { tree } = this, isMatch = this.matches && this.matches[node];
		const text = (isMatch ? '▸ ' : '') + (tree.skipped[node] ? '⋯ ' : '') +
			this.text(node);
		g.fillStyle = color;
		g.fillText(fit(g, text, w - 8), x + 4, y + ROW / 2);
	}

	at(e) {
		const box = this.canvas.getBoundingClientRect();
		const x = (e.clientX - box.left) / box.width;
		const d = Math.floor((e.clientY - box.top + this.scroller.scrollTop) / ROW);
		const row = this.rows && this.rows[d];
		if (!row)
			return null;
		for (let i = 0; i < row.node.length; i++) {
			if (x >= row.from[i] && x < row.to[i])
				return row.node[i];
		}
		return null;
	}

	value(node) {
		const v = node < 0 ? this.more[-node - 1].value : this.total[node];
		const { total, hasBlocks } = this.tree;
		const n = node < 0 || !hasBlocks ? 0 : total[1][node];
		const bounds = node < 0 || !this.bounds ? ''
			: ` (${this.bounds(total.map((t) => t[node]), v)})`;
		return `${this.format(v)}${bounds}, ${percent(v, this.total[0])}` +
			`${n > 0 ? `, in ${many(n, 'block')}` : ''}`;
	}

	// What the tip says besides the name: the value, its part below a zoom, the frame's own.
	tipLines(node) {
		const lines = [this.value(node)];
		if (node >= 0) {
			const own = this.tree.self[0][node];
			lines.push(own > 0 ? `itself ${this.format(own)}, ` +
				`${percent(own, this.total[0])}` : 'nothing itself');
			if (this.root && this.total[node] < this.total[this.root])
				lines.push(`${percent(this.total[node], this.total[this.root])} ` +
					'of what is shown');
		} else {
			lines.push(this.more[-node - 1].parent === this.root
				? 'too narrow to be shown; the table of program points lists them'
				: 'too narrow to be shown one by one; a click zooms in');
		}
		return lines;
	}

	hover(e) {
		const node = e ? this.at(e) : null, { tip } = this;
		if (node !== this.quiet)
			this.quiet = undefined;
		tip.hidden = node === null || node === this.quiet;
		if (tip.hidden)
			return;
		tip.replaceChildren(el('b', { dir: 'auto' }, clip(this.text(node, true), 300)),
			...this.tipLines(node).map((line) => el('div', {}, line)));
		const box = this.element.getBoundingClientRect();
		const x = e.clientX - box.left, y = e.clientY - box.top;
		tip.style.left =
			`${Math.max(0, Math.min(x + 12, box.width - tip.offsetWidth - 4))}px`;
		tip.style.top = `${y + 18}px`;
	}

	choose(node, zoom = true) {
		this.chosen = node;
		this.live.textContent = `${this.tree.text(node)}: ${this.value(node)}`;
		this.onselect(node, zoom);
	}

	scrollTo(node) {
		const at = this.box.get(node);
		if (!at)
			return;
		const y = at[0] * ROW, s = this.scroller;
		if (y < s.scrollTop || y + ROW > s.scrollTop + s.clientHeight)
			s.scrollTop = Math.max(0, y - 3 * ROW);
	}

	key(e) {
		const { tree } = this, at = this.chosen, siblings = at > 0
			? tree.children[tree.parent[at]] : [0];
		const i = siblings.indexOf(at);
		const to = { ArrowUp: tree.parent[at], ArrowDown: (tree.children[at] || [])[0],
			ArrowLeft: siblings[i - 1], ArrowRight: siblings[i + 1] }[e.key];
		if (e.key === 'Enter')
			this.choose(at);
		else if (e.key === 'Escape')
			this.onreset();
		else if (e.key.startsWith('Arrow') && to !== undefined && to >= 0) {
			this.choose(to, !this.box.has(to));
			this.scrollTo(to);
		} else if (!e.key.startsWith('Arrow')) {
			return;
		}
		e.preventDefault();
	}

	// Marks the frames whose text matches the expression. Returns {frames, value}: a byte
	// counts once, even if several frames of its stack match.
	match(pattern) {
		this.pattern = pattern;
		this.matches = null;
		const { tree } = this;
		if (!pattern || !tree)
			return null;
		const hit = this.matches = new Uint8Array(tree.parent.length),
			inside = new Uint8Array(hit.length);
		const byKey = tree.names.map((n, i) => pattern.test(n.label) ||
			pattern.test(tree.model.places[n.place].name) ||
			(tree.group !== 'object' &&
				pattern.test(tree.model.places[n.place].file)) ||
			(i > 1 && pattern.test(tree.model.places[n.place].object)));
		let frames = 0, value = 0;
		for (let i = 1; i < hit.length; i++) {
			if (byKey[tree.key[i]]) {
				hit[i] = 1;
				frames++;
				if (!inside[tree.parent[i]])
					value += this.total[i];
			}
			inside[i] = hit[i] || inside[tree.parent[i]];
		}
		return { frames, value };
	}
}
