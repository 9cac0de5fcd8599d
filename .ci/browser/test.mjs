// Opens reports in Debian's Chromium and checks what a reader would see.
//
//   node test.mjs REPORTS [SCREENSHOTS]
//
// REPORTS holds banana.html, funnel.html and wide.html, reports on runs of
// hamc, and hostile.html, audit.html, thinned.html and draws-only.html, which
// the tests of cmd/hamc/internal/report write. SCREENSHOTS is a directory for
// pictures of whole pages. The exit code is 1 if a check fails.
import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [reports, screenshots] = process.argv.slice(2);
if (!reports) {
  console.error('usage: node test.mjs REPORTS [SCREENSHOTS]');
  process.exit(2);
}
if (screenshots) mkdirSync(screenshots, { recursive: true });

let checks = 0, failures = 0;
let slowest = { label: '', seconds: 0 }; // to open; told, not checked: machines differ
function check(what, ok, detail = '') {
  checks++;
  if (!ok) {
    failures++;
    console.error(`FAILED ${what}${detail === '' ? '' : ': ' + detail}`);
  }
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

// Opens a page and watches for whatever it should not do.
async function open(name, { width = 1280, colorScheme = 'light', javaScriptEnabled = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, javaScriptEnabled });
  const page = await context.newPage();
  const label = `${name} ${width} ${colorScheme}`;
  const url = pathToFileURL(resolve(reports, name + '.html')).href;
  const troubles = [];
  page.on('console', m => troubles.push(`${m.type()}: ${m.text()}`));
  page.on('pageerror', e => troubles.push(`error: ${e.message}`));
  page.on('dialog', d => { troubles.push('dialog: ' + d.message()); d.dismiss(); });
  page.on('request', r => { if (r.url() !== url) troubles.push('request: ' + r.url()); });
  const began = performance.now();
  await page.goto(url);
  if (javaScriptEnabled) await painted(page);
  return { context, page, label, troubles, seconds: (performance.now() - began) / 1e3 };
}
const painted = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

// The pixels of a canvas, read from a copy: reading the page's own would change
// how the browser treats it.
const pixels = `el => {
  const copy = document.createElement('canvas');
  copy.width = el.width; copy.height = el.height;
  const g = copy.getContext('2d', { willReadFrequently: true });
  g.drawImage(el, 0, 0);
  return g.getImageData(0, 0, el.width, el.height).data;
}`;

// Every canvas in view of the layout: its size, how many of its pixels are
// painted, in how many colours, and a hash of all.
const canvases = page => page.evaluate(`[...document.querySelectorAll('canvas')].map(el => {
  const { width, height } = el;
  const d = new Uint32Array((${pixels})(el).buffer);
  const colors = new Set();
  let set = 0, hash = 0;
  for (const p of d) {
    if (p >>> 24) { set++; if (colors.size < 1000) colors.add(p); }
    hash = (Math.imul(hash, 31) + p) | 0;
  }
  return { id: el.id, width, height, set, colors: colors.size, hash, label: el.getAttribute('aria-label') };
})`);
const hash = async (page, id) => (await canvases(page)).find(c => c.id === id).hash;

// Elements that reach beyond the page's width, those inside a scrolling
// container left out.
const overflowing = page => page.evaluate(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = el => el && (/(auto|scroll|hidden)/.test(getComputedStyle(el).overflowX) || scrolls(el.parentElement));
  const out = [...document.querySelectorAll('body *')].filter(el => el.getBoundingClientRect().right > width + 0.5 && !scrolls(el.parentElement) && !el.closest('.skip, .hidden'));
  if (document.documentElement.scrollWidth > width) out.unshift(document.documentElement);
  return out.slice(0, 5).map(el => el.tagName + '#' + el.id + '.' + el.className);
});

// Contrast of text with its background, by WCAG 2, for the kinds of text that
// there are.
const lowContrast = page => page.evaluate(() => {
  const parse = s => {
    const m = s.match(/[\d.]+/g).map(Number);
    const k = s.startsWith('color(') ? 255 : 1;
    return [m[0] * k, m[1] * k, m[2] * k, m[3] === undefined ? 1 : m[3]];
  };
  const luminance = c => {
    const [r, g, b] = c.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = el => {
    for (; el; el = el.parentElement) {
      const c = parse(getComputedStyle(el).backgroundColor);
      if (c[3] > 0.99) return c;
    }
    return [255, 255, 255];
  };
  const out = new Map();
  for (const el of document.querySelectorAll('body *')) {
    if (el.closest('.skip, .hidden, script, option') || !el.offsetParent) continue;
    if (![...el.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const a = luminance(parse(getComputedStyle(el).color)), b = luminance(background(el));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) out.set(el.tagName + '.' + el.className, ratio.toFixed(2));
  }
  return [...out].map(([k, v]) => `${k} ${v}`);
});

async function appearance(name) {
  for (const width of [360, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      const { context, page, label, troubles, seconds } = await open(name, { width, colorScheme });
      slowest = seconds > slowest.seconds ? { label, seconds } : slowest;
      const wide = await overflowing(page);
      check(`${label}: nothing is wider than the page`, wide.length === 0, wide.join(' '));
      const plots = await canvases(page);
      check(`${label}: there are plots`, plots.length >= 5, plots.length);
      for (const c of plots) {
        check(`${label}: #${c.id} is painted`, c.set > 0.01 * c.width * c.height && c.colors >= 4, `${c.set} of ${c.width}×${c.height} pixels in ${c.colors} colours`);
        check(`${label}: #${c.id} has a description`, c.label && c.label.length > 20, c.label);
      }
      const pale = await lowContrast(page);
      check(`${label}: text stands out from its background`, pale.length === 0, pale.join(', '));
      const scheme = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      check(`${label}: the background is ${colorScheme}`, /\d+/.exec(scheme)[0] > 128 === (colorScheme === 'light'), scheme);
      if (screenshots) await page.screenshot({ path: `${screenshots}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      check(`${label}: no errors, no requests`, troubles.length === 0, troubles.join('; '));
      await context.close();
    }
  }
}

// The order of the parameters that the table shows.
const shownRows = page => page.$$eval('#table tbody tr', rows => rows.filter(r => !r.hidden).map(r => r.cells[0].textContent));
const column = (page, i) => page.$$eval('#table tbody tr', (rows, i) => rows.map(r => parseFloat(r.cells[i].textContent)), i);

async function controls(name, search, found) {
  const { context, page, label, troubles } = await open(name);
  const plots = ['trace', 'density', 'ranks', 'acf'];
  const now = async () => { const all = await canvases(page); return Object.fromEntries(all.map(c => [c.id, c.hash])); };

  // Another parameter, from the list, by the buttons and from the table.
  let before = await now();
  const chosen = await page.$eval('#choose', s => s.selectedIndex);
  const options = await page.$$eval('#choose option', o => o.length);
  await page.selectOption('#choose', { index: (chosen + 1) % options });
  let after = await now();
  for (const id of plots) check(`${label}: #${id} shows another parameter`, before[id] !== after[id]);
  check(`${label}: #matrix stays`, before.matrix === after.matrix);
  await page.click('#previous');
  after = await now();
  for (const id of plots) check(`${label}: #${id} is back`, before[id] === after[id]);
  const names = await shownRows(page);
  await page.click(`#table tbody tr:nth-child(${names.length}) button`);
  check(`${label}: the table chooses`, await page.$eval('#choose', s => s.selectedOptions[0].text) === names[names.length - 1]);
  check(`${label}: the chosen row is marked`, await page.$eval('tr[aria-current=true] th', th => th.textContent) === names[names.length - 1]);
  check(`${label}: the trace says what it shows`, (await page.getAttribute('#trace', 'aria-label')).includes(names[names.length - 1]));

  // Chains and ranges.
  before = await now();
  await page.click('#chains input >> nth=0');
  after = await now();
  for (const id of plots) check(`${label}: #${id} without chain 1`, before[id] !== after[id]);
  await page.click('#chains input >> nth=0');
  await page.click('#central-trace');
  const cut = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).quantities[document.getElementById('choose').value].outside > 0);
  check(`${label}: range of the trace`, ((await now()).trace !== before.trace) === cut);
  await page.click('#central-trace');
  check(`${label}: the trace is back`, (await now()).trace === before.trace);

  // Sorting: every column, both ways.
  const columns = await page.$$eval('#table thead th', h => h.length);
  for (let i = 1; i < columns; i++) {
    for (let click = 0; click < 2; click++) {
      await page.click(`#table thead th:nth-child(${i + 1}) button`);
      const direction = await page.getAttribute(`#table thead th:nth-child(${i + 1})`, 'aria-sort');
      const v = await column(page, i);
      const ok = v.every((x, j) => j === 0 || x !== x || (direction === 'ascending' ? v[j - 1] <= x : v[j - 1] >= x));
      check(`${label}: column ${i + 1} ${direction}`, ok && direction !== 'none', v.slice(0, 5).join(' '));
    }
  }
  await page.click('#table thead th:nth-child(1) button');
  await page.click('#worst');
  const worst = await page.$eval('#table tbody tr', r => r.dataset.worst);
  check(`${label}: worst first`, worst === '0' && await page.getAttribute('#worst', 'aria-pressed') === 'true', worst);
  await page.click('#worst');
  check(`${label}: the model's order again`, (await shownRows(page)).join() === names.join());

  // Searching.
  await page.fill('#search', search);
  const hits = await shownRows(page);
  check(`${label}: searching ${search}`, hits.length === found && hits.every(n => n.includes(search)), hits.join(' '));
  check(`${label}: the number found is told`, (await page.textContent('#found')).startsWith(`${found} of `));
  await page.fill('#search', '');

  // Pairs.
  before = await now();
  await page.click('#central');
  check(`${label}: range of the pairs`, (await now()).matrix !== before.matrix);
  await page.click('#central');
  check(`${label}: pairs are back`, (await now()).matrix === before.matrix);
  await page.selectOption('#pair-1', { label: 'lp__' });
  check(`${label}: lp__ among the pairs`, (await now()).matrix !== before.matrix && (await page.getAttribute('#matrix', 'aria-label')).includes('lp__'));

  // Themes and widths change while the page is open.
  before = await now();
  await page.emulateMedia({ colorScheme: 'dark' });
  await painted(page);
  after = await now();
  for (const id of plots) check(`${label}: #${id} follows the theme`, before[id] !== after[id]);
  await page.setViewportSize({ width: 360, height: 700 });
  await painted(page);
  const wide = await overflowing(page);
  check(`${label}: nothing is too wide after a change`, wide.length === 0, wide.join(' '));
  const stretched = await page.$$eval('canvas', all => all.filter(c => Math.abs(c.width / c.height - c.clientWidth / c.clientHeight) > 0.02).map(c => c.id));
  check(`${label}: the plots have their new width`, stretched.length === 0, stretched.join(' '));

  check(`${label}: no errors, no requests`, troubles.length === 0, troubles.join('; '));
  await context.close();
}

// Everything can be reached and worked with the keyboard alone.
async function keyboard(name) {
  const { context, page, label, troubles } = await open(name);
  const focused = () => page.evaluate(() => {
    const el = document.activeElement;
    const s = getComputedStyle(el);
    return { id: el.id, tag: el.tagName, row: el.closest('tbody') !== null, text: el.textContent.trim().slice(0, 20), ring: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0 };
  });
  await page.keyboard.press('Tab');
  check(`${label}: the first stop skips to the summary`, (await focused()).text.startsWith('Skip'));
  const want = new Set(['search', 'worst', 'row', 'choose', 'previous', 'next', 'central-trace', 'pair-0', 'central']);
  const first = new Set();
  for (let i = 0; i < 60 && want.size; i++) {
    await page.keyboard.press('Tab');
    const f = await focused();
    if (f.tag === 'BODY') break;
    if (!f.ring) first.add(f.tag + '#' + f.id + f.text);
    want.delete(f.row ? 'row' : f.id);
  }
  check(`${label}: Tab reaches every control`, want.size === 0, [...want].join(' '));
  check(`${label}: the focus can be seen`, first.size === 0, [...first].join(', '));

  const before = await hash(page, 'trace');
  await page.focus('#choose');
  const chosen = await page.$eval('#choose', s => s.selectedIndex);
  await page.keyboard.press(chosen > 0 ? 'ArrowUp' : 'ArrowDown');
  await painted(page);
  check(`${label}: arrow keys choose a parameter`, await hash(page, 'trace') !== before);
  await page.focus('#table thead th:last-child button');
  await page.keyboard.press('Enter');
  check(`${label}: Enter sorts`, await page.getAttribute('#table thead th:last-child', 'aria-sort') === 'descending');
  await page.focus('#table tbody tr:first-child button');
  const name0 = await page.textContent('#table tbody tr:first-child th');
  await page.keyboard.press('Enter');
  check(`${label}: Enter in the table shows the plots`, (await focused()).id === 'choose' && await page.$eval('#choose', s => s.selectedOptions[0].text) === name0);
  await page.focus('#table tbody tr:first-child button');
  const order = await shownRows(page);
  for (const [key, to] of [['ArrowDown', 1], ['End', order.length - 1], ['ArrowDown', order.length - 1], ['ArrowUp', order.length - 2], ['Home', 0]]) {
    await page.keyboard.press(key);
    check(`${label}: ${key} in the table`, (await focused()).text === order[to], (await focused()).text);
  }
  await page.focus('#chains input');
  const with1 = await hash(page, 'density');
  await page.keyboard.press('Space');
  check(`${label}: Space switches a chain off`, await hash(page, 'density') !== with1);
  await page.focus('#search');
  await page.keyboard.type('no such name');
  check(`${label}: typing searches`, (await shownRows(page)).length === 0);
  check(`${label}: no errors, no requests`, troubles.length === 0, troubles.join('; '));
  await context.close();
}

// What assistive technology is told.
async function semantics(name) {
  const { context, page, label } = await open(name);
  const faults = await page.evaluate(() => {
    const out = [];
    const named = el => el.getAttribute('aria-label') || el.textContent.trim() || el.title || (el.labels && el.labels.length);
    for (const el of document.querySelectorAll('button, select, input, a')) if (!named(el)) out.push('no name: ' + el.outerHTML.slice(0, 60));
    for (const el of document.querySelectorAll('select, input')) if (!el.labels.length) out.push('no label: #' + el.id);
    const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
    ids.filter((v, i) => ids.indexOf(v) !== i).forEach(v => out.push('id twice: ' + v));
    for (const a of document.querySelectorAll('a[href^="#"]')) if (!document.querySelector(a.getAttribute('href'))) out.push('no target: ' + a.getAttribute('href'));
    for (const el of document.querySelectorAll('[aria-labelledby]')) if (!document.getElementById(el.getAttribute('aria-labelledby'))) out.push('no ' + el.getAttribute('aria-labelledby'));
    let level = 0;
    for (const h of document.querySelectorAll('h1, h2, h3')) {
      if (!h.offsetParent) continue;
      const l = +h.tagName[1];
      if (l > level + 1) out.push('heading skips a level: ' + h.textContent);
      level = l;
    }
    for (const t of document.querySelectorAll('table')) for (const r of t.tBodies[0].rows) {
      if (r.cells[0].scope !== 'row' || r.cells.length !== t.tHead.rows[0].cells.length) { out.push('a row without its header or cells'); break; }
    }
    for (const el of document.querySelectorAll('.scroll')) if (el.tabIndex !== 0 || !el.getAttribute('aria-label')) out.push('a scrolling region without a name or focus');
    if (document.documentElement.lang !== 'en' || document.querySelectorAll('h1').length !== 1 || document.querySelectorAll('main').length !== 1) out.push('no language, h1 or main');
    return out;
  });
  check(`${label}: semantics`, faults.length === 0, faults.join('; '));
  await context.close();
}

// Without JavaScript the tables are complete and the plots are not there.
async function withoutScript(name, rows) {
  const { context, page, label, troubles } = await open(name, { javaScriptEnabled: false, width: 360 });
  const text = await page.locator('body').innerText();
  check(`${label} without JavaScript: a hint`, text.includes('need JavaScript'));
  check(`${label} without JavaScript: the table`, await page.locator('#table tbody tr').count() === rows);
  check(`${label} without JavaScript: no plots`, await page.locator('canvas:visible').count() === 0);
  check(`${label} without JavaScript: no controls`, await page.locator('button:visible, select:visible, input:visible').count() === 0);
  check(`${label} without JavaScript: no errors, no requests`, troubles.length === 0, troubles.join('; '));
  await context.close();
}

// Names and texts from files stay text.
async function hostile() {
  const { context, page, label, troubles } = await open('hostile');
  const seen = await page.evaluate(() => ({
    hurt: window.hurt, images: document.images.length, scripts: document.scripts.length, title: document.title,
    model: document.querySelector('#model code').textContent, row: document.querySelector('#table tbody th').textContent,
    option: document.querySelector('#choose option').textContent,
  }));
  check(`${label}: nothing runs`, seen.hurt === undefined && seen.images === 0 && seen.scripts === 2, JSON.stringify(seen));
  for (const key of ['title', 'model', 'row', 'option']) check(`${label}: the ${key} is text`, seen[key].includes('</script><script>window.hurt=1</script>'), seen[key]);
  for (const k of [0, 1, 2, 3]) {
    await page.selectOption('#choose', { index: k });
    await painted(page);
  }
  check(`${label}: names of object properties are names`, (await page.$$eval('#choose option', o => o.map(x => x.text))).includes('__proto__'));
  check(`${label}: no errors, no requests`, troubles.length === 0, troubles.join('; '));

  // The policy of the page holds against what a template might let through.
  const blocked = await page.evaluate(() => new Promise(done => {
    document.addEventListener('securitypolicyviolation', () => done(true), { once: true });
    const s = document.createElement('script');
    s.textContent = 'window.hurt = 2';
    document.body.append(s);
    setTimeout(() => done(false), 500);
  }));
  check(`${label}: the policy stops other scripts`, blocked && await page.evaluate(() => window.hurt) === undefined);
  await context.close();
}

// Marks of failed transitions are there, in the pairs and below the trace.
async function marks(name) {
  const { context, page, label } = await open(name);
  const legend = await page.textContent('#pair-legend');
  check(`${label}: the legend counts failures`, /solver failed: [1-9]/.test(legend), legend);
  const count = id => page.evaluate(`(id => {
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--failed').trim();
    const want = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
    const d = (${pixels})(document.getElementById(id));
    let n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 150 && want.every((v, j) => Math.abs(d[i + j] - v) < 12)) n++;
    return n;
  })('${id}')`);
  for (const id of ['matrix', 'trace']) {
    const n = await count(id);
    check(`${label}: #${id} has marks of failed transitions`, n > 50, `${n} pixels`);
  }
  await context.close();
}

for (const name of ['banana', 'funnel', 'wide', 'audit', 'thinned']) await appearance(name);
await controls('banana', 't2', 1);
await controls('funnel', 'x.1', 2);
await controls('wide', 'x.29', 11);
for (const name of ['banana', 'wide']) {
  await keyboard(name);
}
for (const name of ['banana', 'funnel', 'wide', 'audit', 'draws-only', 'hostile']) await semantics(name);
await withoutScript('wide', 300);
await hostile();
await marks('funnel');
{
  const { context, page, label, troubles } = await open('draws-only');
  check(`${label}: no errors, no requests`, troubles.length === 0, troubles.join('; '));
  check(`${label}: plots of the parameters only`, (await canvases(page)).map(c => c.id).join() === 'trace,density,ranks,acf,matrix');
  await context.close();
}
check('wide: below 5 MB', statSync(resolve(reports, 'wide.html')).size < 5e6);

await browser.close();
console.log(`${checks} checks, ${failures} failed; slowest to open and paint: ${slowest.label} in ${slowest.seconds.toFixed(2)} s`);
process.exit(failures ? 1 : 0);
