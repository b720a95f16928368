// flame.js -- A flame graph on a canvas. Only visible rows are drawn, so 4000 levels cost nothing.
// The root is at the top; the frames below a place are the functions that it called (or, inverted,
// its callers), with widths in proportion to their values.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { el, css, clip, percent } from './util.js';

const ROW = 20, FONT = '12px system-ui, sans-serif', LEAST = 0.4;

function hue(text) {
	let h = 7;
	for (let i = 0; i < text.length; i++)
		h = (h * 31 + text.charCodeAt(i)) | 0;
	return (h >>> 0) % 360;
}

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
	// format(value) returns text. onselect(node) is called when a frame is chosen; null: none
	// is.
	constructor({ format, onselect }) {
		this.format = format;
		this.onselect = onselect;
		this.canvas = el('canvas', { class: 'flame', tabIndex: 0, role: 'application',
			'aria-label': 'Flame graph. Arrow keys move between frames, Enter zooms, ' +
			'Escape zooms out.' });
		this.filler = el('div', { class: 'flame-filler' });
		this.scroller = el('div', { class: 'flame-box' }, this.canvas, this.filler);
		this.tip = el('div', { class: 'tip', hidden: true });
		this.live = el('div', { class: 'offscreen', role: 'status',
			'aria-live': 'polite' });
		this.element = el('div', { class: 'flame-frame' }, this.scroller, this.tip,
			this.live);
		this.colors = new Map();
		this.root = this.chosen = 0;
		this.pattern = null;
		this.listen();
		new ResizeObserver(() => this.draw()).observe(this.scroller);
	}

	listen() {
		const c = this.canvas;
		this.scroller.addEventListener('scroll', () => this.draw());
		c.addEventListener('mousemove', (e) => this.hover(e));
		c.addEventListener('mouseleave', () => this.hover(null));
		c.addEventListener('click', (e) => {
			const node = this.at(e);
			if (node !== null)
				this.choose(node, node !== this.chosen || node !== this.root);
		});
		c.addEventListener('keydown', (e) => this.key(e));
	}

	show(tree, metric = 0) {
		this.tree = tree;
		this.colors.clear();
		this.total = tree.total[metric];
		this.root = this.chosen = 0;
		this.match(this.pattern);
		this.scroller.scrollTop = 0;
		this.layout();
		this.draw();
	}

	// Computes the positions of all frames below the root, as shares of its width, by depth.
	layout() {
		const { tree, total } = this, rows = [];
		let base = 0;
		this.ancestors = [];
		for (let at = this.root; at >= 0; at = tree.parent[at])
			this.ancestors.unshift(at);
		this.ancestors.forEach((node, depth) => {
			rows[depth] = { node: [node], from: [0], to: [1] };
			base = depth;
		});
		const queue = [[this.root, 0, 1]], whole = total[this.root];
		this.box = new Map(this.ancestors.map((n, d) => [n, [d, 0, 1]]));
		for (let i = 0; i < queue.length && whole > 0; i++) {
			const [node, from] = queue[i];
			let x = from;
			for (const child of tree.children[node] || []) {
				const width = total[child] / whole, depth = base +
					tree.depth[child] - tree.depth[this.root];
				if (!(width > 2e-4))
					continue;
				const row = rows[depth] ||= { node: [], from: [], to: [] };
				row.node.push(child);
				row.from.push(x);
				row.to.push(x + width);
				this.box.set(child, [depth, x, x + width]);
				queue.push([child, x, x + width]);
				x += width;
			}
		}
		this.rows = rows;
	}

	color(node, isDark) {
		const p = this.tree.place(node), text = p.object || p.file || '';
		const runtime = p.flags & 2;
		const key = `${this.tree.key[node]} ${isDark}`;
		let color = this.colors.get(key);
		if (!color) {
			// Each library has a hue; neighbours differ a little. In the dark theme a
			// lightness above 32 % would give yellow less than 4.5 of contrast to the
			// text.
			const own = hue(p.name || text), h = hue(text) + own % 41 - 20,
				l = own % 7 - 3;
			const s = node === 0 || !text ? 0 : runtime ? 16 : 60;
			color = isDark ? `hsl(${h} ${s * 0.65}% ${(runtime ? 26 : 29) + l}%)`
				: `hsl(${h} ${s}% ${(runtime ? 87 : 82) + l}%)`;
			this.colors.set(key, color);
		}
		return color;
	}

	// Returns the number of rows down to the last one with a visible frame.
	deepest(width) {
		const { rows } = this, isSeen = (row) =>
			row.to.some((to, i) => (to - row.from[i]) * width >= LEAST);
		let n = rows.length;
		while (n > this.ancestors.length && !isSeen(rows[n - 1]))
			n--;
		return n;
	}

	draw() {
		const { canvas, scroller, rows, tree } = this;
		if (!rows || !scroller.clientWidth)
			return;
		const width = this.paper || scroller.clientWidth, all = this.deepest(width) * ROW +
			4;
		const most = this.paper ? Math.round(this.paper * 1.3)
			: Math.max(240, Math.round(window.innerHeight * 0.62));
		const height = Math.max(this.paper ? ROW : 160, Math.min(all, most));
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
		this.scale = width;
		if (tree.total[0].length && !(this.total[0] > 0)) {
			g.fillStyle = css('--dim');
			g.fillText('Nothing to show in this metric.', 12, 36);
		}
	}

	// width: pixels of the graph on paper; 0 for the screen.
	print(width) {
		this.paper = width;
		this.scroller.scrollTop = 0;
		this.draw();
	}

	drawRow(g, row, depth, width, y, paint) {
		for (let i = 0; i < row.node.length; i++) {
			const x = row.from[i] * width, w = (row.to[i] - row.from[i]) * width,
				node = row.node[i];
			if (w < LEAST)
				continue;
			const isMatch = this.matches && this.matches[node];
			g.fillStyle = isMatch ? paint.match : this.color(node, paint.isDark);
			g.globalAlpha = depth < this.ancestors.length - 1 ? 0.6 : 1;
			g.fillRect(x, y, Math.max(0.5, w - (w > 2 ? 1 : 0)), ROW - 1);
			g.globalAlpha = 1;
			if (node === this.chosen && this.chosen !== 0) {
				g.strokeStyle = paint.accent;
				g.lineWidth = 2;
				g.strokeRect(x + 1, y + 1, Math.max(1, w - 3), ROW - 3);
			}
			if (w > 34)
				this.drawText(g, node, x, y, w, isMatch ? paint.matchText
					: paint.text);
		}
	}

	drawText(g, node, x, y, w, color) {
		const { tree } = this, isMatch = this.matches && this.matches[node];
		const text = (isMatch ? '▸ ' : '') + (tree.skipped[node] ? '⋯ ' : '') +
			tree.text(node);
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
		const v = this.total[node];
		return `${this.format(v)}, ${percent(v, this.total[0])}`;
	}

	hover(e) {
		const node = e ? this.at(e) : null, { tip } = this;
		tip.hidden = node === null;
		if (node === null)
			return;
		tip.replaceChildren(el('b', { dir: 'auto' }, clip(this.tree.text(node, true), 300)),
			el('div', {}, this.value(node)));
		const box = this.element.getBoundingClientRect();
		const x = e.clientX - box.left, y = e.clientY - box.top;
		tip.style.left =
			`${Math.max(0, Math.min(x + 12, box.width - tip.offsetWidth - 4))}px`;
		tip.style.top = `${y + 18}px`;
	}

	choose(node, zoom = true) {
		this.chosen = node;
		if (zoom && node !== this.root) {
			this.root = node;
			this.layout();
			const depth = this.ancestors.length - 1;
			if (depth * ROW < this.scroller.scrollTop ||
				depth * ROW > this.scroller.scrollTop + this.scroller.clientHeight)
				this.scroller.scrollTop = Math.max(0, (depth - 3) * ROW);
		}
		this.draw();
		this.live.textContent = `${this.tree.text(node)}: ${this.value(node)}`;
		this.onselect(node);
	}

	reset() {
		this.root = this.chosen = 0;
		this.layout();
		this.draw();
		this.onselect(null);
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
			this.reset();
		else if (e.key.startsWith('Arrow') && to !== undefined && to >= 0) {
			if (!this.box.has(to)) {
				this.root = to;
				this.layout();
			}
			this.choose(to, false);
			const y = this.box.get(to)[0] * ROW, s = this.scroller;
			if (y < s.scrollTop || y + ROW > s.scrollTop + s.clientHeight)
				s.scrollTop = y - s.clientHeight / 2;
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
