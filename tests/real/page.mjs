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
const TABS = ['summary', 'timeline', 'flame', 'points', 'sizes'];
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
	if (flame.tree) {
		for (const direction of [true, false]) {
			for (const group of ['line', 'function', 'file', 'object']) {
				for (const fold of [true, false]) {
					flame.options = { inverted: direction, group, fold };
					flame.update();
					const want = flame.weights().reduce((a, b) => a + Math.max(0, b), 0);
					if (Math.abs(flame.tree.total[0][0] - want) > 0.5)
						bad.push(`${group} ${direction} ${fold}: ${flame.tree.total[0][0]} is not ${want}`);
				}
			}
		}
		flame.options = { inverted: false, group: 'line', fold: false };
		flame.update();
	}
	for (const s of model.snapshots) {
		if (data.kind !== 'recording' || !s.hasTree)
			continue;
		const sum = model.atSnapshot(s.number).reduce((a, b) => a + b, 0);
		if (sum !== s.heap && data.run.threads < 2)
			bad.push(`snapshot ${s.number}: ${sum} is not ${s.heap}`);
	}
	return bad;
}

// Texts whose contrast to what is behind them is too low.
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
	for (const e of document.querySelectorAll('body *')) {
		if (!e.offsetParent || e.disabled || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
			continue;
		const a = light(parse(getComputedStyle(e).color)), b = light(back(e));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5)
			bad.add(`${e.tagName}.${e.className}: ${ratio.toFixed(2)} "${e.textContent.slice(0, 30)}"`);
	}
	return [...bad];
}

// Frames of the flame graph whose text would have too little contrast: hues all round the wheel.
function lowContrastOfFrames() {
	const { flame } = window.memusage.page.view('flame'), bad = [];
	if (!flame || !flame.tree)
		return bad;
	const g = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
	const light = (color) => {
		g.fillStyle = color;
		g.fillRect(0, 0, 1, 1);
		return [...g.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255)
			.map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	};
	const css = getComputedStyle(document.documentElement), isDark = document.documentElement.dataset.theme === 'dark';
	const text = light(css.getPropertyValue('--frame-text').trim()), { tree } = flame;
	for (let i = 0; i < 720; i++) {
		tree.place = () => ({ // hides the method
			object: `/usr/lib/lib${i}.so`, name: `f${i * 7}`, file: '', flags: i & 1 ? 2 : 0,
		});
		flame.colors.clear();
		const ground = light(flame.color(1, isDark)), ratio = (Math.max(ground, text) + 0.05) / (Math.min(ground, text) + 0.05);
		if (ratio < 4.5)
			bad.push(`a frame: ${ratio.toFixed(2)}`);
	}
	delete tree.place;
	flame.colors.clear();
	return bad;
}

async function look(browser, file) {
	const name = file.split('/').pop(), bad = [], requests = [];
	const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
	page.on('console', (m) => bad.push(`console: ${m.text()}`));
	page.on('pageerror', (e) => bad.push(`error: ${e.message} ${e.stack}`));
	page.on('dialog', (d) => { bad.push('a dialog'); d.dismiss(); });
	page.on('request', (r) => { if (!r.url().startsWith('file:') && !r.url().startsWith('blob:')) requests.push(r.url()); });
	await page.goto(`file://${resolve(file)}`);
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
	report(await page.evaluate(() => location.hash) === '#timeline', `${name}: and the address with it`);
	await page.emulateMedia({ media: 'print' });
	report(!await page.isVisible('.tabs'), `${name}: prints without its tabs`);
	await printed(page, name);
	report(bad.length === 0, `${name}: no error and no message`, ...bad.slice(0, 5));
	report(requests.length === 0, `${name}: nothing is fetched`, ...requests);
	report(await page.evaluate(() => document.scripts.length) === 2, `${name}: no name became a script`);
	await page.close();
}

// On paper nothing is wider than it, and what was painted is as wide.
async function printed(page, name) {
	const bad = [];
	await page.setViewportSize({ width: 700, height: 1000 });
	for (const tab of TABS) {
		await page.evaluate((t) => { window.memusage.page.show(t); dispatchEvent(new Event('beforeprint')); }, tab);
		bad.push(...await page.evaluate((t) => [...document.querySelectorAll('main canvas:not(.sample)')].map((c) => c.getBoundingClientRect())
			.filter((b) => b.right > innerWidth || b.width < innerWidth * 0.8).map((b) => `${t}: a canvas from ${b.left} to ${b.right}`), tab));
		if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
			bad.push(`${tab} is too wide`);
		await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	}
	report(bad.length === 0, `${name}: fits on paper`, ...bad);
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
	const label = await page.evaluate(() => { const t = window.memusage.page.view('flame').tree; return t.label(t.children[0][0]); });
	await page.fill('main input[type=search]', label.slice(0, 40));
	await page.waitForTimeout(300);
	report(/frame/.test(await page.innerText('.found')), `${name}: search finds ${label.slice(0, 30)}`, await page.innerText('.found'));
	await page.fill('main input[type=search]', '/(/');
	await page.waitForTimeout(250);
	await page.fill('main input[type=search]', '');
}

async function points(page, name) {
	await page.click('#tab-points');
	if (!await page.$('.points'))
		return;
	await page.click('text=Collapse');
	const few = await page.$$eval('.point', (p) => p.length);
	await page.click('main button:has-text("Expand")');
	const many = await page.$$eval('.point', (p) => p.length);
	report(many >= few && few >= 1, `${name}: program points open and close`, few, many);
	const total = await page.evaluate(() => Math.round(window.memusage.model.sum(window.memusage.page.view('points').sort.by)).toLocaleString('en-US'));
	report((await page.innerText('.point')).includes(total), `${name}: the first one is the sum ${total}`, await page.innerText('.point'));
}

async function timeline(page, name) {
	await page.click('#tab-timeline');
	if (!await page.$('.u-over'))
		return;
	const box = await (await page.$('.u-over')).boundingBox();
	await page.mouse.move(box.x + box.width * 0.2, box.y + 50);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 });
	await page.mouse.up();
	const scale = await page.evaluate(() => { const u = window.memusage.page.view('timeline').chart.uplot; return [u.scales.x.min, u.scales.x.max, u.data[0][0], u.data[0][u.data[0].length - 1]]; });
	report(scale[1] - scale[0] < (scale[3] - scale[2]) * 0.6 || scale[3] === scale[2], `${name}: dragging zooms the timeline`, scale);
	await page.click('text=Whole run');
	await page.focus('.plot');
	for (const key of ['ArrowRight', 'ArrowRight', '+', 'End'])
		await page.keyboard.press(key);
	const near = await page.evaluate(() => { const u = window.memusage.page.view('timeline').chart.uplot; return [u.scales.x.max - u.scales.x.min, u.data[0][u.data[0].length - 1] - u.data[0][0]]; });
	report(near[0] <= near[1] * 0.6 || near[1] === 0, `${name}: keys zoom the timeline`, near);
	report(/^at /.test(await page.innerText('.where')), `${name}: and move its cursor`, await page.innerText('.where'));
	await page.keyboard.press('Escape');
	if (await page.evaluate(() => window.memusage.model.snapshots.some((s) => s.hasTree))) {
		await page.mouse.click(box.x + box.width * 0.5, box.y + 50);
		const n = await page.evaluate(() => window.memusage.page.view('timeline').selected);
		report(n >= 0 && /Snapshot/.test(await page.innerText('.moment h3')), `${name}: a click chooses snapshot ${n}`);
		await page.keyboard.down('Shift');
		await page.mouse.click(box.x + box.width * 0.95, box.y + 50);
		await page.keyboard.up('Shift');
		report((await page.innerText('.moment h3')).length > 5, `${name}: and with Shift a range`);
	}
}

const browser = await browserType.launch({ executablePath: chromium, args: ['--no-sandbox'] });
for (const file of files)
	await look(browser, file);
await browser.close();
