// page.mjs -- look at HTML pages of memusagestat in a browser: page.mjs CHROMIUM MODULES FILE.html...
//
// Prints TAP lines for each file: every tab, metric, snapshot, search and zoom works, without an
// error or a message; the page loads in a second; it fits in the window at three sizes.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { statSync } from 'node:fs';

const [chromium, modules, ...files] = process.argv.slice(2);
const { chromium: browserType } = createRequire(join(resolve(modules), 'package.json'))('playwright-core');
const SIZES = [[1920, 1080], [1280, 720], [390, 844]];
let TABS = [];
const slow = Number(process.env.PAGE_SLOW || 1);

function report(ok, text, ...why) {
	console.log(`${ok ? 'pass' : 'fail'} ${text}`);
	if (!ok)
		why.forEach((w) => console.log(`diag ${String(w).replace(/\n/g, ' ').slice(0, 600)}`));
}

// Every choice of every list in the view.
async function chooseAll(page, most) {
	let n = 0;
	const lists = await page.$$('main .controls select');
	for (const list of lists) {
		// A snapshot without places, chosen before, has no lists.
		if (!await list.isVisible())
			continue;
		const values = await list.$$eval('option:not([disabled])', (o) => o.map((x) => x.value));
		const before = await list.inputValue();
		for (const v of values.slice(0, most)) {
			await list.selectOption(v);
			n++;
		}
		await list.selectOption(before);
	}
	return n;
}

// The sums of the page's own model and of what the flame graph shows are those of the data.
function compareSums() {
	const { model, page } = window.memusage, bad = [];
	const data = JSON.parse(document.getElementById('data').textContent);
	for (const [name, list] of Object.entries(data.sites || {})) {
		if (name === 'node' || name === 'stacks')
			continue;
		const want = list.reduce((a, b) => a + b, 0);
		if (model.sum(name) !== want)
			bad.push(`${name}: ${model.sum(name)} is not ${want}`);
	}
	const flame = page.view('flame');
	for (const inverted of flame.flame ? [true, false] : []) {
		for (const group of ['line', 'function', 'file', 'object']) {
			for (const fold of [true, false]) {
				for (const runtime of [true, false]) {
					model.state.set({ view: 'flame', inverted, group, fold, runtime }, true);
					const want = model.column(flame.metric).reduce((a, b) => a + Math.max(0, b), 0);
					if (Math.abs(flame.tree.total[0][0] - want) > 0.5)
						bad.push(`${group} ${inverted} ${fold}: ${flame.tree.total[0][0]} is not ${want}`);
				}
			}
		}
	}
	model.state.set({ view: 'summary', inverted: false, group: 'line', fold: false, runtime: false });
	for (const s of model.snapshots) {
		if (data.kind !== 'recording' || !s.hasTree)
			continue;
		const sum = model.atSnapshot(s.number).reduce((a, b) => a + b, 0);
		if (sum !== s.heap && data.run.threads < 2)
			bad.push(`snapshot ${s.number}: ${sum} is not ${s.heap}`);
	}
	return bad;
}

// Texts whose contrast to what is behind them is below 4.5; edges of controls, curves and bars below 3.
function lowContrast() {
	const parse = (c) => (c.match(/[\d.]+/g) || []).map(Number);
	const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	const back = (e) => {
		for (let at = e; at; at = at.parentElement) {
			const c = parse(getComputedStyle(at).backgroundColor);
			if (c.length === 3 || c[3] > 0.99)
				return c;
		}
		return [255, 255, 255];
	};
	const bad = new Set();
	const compare = (what, color, ground, least) => {
		const a = light(parse(color)), b = light(ground), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < least)
			bad.add(`${what}: ${ratio.toFixed(2)}`);
	};
	for (const e of document.querySelectorAll('body *')) {
		const style = getComputedStyle(e), name = `${e.tagName}.${e.className} "${e.textContent.slice(0, 30)}"`;
		if (!e.offsetParent || e.disabled)
			continue;
		if ([...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
			compare(name, style.color, back(e), 4.5);
		if (e.matches('button, select, input[type=search]') && style.borderTopWidth !== '0px' && style.borderTopStyle !== 'none')
			compare(`the edge of ${name}`, style.borderTopColor, back(e.parentElement), 3);
	}
	const probe = document.body.appendChild(document.createElement('div')), color = (name) => {
		probe.style.color = `var(${name})`;
		return getComputedStyle(probe).color;
	};
	for (const name of ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7', '--bar', '--accent'])
		compare(name, color(name), parse(color('--panel')), 3);
	probe.remove();
	return [...bad];
}

// Frames of the flame graph whose text would have too little contrast: hues all round the wheel.
function lowContrastOfFrames() {
	const { palette } = window.memusage.model, bad = [];
	if (!palette)
		return bad;
	const g = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
	const light = (color) => {
		g.fillStyle = color;
		g.fillRect(0, 0, 1, 1);
		return [...g.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255)
			.map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	};
	const css = getComputedStyle(document.documentElement), isDark = document.documentElement.dataset.theme === 'dark';
	const text = light(css.getPropertyValue('--frame-text').trim());
	for (let i = 0; i < 720; i++) {
		const color = palette.of({ object: `/usr/lib/lib${i}.so`, name: `f${i * 7}`, file: '', flags: i & 1 ? 2 : 0 }, isDark);
		const ground = light(color), ratio = (Math.max(ground, text) + 0.05) / (Math.min(ground, text) + 0.05);
		if (ratio < 4.5)
			bad.push(`a frame: ${ratio.toFixed(2)}`);
	}
	return bad;
}

// Places whose colour has not the hue of their program, library or script.
function wrongHues() {
	const { palette, places } = window.memusage.model;
	return !palette ? [] : places.filter((p) => !(p.flags & 2) && palette.hues.has(p.object || p.file) &&
		!palette.of(p, false).startsWith(`hsl(${palette.hues.get(p.object || p.file)} `)).map((p) => `${p.name} of ${p.object || p.file}`);
}

async function look(browser, file) {
	const name = file.split('/').pop(), bad = [], requests = [];
	const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
	page.on('console', (m) => bad.push(`console: ${m.text()}`));
	page.on('pageerror', (e) => bad.push(`error: ${e.message} ${e.stack}`));
	page.on('dialog', (d) => { bad.push('a dialog'); d.dismiss(); });
	page.on('request', (r) => { if (!r.url().startsWith('file:') && !r.url().startsWith('blob:')) requests.push(r.url()); });
	await page.goto(`file://${resolve(file)}`);
	TABS = await page.$$eval('[role=tab]', (list) => list.map((t) => t.id.slice(4)));
	const ready = Number(await page.evaluate(() => document.documentElement.dataset.ready));
	report(ready > 0 && ready < 1000 * slow, `${name}: opens in a second`, `${ready} ms`);
	report(statSync(file).size <= 2000000, `${name}: not more than 2 MB`, statSync(file).size);
	const sums = await page.evaluate(compareSums);
	report(sums.length === 0, `${name}: sums are those of the data`, ...sums.slice(0, 5));
	for (const tab of TABS) {
		await page.click(`#tab-${tab}`);
		const text = await page.innerText('main');
		report(text.trim().length > 20, `${name}: ${tab} says something`, text);
		await chooseAll(page, tab === 'timeline' ? 6 : 24);
		const boxes = page.locator('main .controls input[type=checkbox], main .legend input[type=checkbox]');
		for (let i = 0; i < await boxes.count(); i++) {
			await boxes.nth(i).click();
			await boxes.nth(i).click();
		}
	}
	const hues = await page.evaluate(wrongHues);
	report(hues.length === 0, `${name}: every place has the hue of its object`, ...hues.slice(0, 5));
	await groups(page, name);
	await places(page, name);
	await flame(page, name);
	await points(page, name);
	await timeline(page, name);
	for (const [width, height] of SIZES) {
		await page.setViewportSize({ width, height });
		const wide = [];
		for (const tab of TABS) {
			await page.click(`#tab-${tab}`);
			if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
				wide.push(tab);
		}
		report(wide.length === 0, `${name}: fits into ${width} x ${height}`, ...wide);
	}
	for (const theme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme: theme });
		const low = [];
		for (const tab of TABS) {
			await page.click(`#tab-${tab}`);
			low.push(...await page.evaluate(lowContrast));
			low.push(...await page.evaluate(lowContrastOfFrames));
		}
		report(low.length === 0, `${name}: contrast in ${theme}`, ...low.slice(0, 6));
	}
	await page.focus('#tab-sizes');
	await page.keyboard.press('2');
	report(await page.getAttribute('#tab-timeline', 'aria-selected') === 'true', `${name}: a key changes the tab`);
	report(await page.evaluate(() => location.hash.startsWith('#timeline')), `${name}: and the address with it`);
	await processes(page, name);
	await page.emulateMedia({ media: 'print' });
	report(!await page.isVisible('.tabs'), `${name}: prints without its tabs`);
	await printed(page, name);
	report(bad.length === 0, `${name}: no error and no message`, ...bad.slice(0, 5));
	report(requests.length === 0, `${name}: nothing is fetched`, ...requests);
	report(await page.evaluate(() => document.scripts.length) === 2, `${name}: no name became a script`);
	await page.close();
	await phone(browser, file, name);
}

// The other processes of the page, by the list in the head, by a link, and by the address.
async function processes(page, name) {
	const pid = () => page.evaluate(() => window.memusage.model.run.pid), first = await pid();
	if (!TABS.includes('processes'))
		return;
	await page.click('#tab-processes');
	const listed = await page.$$eval('.processes tbody tr', (rows) => rows.length);
	report(listed === await page.evaluate(() => window.memusage.model.data.processes.length), `${name}: all processes are listed`, listed);
	if (!await page.isVisible('.chooser'))
		return;
	const options = await page.$$eval('.chooser option', (list) => list.map((o) => o.value));
	const reloaded = () => page.waitForFunction((p) => window.memusage && window.memusage.model.run.pid !== p, first);
	await page.selectOption('.chooser select', options[1]);
	await reloaded();
	report(String(await pid()) === options[1], `${name}: process ${options[1]} is chosen`);
	const sums = await page.evaluate(() => [window.memusage.model.sum('peak_bytes'), window.memusage.model.totals.peak]);
	report(sums[0] === sums[1], `${name}: and its figures agree`, ...sums);
	report((await page.evaluate(() => location.hash)).includes(`process=${options[1]}`), `${name}: its address names it`);
	await page.goBack();
	await page.waitForFunction((p) => window.memusage && window.memusage.model.run.pid === p, first);
	report(await pid() === first, `${name}: Back leads to the first one`);
	await page.click('#tab-processes');
	await page.click(`.processes a:has-text(" ${options[1]}")`);
	await reloaded();
	report(String(await pid()) === options[1], `${name}: a link leads to it, too`);
	await page.goto(`file://${page.url().slice(7).split('#')[0]}#summary`);
	await page.waitForFunction((p) => window.memusage && window.memusage.model.run.pid === p, first);
}

// On paper nothing is wider than it, and what was painted is as wide.
async function printed(page, name) {
	const bad = [];
	await page.evaluate(() => { window.memusage.page.go('flame'); dispatchEvent(new Event('beforeprint')); });
	const shown = await page.innerText('.on-paper');
	report(/^Flame graph/.test(shown) && (!await page.$('canvas.flame') || /Show: /.test(shown)), `${name}: paper says what is shown`, shown);
	await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	await page.setViewportSize({ width: 700, height: 1000 });
	await page.evaluate(() => window.memusage.page.go('points'));
	const heads = await page.$$eval('.tree-table th', (list) => list.map((e) => e.innerText.trim()));
	report(heads.every((text) => text), `${name}: columns have their heads on paper`, ...heads);
	const more = await page.$$eval('.tree-table button.link', (list) => list.map((b) => b.nextElementSibling.checkVisibility()));
	report(more.every((is) => is), `${name}: paper says how many rows it lacks`);
	for (const tab of TABS) {
		await page.evaluate((t) => { window.memusage.page.go(t); dispatchEvent(new Event('beforeprint')); }, tab);
		bad.push(...await page.evaluate((t) => [...document.querySelectorAll('main canvas:not(.sample)')].map((c) => c.getBoundingClientRect())
			.filter((b) => b.right > innerWidth || b.width < innerWidth * 0.8).map((b) => `${t}: a canvas from ${b.left} to ${b.right}`), tab));
		if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
			bad.push(`${tab} is too wide`);
		await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	}
	report(bad.length === 0, `${name}: fits on paper`, ...bad);
}

// Lists by function, line, file and object have the same sum; a function has its lines below it.
async function groups(page, name) {
	await page.click('#tab-summary');
	if (!await page.isVisible('.list-controls'))
		return;
	const bad = await page.evaluate(() => {
		const { model } = window.memusage, self = model.column('peak_bytes'), list = [];
		const sum = (entries) => entries.reduce((s, e) => s + e.value, 0), whole = sum(model.byGroup(self, 'line'));
		for (const group of ['function', 'file', 'object']) {
			const entries = model.byGroup(self, group);
			if (sum(entries) !== whole || entries.some((e) => e.lines.length && sum(e.lines) !== e.value))
				list.push(`${group}: ${sum(entries)} is not ${whole}`);
		}
		return list;
	});
	report(bad.length === 0, `${name}: all groupings have one sum`, ...bad);
	const listed = () => page.$$eval('.summary .top > li', (rows) => rows.length);
	await page.selectOption('.list-controls select', 'object');
	report(await listed() > 0 && (await page.evaluate(() => location.hash)).includes('list=object'), `${name}: the Summary lists objects`);
	await page.click('#tab-timeline');
	const field = page.locator('main select[aria-label="Places are"]');
	report(!await field.count() || await field.inputValue() === 'object', `${name}: and so does the timeline`);
	await page.click('#tab-summary');
	await page.selectOption('.list-controls select', 'function');
	const whole = page.locator('.top > li:has(.lines) b a.place').first();
	if (!await whole.count())
		return;
	await whole.click();
	const { chosen, marked } = await page.evaluate(() => { const { flame } = window.memusage.page.view('flame'); return { chosen: flame.chosen, marked: flame.marked.size }; });
	report(chosen > 0 && marked > 2, `${name}: a function is all its lines in the flame graph`, chosen, marked);
	await page.click('#tab-points');
	report(await page.$eval('.tree-table .is-selected', (row) => row.getAttribute('aria-level')) === '1', `${name}: and a row of the table`);
	await page.click('.place-bar .clear');
}

// A name of the Summary leads to its frame, and is the place of every view.
async function places(page, name) {
	await page.click('#tab-summary');
	const link = page.locator('.top a.place').first();
	if (!await link.count())
		return;
	await link.focus();
	await page.keyboard.press('Enter');
	const text = await page.innerText('.place-bar b');
	report(await page.evaluate(() => window.memusage.page.view('flame').flame.chosen > 0), `${name}: the place ${text} is a frame`);
	await page.click('#tab-timeline');
	report(await page.innerText('.place-bar b') === text, `${name}: and the place of the timeline`);
	const hash = await page.evaluate(() => location.hash);
	await page.reload();
	report(await page.innerText('.place-bar b') === text && await page.evaluate(() => location.hash) === hash, `${name}: a reload keeps it`, hash);
	await page.goBack();
	report(await page.getAttribute('#tab-flame', 'aria-selected') === 'true', `${name}: Back leads to the frame`);
	await page.goBack();
	report(!await page.isVisible('.place-bar'), `${name}: and to the Summary without a place`);
}

// On a phone, by touch: controls are folded, and every view reacts to a tap.
async function phone(browser, file, name) {
	const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
	const page = await context.newPage(), bad = [];
	page.on('pageerror', (e) => bad.push(e.message));
	await page.goto(`file://${resolve(file)}`);
	report(await page.$eval('.tabs', (e) => e.scrollWidth <= e.clientWidth), `${name}: the tab bar fits on a phone`);
	for (const tab of TABS) {
		await page.tap(`#tab-${tab}`);
		const fold = page.locator('main .fold').first();
		if (!await fold.count())
			continue;
		const isOpen = () => page.$eval('main .folded', (e) => e.offsetParent !== null);
		const before = await isOpen();
		await fold.tap();
		report(!before && await isOpen() && await fold.getAttribute('aria-expanded') === 'true', `${name}: ${tab} unfolds its controls`);
		await fold.tap();
	}
	await page.tap('#tab-timeline');
	if (await page.evaluate(() => window.memusage.page.view('timeline').moments && window.memusage.page.view('timeline').moments.length > 2)) {
		const box = await (await page.$('.u-over')).boundingBox();
		await page.touchscreen.tap(box.x + box.width * 0.3, box.y + 60);
		report(/to=/.test(await page.evaluate(() => location.hash)), `${name}: a tap chooses a moment`);
		await page.tap('text=What grew in view');
		report(/What grew/.test(await page.innerText('.moment h3')), `${name}: a tap shows growth`);
	}
	await page.tap('#tab-flame');
	if (await page.$('canvas.flame')) {
		await page.tap('canvas.flame', { position: { x: 30, y: 30 } });
		report(await page.isVisible('.place-bar'), `${name}: a tap chooses a frame`);
		report(!await page.isVisible('.tip'), `${name}: and leaves no tip behind`);
		await page.tap('.place-bar .clear');
		await page.tap('#tab-points');
		await page.tap('.tree-table a.place');
		report(await page.isVisible('.place-bar'), `${name}: a tap chooses a row`);
	}
	report(bad.length === 0, `${name}: no error on a phone`, ...bad);
	await context.close();
}

// Frames that are too narrow are one frame, which says how many it stands for; a click shows them.
async function narrowFrames(page, name) {
	const narrow = await page.evaluate(() => {
		const { flame } = window.memusage.page.view('flame'), seen = flame.scroller.clientHeight / 20 - 1;
		for (let d = 1; d < flame.rows.length && d < seen; d++) {
			const row = flame.rows[d], i = row.node.findIndex((n, k) => n < 0 && (row.to[k] - row.from[k]) * flame.width() > 2);
			if (i >= 0 && flame.more[-row.node[i] - 1].parent > 0)
				return { x: (row.from[i] + row.to[i]) / 2 * flame.width(), y: d * 20 + 10, parent: flame.more[-row.node[i] - 1].parent };
		}
		return null;
	});
	if (!narrow)
		return;
	await page.hover('canvas.flame', { position: { x: narrow.x, y: narrow.y } });
	report(/… \d+ more/.test(await page.innerText('.tip')), `${name}: narrow frames are summed up`, await page.innerText('.tip'));
	await page.click('canvas.flame', { position: { x: narrow.x, y: narrow.y } });
	const root = await page.evaluate(() => window.memusage.page.view('flame').flame.root);
	report(root === narrow.parent, `${name}: a click on them zooms to their caller`, root, narrow.parent);
	await page.click('main button:has-text("Zoom out")');
	report(await page.evaluate(() => window.memusage.page.view('flame').flame.root) === 0, `${name}: the button zooms out`);
	await page.focus('canvas.flame');
}

async function flame(page, name) {
	await page.click('#tab-flame');
	if (!await page.$('canvas.flame'))
		return;
	await page.click('canvas.flame', { position: { x: 200, y: 30 } });
	const zoomed = await page.evaluate(() => window.memusage.page.view('flame').flame.root);
	report(zoomed > 0, `${name}: a click zooms`, zoomed);
	report((await page.innerText('.details')).length > 20, `${name}: and shows details`);
	await page.keyboard.press('Escape');
	report(await page.evaluate(() => window.memusage.page.view('flame').flame.root) === 0, `${name}: Escape zooms out`);
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	report((await page.innerText('.details h3')).length > 0, `${name}: keys move in the flame graph`);
	await page.keyboard.press('Escape');
	await narrowFrames(page, name);
	const label = await page.evaluate(() => { const t = window.memusage.page.view('flame').tree; return t.label(t.children[0][0]); });
	await page.fill('main input[type=search]', label.slice(0, 40));
	await page.waitForTimeout(300);
	report(/frame/.test(await page.innerText('.found')), `${name}: search finds ${label.slice(0, 30)}`, await page.innerText('.found'));
	await page.fill('main input[type=search]', '/(/');
	await page.waitForTimeout(250);
	await page.fill('main input[type=search]', '');
}

// The table by mouse, keyboard and address, then DHAT's text.
async function points(page, name) {
	await page.click('#tab-points');
	if (!await page.$('.tree-table'))
		return;
	const rows = () => page.$$eval('.tree-table tr[data-node]', (list) => list.map((r) => Number(r.dataset.node)));
	const isSorted = () => page.evaluate(() => {
		const { table } = window.memusage.page.view('points'), column = table.metrics.findIndex((c) => c.id === table.by);
		const values = table.tree.children[0].map((n) => table.tree.total[column][n]);
		return values.every((v, i) => i === 0 || (table.isUp ? v >= values[i - 1] : v <= values[i - 1]));
	});
	const sums = await page.evaluate(() => {
		const { table } = window.memusage.page.view('points'), { model } = window.memusage;
		return table.metrics.filter((c, i) => Math.abs(table.tree.total[i][0] - model.sum(c.id)) > 0.5).map((c) => c.label);
	});
	report(sums.length === 0, `${name}: the table's columns are the data's`, ...sums);
	for (const times of [1, 2]) {
		await page.click('.tree-table th.number:last-of-type .sort, .tree-table th.number .sort >> nth=-1');
		report(await isSorted(), `${name}: a header sorts, ${times}`);
	}
	report((await page.evaluate(() => location.hash)).includes('sort=-'), `${name}: the address has the order`);
	await page.selectOption('main select[aria-label="Sort by"]', { index: 0 });
	const few = (await rows()).length;
	await page.focus('.tree-table tr[data-node]');
	await page.keyboard.press('ArrowRight');
	report((await rows()).length > few || !await page.$('.twist:not([disabled])') || await page.$eval('.twist', (b) => b.disabled), `${name}: a key opens a row`);
	await page.keyboard.press('ArrowLeft');
	report((await rows()).length === few, `${name}: and closes it`);
	await page.keyboard.press('Enter');
	report(await page.$('.place-bar:not([hidden])') !== null || !await page.$('.tree-table a.place'), `${name}: Enter selects the place`);
	const label = await page.evaluate(() => { const { tree } = window.memusage.page.view('points').table; return tree.label(tree.children[0][0]); });
	await page.fill('main input[type=search]', label.slice(0, 40));
	await page.waitForTimeout(350);
	report(/[1-9]\d* row/.test(await page.innerText('.found')), `${name}: the table finds ${label.slice(0, 30)}`, await page.innerText('.found'));
	await page.fill('main input[type=search]', '');
	await page.waitForTimeout(350);
	await dhatText(page, name);
}

async function dhatText(page, name) {
	await page.click("text=As DHAT's text");
	await page.click('text=Collapse');
	const few = await page.$$eval('.point', (p) => p.length);
	await page.click('main button:has-text("Expand")');
	const many = await page.$$eval('.point', (p) => p.length);
	report(many >= few && few >= 1, `${name}: program points open and close`, few, many);
	const total = await page.evaluate(() => Math.round(window.memusage.model.sum(window.memusage.page.view('points').text.sort.by)).toLocaleString('en-US'));
	report((await page.innerText('.point')).includes(total), `${name}: the first one is the sum ${total}`, await page.innerText('.point'));
	await page.click("text=As DHAT's text");
}

// What the timeline shows: the visible axis, the chosen moments, and the numbers in its legend.
function timelineState() {
	const { model, page } = window.memusage, view = page.view('timeline'), u = view.chart.uplot, xs = u.data[0];
	return { seen: u.scales.x.max - u.scales.x.min, whole: xs[xs.length - 1] - xs[0], from: view.from, to: view.to,
		values: [...document.querySelectorAll('.legend .check')].map((e) => e.querySelector('.value').textContent),
		hash: location.hash, place: model.state.place };
}

async function timeline(page, name) {
	await page.click('#tab-timeline');
	if (!await page.$('.u-over'))
		return;
	const state = () => page.evaluate(timelineState), box = await (await page.$('.u-over')).boundingBox();
	for (const part of [0.2, 0.5, 0.97]) {
		await page.mouse.move(box.x + box.width * part, box.y + 50);
		const { values } = await state();
		report(values.length > 0 && values.every((v) => /\d/.test(v)), `${name}: every curve has its value at ${part}`, ...values);
	}
	if ((await state()).whole === 0)
		return;
	await page.focus('.plot');
	for (const key of ['ArrowRight', 'ArrowRight', '+', 'End'])
		await page.keyboard.press(key);
	const near = await state();
	report(near.seen <= near.whole * 0.6, `${name}: keys zoom the timeline`, near.seen, near.whole);
	report(/^at /.test(await page.innerText('.where')), `${name}: and move its cursor`, await page.innerText('.where'));
	await page.keyboard.press('Escape');
	const zoomed = await state();
	report(Math.abs(zoomed.seen - zoomed.whole) <= zoomed.whole * 0.01, `${name}: Escape shows all of it`);
	if (await page.evaluate(() => window.memusage.model.snapshots.filter((s) => s.hasTree).length > 2))
		await moments(page, name, box, state);
}

// Moments and ranges, by mouse, keyboard and lists; each has its address.
async function moments(page, name, box, state) {
	await page.mouse.click(box.x + box.width * 0.5, box.y + 50);
	const one = await state();
	report(one.from === -1 && /Live at/.test(await page.innerText('.moment h3')), `${name}: a click chooses moment ${one.to}`);
	await page.mouse.move(box.x + box.width * 0.15, box.y + 50);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.9, box.y + 60, { steps: 4 });
	await page.mouse.up();
	const range = await state();
	report(range.from >= 0 && range.to > range.from && /What grew/.test(await page.innerText('.moment h3')), `${name}: a drag shows growth`, range.from, range.to);
	report(range.hash.includes(`from=${range.from}`), `${name}: the address has it`, range.hash);
	await page.goBack();
	const back = await state();
	report(back.from === one.from && back.to === one.to, `${name}: Back undoes it`, back.hash);
	await page.goForward();
	await page.reload();
	const again = await state();
	report(again.from === range.from && again.to === range.to, `${name}: a reload keeps it`, again.hash);
	await page.click('main button:has-text("Zoom to From")');
	const near = await state();
	report(near.seen < near.whole, `${name}: the range can fill the chart`);
	await page.click('text=Whole run');
	await page.selectOption('main select[aria-label=From]', '-1');
	report((await state()).from === -1, `${name}: From can be the start`);
	await page.click('text=What grew in view');
	report((await state()).from >= 0, `${name}: growth of all that is in view`);
	await page.selectOption('main select[aria-label=Show]', '1');
	const low = await (await page.$('.u-over')).boundingBox(), y = low.y + low.height * 0.97;
	const x = low.x + await page.evaluate(() => { // of the peak: elsewhere there may be no area
		const { model, page: all } = window.memusage, u = all.view('timeline').chart.uplot;
		return u.valToPos(model.snapshots[model.peakSnapshot].t, 'x');
	});
	await page.mouse.move(x, y);
	report((await state()).values.some((v) => /\d/.test(v)), `${name}: areas have values`);
	report(await page.$eval('.legend', (e) => !!e.querySelector('.is-over')), `${name}: the one under the pointer is marked`);
	await page.mouse.click(x, y);
	report((await state()).place !== '', `${name}: a click on an area selects its place`);
	await page.click('.place-bar .clear');
	await page.focus('.legend a.place');
	await page.keyboard.press('Enter');
	const place = await state();
	report(place.place !== '' && await page.isVisible('.place-bar'), `${name}: a name of the legend selects its place`, place.place);
	await page.click('.place-bar .clear');
	report(!await page.isVisible('.place-bar'), `${name}: and can be cleared`);
	await page.selectOption('main select[aria-label=Show]', '0');
}

const browser = await browserType.launch({ executablePath: chromium, args: ['--no-sandbox'] });
for (const file of files)
	await look(browser, file);
await browser.close();
