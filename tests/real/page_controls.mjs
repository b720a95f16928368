// page_controls.mjs -- every control of an HTML page does the same by mouse, touch and keyboard,
// can be reached with Tab, shows that it has the focus, and has a name for screen readers:
// page_controls.mjs CHROMIUM MODULES FILE.html [VIEW...]. It prints lines for tap_lines().
//
// SPDX-License-Identifier: LGPL-2.1-or-later

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const NAMED = new Set(['button', 'link', 'checkbox', 'combobox', 'searchbox', 'textbox', 'tab',
	'tablist', 'tabpanel', 'tree', 'treegrid', 'application', 'img', 'dialog', 'canvas']);
// Controls that change nothing in a view as it is opened; page.mjs uses them.
const IDLE = /^(Collapse|Expand|Whole run|Zoom to From|Moment before|Next moment)/;
// A click goes to the moment at the pointer, the keyboard to the view.
const POINTED = /^The heap over the run/;

// Puts into the page: mu.list(), the controls of its view, one of a kind, and in the first
// view those of head and foot; mu.state(), all that is shown.
function install() {
	const isThere = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled;
	const nameOf = (e) => (e.getAttribute('aria-label') || e.closest('label')?.innerText || e.textContent).trim();
	const kindOf = (e) => [e.tagName, e.className, e.closest('section, .table-box, .legend, .controls')?.className,
		e.matches('a, .twist') ? '' : nameOf(e)].join('|');
	window.mu = {
		printed: 0,
		nameOf,
		all: () => [...document.querySelectorAll('button, select, input, a[href], [role=tab]')].filter(isThere),
		list() {
			const seen = new Map(), isFirst = window.memusage.page.current === 'summary';
			return window.mu.all().filter((e) => isFirst ? e.ariaSelected !== 'true' : e.closest('main')).filter((e) => {
				const kind = kindOf(e), n = (seen.get(kind) || 0) + 1;
				seen.set(kind, n);
				return n <= 1;
			});
		},
		state() {
			const { page } = window.memusage, view = page.view(page.current), u = view.chart && view.chart.uplot;
			const fields = [...document.querySelectorAll('select, input')].map((f) => f.type === 'checkbox' ? f.checked : f.value);
			const open = [...document.querySelectorAll('[aria-expanded]')].map((e) => e.getAttribute('aria-expanded'));
			return JSON.stringify([location.hash, document.documentElement.dataset.theme, document.body.innerText,
				fields, open, document.getElementById('about').open, window.mu.printed,
				document.querySelector('.message')?.textContent, u ? [u.scales.x.min, u.scales.x.max] : []]);
		},
	};
	window.print = () => { window.mu.printed++; };
}

// Opens a view as if nothing had been done before.
async function visit(page, file, hash) {
	await page.goto('about:blank');
	await page.goto(`file://${file}${hash}`);
	await page.evaluate(install);
}

async function open(context, file, hash) {
	const page = await context.newPage();
	await visit(page, file, hash);
	return page;
}

// A list opens its choices at a click, and the keyboard takes one; a page that is loaded anew by
// the choice of a process has a new `mu`.
async function operate(page, control, how) {
	const [tag, type] = await control.evaluate((e) => [e.tagName, e.type]);
	if (tag === 'SELECT') {
		if (how === 'mouse')
			await control.click();
		else if (how === 'touch')
			await control.tap();
		else
			await control.focus();
		const isLast = await control.evaluate((e) => e.selectedIndex >= e.length - 1);
		await page.keyboard.press(isLast ? 'ArrowUp' : 'ArrowDown');
		if (how !== 'keyboard')
			await page.keyboard.press('Enter');
	} else if (type === 'search') {
		await (how === 'mouse' ? control.click() : how === 'touch' ? control.tap() : control.focus());
		await page.keyboard.type('main');
		await page.waitForTimeout(300);
	} else if (how === 'mouse') {
		await control.click();
	} else if (how === 'touch') {
		await control.tap();
	} else {
		await control.focus();
		await page.keyboard.press(type === 'checkbox' ? 'Space' : 'Enter');
	}
	await page.waitForFunction(() => window.memusage);
	if (!await page.evaluate(() => !!window.mu))
		await page.evaluate(install);
}

// What the page shows after control I of a view was used.
async function after(page, file, tab, i, how) {
	await visit(page, file, `#${tab}`);
	const before = await page.evaluate(() => window.mu.state());
	const control = await page.evaluateHandle((n) => window.mu.list()[n], i);
	let state;
	try {
		await operate(page, control.asElement(), how);
		await page.mouse.move(0, 0);
		state = await page.evaluate(() => window.mu.state());
	} catch (error) {
		state = `${how}: ${error.message}`;
	}
	return { state, isSame: state === before };
}

// Goes through a view with Tab until the focus leaves the page. Returns what it did not reach, and
// what does not show its focus.
async function tabThrough(page) {
	await page.evaluate(() => {
		window.mu.reached = new Set();
		window.mu.bare = [];
		document.activeElement.blur();
	});
	for (let i = 0; i < 600; i++) {
		await page.keyboard.press('Tab');
		const isDone = await page.evaluate(() => {
			const e = document.activeElement, { reached, bare } = window.mu;
			if (e === document.body || reached.has(e))
				return true;
			reached.add(e);
			if (getComputedStyle(e).outlineStyle === 'none')
				bare.push(`${e.tagName}.${e.className}`);
			return false;
		});
		if (isDone)
			break;
	}
	return page.evaluate(() => {
		const { reached, bare, all, nameOf } = window.mu;
		const isOwn = (e) => e.tabIndex >= 0 && !reached.has(e);
		// What can be clicked, or belongs to a list in which arrows move the focus, has an ancestor with the focus.
		const canFocus = (e) => e.closest('button, a[href], select, input, label, summary, [tabindex]');
		return { missed: all().filter(isOwn).map((e) => `${e.tagName} ${nameOf(e)}`), bare,
			mouseOnly: [...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() &&
				getComputedStyle(e).cursor === 'pointer' && !canFocus(e)).map((e) => `${e.tagName}.${e.className}`) };
	});
}

// Roles of controls that a screen reader would announce without a name.
async function nameless(page) {
	const client = await page.context().newCDPSession(page);
	const { nodes } = await client.send('Accessibility.getFullAXTree');
	await client.detach();
	return { bad: nodes.filter((n) => !n.ignored && n.role && NAMED.has(n.role.value.toLowerCase()) &&
		!(n.name && String(n.name.value).trim())).map((n) => n.role.value), count: nodes.filter((n) => !n.ignored).length };
}

// A drag of a finger over the timeline chooses a range, and a vertical one does not.
async function fingers(context, file, name) {
	const page = await open(context, file, '#timeline'), client = await context.newCDPSession(page);
	const touch = (type, x, y) => client.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
	const drag = async (x1, y1, x2, y2) => {
		await touch('touchStart', x1, y1);
		for (let i = 1; i <= 8; i++)
			await touch('touchMove', x1 + (x2 - x1) * i / 8, y1 + (y2 - y1) * i / 8);
		await touch('touchEnd', 0, 0);
		await page.waitForTimeout(100);
	};
	if (await page.evaluate(() => (window.memusage.page.view('timeline').moments || []).length > 2)) {
		const box = await (await page.$('.u-over')).boundingBox(), hash = () => page.evaluate(() => location.hash);
		await drag(box.x + box.width * 0.4, box.y + 150, box.x + box.width * 0.41, box.y + 20);
		report(!/from=/.test(await hash()), `${name}: a finger scrolls over the timeline`, await hash());
		await drag(box.x + box.width * 0.15, box.y + 60, box.x + box.width * 0.9, box.y + 64);
		report(/from=\d/.test(await hash()), `${name}: a finger's drag shows growth`, await hash());
		report(await page.$eval('.u-select', (e) => e.offsetWidth) === 0, `${name}: and leaves nothing selected`);
	}
	await page.close();
}

function report(ok, text, ...why) {
	console.log(`${ok ? 'pass' : 'fail'} ${text}`);
	if (!ok)
		why.forEach((w) => console.log(`diag ${String(w).replace(/\n/g, ' ').slice(0, 600)}`));
}

// views: their addresses; without any, all views are looked at.
async function look(browser, file, views) {
	const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, hasTouch: true });
	const name = file.split('/').pop(), messages = [];
	context.on('console', (m) => messages.push(`console: ${m.text()}`));
	context.on('weberror', (e) => messages.push(`error: ${e.error().message}`));
	context.on('request', (r) => /^(file|blob|about):/.test(r.url()) || messages.push(`request: ${r.url()}`));
	const first = await open(context, file, '');
	const tabs = await first.$$eval('[role=tab]', (list) => list.map((t) => t.id.slice(4)));
	await first.close();
	for (const tab of views.length ? views : [...tabs, 'points?dhat=1', 'timeline?stacked=1']) {
		const page = await open(context, file, `#${tab}`), names = await nameless(page);
		report(names.bad.length === 0 && names.count > 20, `${name}: ${tab}: screen readers have names`, ...names.bad, names.count);
		const way = await tabThrough(page);
		report(way.missed.length === 0, `${name}: ${tab}: Tab reaches every control`, ...way.missed);
		report(way.bare.length === 0, `${name}: ${tab}: the focus can be seen`, ...way.bare);
		report(way.mouseOnly.length === 0, `${name}: ${tab}: nothing is for the mouse only`, ...way.mouseOnly);
		const list = await page.evaluate(() => window.mu.list().map((e) => window.mu.nameOf(e).slice(0, 60)));
		const bad = [];
		for (let i = 0; i < list.length; i++) {
			const by = {};
			for (const how of ['mouse', 'touch', 'keyboard'])
				by[how] = await after(page, file, tab, i, how);
			for (const how of ['touch', 'keyboard']) {
				if (POINTED.test(list[i]) ? by[how].isSame : by[how].state !== by.mouse.state)
					bad.push(`${list[i]}: by ${how}`, by.mouse.state.slice(0, 250), by[how].state.slice(0, 250));
			}
			if (by.mouse.isSame && !IDLE.test(list[i]))
				bad.push(`${list[i]}: changes nothing`);
		}
		await page.close();
		report(bad.length === 0 && list.length > 0, `${name}: ${tab}: ${list.length} controls, by mouse, touch and keyboard`, ...bad);
	}
	if (!views.length || views.includes('summary'))
		await fingers(context, file, name);
	report(messages.length === 0, `${name}: no error, no message, nothing is fetched`, ...messages.slice(0, 5));
	await context.close();
}

const [chromium, modules, file, ...views] = process.argv.slice(2);
const { chromium: browserType } = createRequire(join(resolve(modules), 'package.json'))('playwright-core');
const browser = await browserType.launch({ executablePath: chromium, args: ['--no-sandbox'] });
await look(browser, resolve(file), views);
await browser.close();
