'use strict';
// Draws the plots of the page from the data in the element #data, and makes the
// summary table sortable and searchable. All statistics were computed by hamc;
// what stands here decodes, scales and paints.
(() => {
  const $ = id => document.getElementById(id);
  const data = JSON.parse($('data').textContent);

  // ---- Data -------------------------------------------------------------

  // The arrays are little-endian, as is every machine with a browser.
  function decode(text, Type) {
    const s = atob(text || '');
    const b = new Uint8Array(s.length);
    for (let i = 0; i < b.length; i++) b[i] = s.charCodeAt(i);
    return new Type(b.buffer);
  }
  const codes = decode(data.values, Uint16Array);
  const flags = decode(data.flags, Uint8Array);
  const densities = decode(data.density, Uint8Array);
  const rankCounts = decode(data.ranks, Uint32Array);
  const acfs = decode(data.acf, Int16Array);
  const eventDraws = decode(data.eventDraw, Uint32Array);
  const quantities = data.quantities;
  const chains = data.chains.length;
  const [DIVERGENT, FAILED, IRREVERSIBLE] = [1, 2, 4];

  // Where chain c starts among the shown draws of a quantity, and its events
  // among all events.
  const start = [0], eventStart = [0];
  for (let c = 0; c < chains; c++) {
    start.push(start[c] + data.regular + data.events[c]);
    eventStart.push(eventStart[c] + data.events[c]);
  }
  const shown = start[chains];

  const CODES = 65533, POS_INF = 65534, NAN = 65535;
  function value(scale, code) {
    if (code === 0) return -Infinity;
    if (code === POS_INF) return Infinity;
    if (code === NAN) return NaN;
    return scale.centre + scale.spread * Math.sinh(scale.low + (code - 1) / (CODES - 1) * (scale.high - scale.low));
  }
  const cache = new Map();
  // The shown draws of a quantity, chain by chain.
  function values(k) {
    if (!cache.has(k)) {
      const v = new Float64Array(shown);
      for (let i = 0; i < shown; i++) v[i] = value(quantities[k].scale, codes[k * shown + i]);
      cache.set(k, v);
    }
    return cache.get(k);
  }
  // The number of the draw, from 1, at place i of chain c.
  const drawNumber = (c, i) => 1 + (i < data.regular ? i * data.step : eventDraws[eventStart[c] + i - data.regular]);
  function extent(k) {
    const s = quantities[k].scale;
    return padded(value(s, 1), value(s, CODES));
  }
  function padded(low, high) {
    if (low < high) return [low, high];
    const pad = Math.abs(low) / 100 || 1;
    return [low - pad, high + pad];
  }

  // ---- Painting ---------------------------------------------------------

  const color = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const chainColor = c => color('c' + c % 8);
  const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

  // At most n round numbers between low and high, or 3.
  function ticks(low, high, n) {
    const most = Math.max(3, n);
    const unit = 10 ** Math.floor(Math.log10((high - low) / most));
    const step = unit * ([1, 2, 5, 10].find(m => Math.floor(high / (m * unit)) - Math.ceil(low / (m * unit)) < most) || 20);
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) out.push(i * step);
    return out;
  }
  function tickText(v, all) {
    const step = all.length > 1 ? Math.abs(all[1] - all[0]) : Math.abs(v) || 1;
    const most = Math.max(...all.map(Math.abs));
    if (most >= 1e6 || most < 1e-3 && most > 0) {
      return v === 0 ? '0' : v.toExponential(Math.max(0, Math.min(4, Math.floor(Math.log10(Math.abs(v))) - Math.floor(Math.log10(step) + 1e-9)))).replace('e+', 'e').replace('-', '−');
    }
    return v.toFixed(Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)))).replace('-', '−');
  }
  const superscript = n => String(n).replace(/[-0-9]/g, d => d === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]);

  // Clears a canvas at the resolution of the screen.
  function canvas(id, height) {
    const el = $(id);
    if (!el) return null;
    if (height) el.style.height = height + 'px';
    const w = el.clientWidth, h = el.clientHeight;
    if (!w || !h) return null;
    const ratio = window.devicePixelRatio || 1;
    el.width = Math.round(w * ratio);
    el.height = Math.round(h * ratio);
    const g = el.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.font = FONT;
    g.lineJoin = 'round';
    return { el, g, w, h };
  }

  // Axes in the box (x, y, w, h) of a canvas. The options: xs and ys, the ranges;
  // xlabel, ylabel; log; bare, where ticks have no numbers; noY, without a
  // vertical axis. Returns the scales X, Y and the box of the data.
  function axes(g, box, o) {
    let [x0, x1] = o.xs, [y0, y1] = o.ys;
    const room = Math.max(1, box.h - 40);
    const ty = o.noY ? [] : o.log ? decades(y0, y1, room / 28) : ticks(y0, y1, room / (o.dense ? 30 : 42));
    const text = (v, all) => o.log ? '10' + superscript(v) : tickText(v, all);
    g.font = FONT;
    const wide = o.bareY || o.noY ? 0 : Math.max(0, ...ty.map(v => g.measureText(text(v, ty)).width));
    const left = box.x + (o.left !== undefined ? o.left : (o.noY ? 2 : wide + 7) + (o.ylabel ? 18 : 0));
    const right = box.x + box.w - (o.right !== undefined ? o.right : 8);
    const top = box.y + (o.top || 6);
    const bottom = box.y + box.h - (o.bottom !== undefined ? o.bottom : (o.bareX ? 4 : 20) + (o.xlabel ? 17 : 0));
    const X = v => left + (v - x0) / (x1 - x0) * (right - left);
    const Y = v => bottom - (v - y0) / (y1 - y0) * (bottom - top);
    const tx = o.log ? decades(x0, x1, (right - left) / 48) : ticks(x0, x1, (right - left) / (o.dense ? 55 : 75));
    g.lineWidth = 1;
    g.strokeStyle = color('grid');
    g.beginPath();
    for (const v of tx) { const x = Math.round(X(v)) + 0.5; g.moveTo(x, top); g.lineTo(x, bottom); }
    for (const v of ty) { const y = Math.round(Y(v)) + 0.5; g.moveTo(left, y); g.lineTo(right, y); }
    g.stroke();
    g.strokeStyle = color('line');
    g.beginPath();
    g.moveTo(left, Math.round(bottom) + 0.5);
    g.lineTo(right, Math.round(bottom) + 0.5);
    if (!o.noY) { g.moveTo(Math.round(left) + 0.5, top); g.lineTo(Math.round(left) + 0.5, bottom); }
    g.stroke();
    g.fillStyle = color('soft');
    if (!o.bareX) {
      g.textBaseline = 'top';
      g.textAlign = 'center';
      for (const v of tx) {
        const s = text(v, tx), half = g.measureText(s).width / 2;
        g.fillText(s, Math.min(Math.max(X(v), box.x + half), box.x + box.w - half), bottom + 5);
      }
    }
    if (!o.bareY) {
      g.textBaseline = 'middle';
      g.textAlign = 'right';
      for (const v of ty) g.fillText(text(v, ty), left - 6, Y(v));
    }
    if (o.xlabel) {
      g.textAlign = 'center';
      g.textBaseline = 'bottom';
      g.fillText(short(g, o.xlabel, right - left), (left + right) / 2, box.y + box.h - (o.labelPad || 0));
    }
    if (o.ylabel) {
      g.save();
      g.translate(box.x + 2, (top + bottom) / 2);
      g.rotate(-Math.PI / 2);
      g.textAlign = 'center';
      g.textBaseline = 'top';
      g.fillText(short(g, o.ylabel, bottom - top), 0, 0);
      g.restore();
    }
    return { X, Y, left, right, top, bottom };
  }
  function decades(low, high, n) {
    const every = Math.max(1, Math.ceil((high - low) / Math.max(1, n)));
    const out = [];
    for (let e = Math.ceil(low); e <= high; e++) if (e % every === 0) out.push(e);
    return out;
  }
  // A text shortened to a width.
  function short(g, s, width) {
    if (g.measureText(s).width <= width) return s;
    while (s.length > 1 && g.measureText(s + '…').width > width) s = s.slice(0, -1);
    return s + '…';
  }
  function clip(g, a) {
    g.save();
    g.beginPath();
    g.rect(a.left, a.top - 1, a.right - a.left, a.bottom - a.top + 2);
    g.clip();
  }
  const whole = p => ({ x: 0, y: 0, w: p.w, h: p.h });
  const describe = (p, text) => p.el.setAttribute('aria-label', text);
  const number = v => Number.isFinite(v) ? String(Number(v.toPrecision(3))).replace('-', '−') : String(v);
  const visible = () => [...Array(chains).keys()].filter(c => !hidden.has(c));
  const dash = c => c < 8 ? [] : c < 16 ? [6, 3] : [2, 2]; // colours come again after eight

  // Marks of transitions that failed, in the order in which they are painted.
  const marks = [
    { flag: FAILED, color: 'failed', paint(g, x, y, r) { g.moveTo(x - r, y - r); g.lineTo(x + r, y + r); g.moveTo(x - r, y + r); g.lineTo(x + r, y - r); } },
    { flag: IRREVERSIBLE, color: 'irreversible', paint(g, x, y, r) { g.rect(x - r, y - r, 2 * r, 2 * r); } },
    { flag: DIVERGENT, color: 'divergent', paint(g, x, y, r) { g.moveTo(x, y - 1.2 * r); g.lineTo(x + 1.1 * r, y + 0.8 * r); g.lineTo(x - 1.1 * r, y + 0.8 * r); g.closePath(); } },
  ];

  // ---- The plots of one parameter ----------------------------------------

  const hidden = new Set(); // chains that are switched off
  let chosen = 0;

  function trace(id, k, central) {
    const p = canvas(id);
    if (!p) return;
    const q = quantities[k], v = values(k), ys = central ? [quantities[k].low, quantities[k].high] : extent(k);
    const last = Math.max(2, drawNumber(0, data.regular - 1));
    const rug = flags.some(f => f) ? 12 : 0;
    const a = axes(p.g, { x: 0, y: 0, w: p.w, h: p.h - rug }, { xs: [1, last], ys, ylabel: q.name, xlabel: rug ? '' : 'draw' });
    const g = p.g;
    clip(g, a);
    g.globalAlpha = chains > 1 ? 0.75 : 1;
    g.lineWidth = 1;
    for (const c of visible()) {
      g.strokeStyle = chainColor(c);
      g.setLineDash(dash(c));
      g.beginPath();
      let pen = false;
      for (let i = 0; i < data.regular; i++) {
        const y = v[start[c] + i];
        if (!Number.isFinite(y)) { pen = false; continue; }
        if (pen) g.lineTo(a.X(drawNumber(c, i)), a.Y(y)); else g.moveTo(a.X(drawNumber(c, i)), a.Y(y));
        pen = true;
      }
      g.stroke();
    }
    g.restore();
    g.setLineDash([]);
    g.globalAlpha = 1;
    if (rug) {
      const y = p.h - rug;
      g.lineWidth = 1;
      for (const m of marks) {
        g.strokeStyle = color(m.color);
        g.beginPath();
        for (const c of visible()) {
          for (let i = 0; i < start[c + 1] - start[c]; i++) {
            if (flags[start[c] + i] & m.flag) {
              const x = Math.round(a.X(drawNumber(c, i))) + 0.5;
              g.moveTo(x, y + 2);
              g.lineTo(x, y + rug);
            }
          }
        }
        g.stroke();
      }
    }
    describe(p, `Trace of ${q.name}: ${chains} chains of ${data.draws} draws, values from ${number(ys[0])} to ${number(ys[1])}.`);
  }

  function density(k) {
    const p = canvas('density');
    if (!p) return;
    const q = quantities[k], n = data.points;
    const a = axes(p.g, whole(p), { xs: [q.low, q.high], ys: [0, 255 * 1.04], noY: true, xlabel: q.name });
    const g = p.g;
    let still = 0;
    for (const c of visible()) {
      const at = (k * chains + c) * n;
      const y = densities.subarray(at, at + n);
      if (!y.some(v => v > 0)) { still++; continue; }
      g.beginPath();
      for (let i = 0; i < n; i++) g.lineTo(a.X(q.low + (q.high - q.low) * i / (n - 1)), a.Y(y[i]));
      g.strokeStyle = chainColor(c);
      g.setLineDash(dash(c));
      g.lineWidth = 1.75;
      g.stroke();
      g.lineTo(a.X(q.high), a.bottom);
      g.lineTo(a.X(q.low), a.bottom);
      g.fillStyle = chainColor(c);
      g.globalAlpha = 0.07;
      g.fill();
      g.globalAlpha = 1;
    }
    g.setLineDash([]);
    const notes = ['Kernel estimate with Silverman’s bandwidth.'];
    if (q.outside) notes.push(`Outside the range shown: ${q.outside} of ${chains * data.draws} draws.`);
    if (q.notFinite) notes.push(`Not finite: ${q.notFinite} draws.`);
    if (still) notes.push(`Without a density, because the chain does not move here: ${still}.`);
    $('density-note').textContent = notes.join(' ');
    describe(p, `Densities of ${q.name} by chain, from ${number(q.low)} to ${number(q.high)}.`);
  }

  function ranks(k) {
    const el = $('ranks');
    const w = el.clientWidth;
    const list = visible();
    const columns = Math.max(1, Math.min(list.length <= 4 ? 2 : Math.ceil(Math.sqrt(list.length)), Math.floor(w / 120), list.length));
    const rows = Math.max(1, Math.ceil(list.length / columns));
    const p = canvas('ranks', Math.max(250, rows * 95));
    if (!p) return;
    const g = p.g, bins = data.bins;
    const expected = data.draws / bins;
    let most = 0;
    for (let i = 0; i < chains * bins; i++) most = Math.max(most, rankCounts[k * chains * bins + i]);
    if (!most) {
      g.fillStyle = color('soft');
      g.textBaseline = 'top';
      g.fillText('The draws hold NaN: they have no ranks.', 4, 8);
      describe(p, `${quantities[k].name} has draws that are NaN, and so no ranks.`);
      return;
    }
    const bw = p.w / columns, bh = p.h / rows;
    let far = 0;
    list.forEach((c, j) => {
      const col = j % columns, row = Math.floor(j / columns);
      const box = { x: col * bw, y: row * bh, w: bw, h: bh };
      const a = axes(g, box, { xs: [0, chains * data.draws], ys: [0, Math.max(most, expected) * 1.05], dense: true, noY: true, top: 20, bareX: true, right: 8 });
      g.fillStyle = chainColor(c);
      const each = (a.right - a.left) / bins;
      for (let b = 0; b < bins; b++) {
        const n = rankCounts[(k * chains + c) * bins + b];
        far = Math.max(far, Math.abs(n / expected - 1));
        g.globalAlpha = 0.8;
        g.fillRect(a.left + b * each + 0.5, a.Y(n), Math.max(1, each - 1), a.bottom - a.Y(n));
      }
      g.globalAlpha = 1;
      g.strokeStyle = color('ink');
      g.lineWidth = 1;
      g.setLineDash([4, 3]);
      g.beginPath();
      g.moveTo(a.left, Math.round(a.Y(expected)) + 0.5);
      g.lineTo(a.right, Math.round(a.Y(expected)) + 0.5);
      g.stroke();
      g.setLineDash([]);
      g.fillStyle = color('ink');
      g.textAlign = 'left';
      g.textBaseline = 'top';
      g.fillText('chain ' + data.chains[c], a.left + 2, box.y + 3);
    });
    describe(p, `Rank histograms of ${quantities[k].name}, ${bins} bins for each chain. The bin farthest from even is off by ${Math.round(100 * far)} %.`);
  }

  function acf(k) {
    const p = canvas('acf');
    if (!p) return;
    const n = data.lags;
    const at = c => (k * chains + c) * n;
    let low = -0.1;
    for (const c of visible()) for (let i = 0; i < n; i++) {
      if (acfs[at(c)] !== -32768) low = Math.min(low, acfs[at(c) + i] / 32767);
    }
    const a = axes(p.g, whole(p), { xs: [0, Math.max(1, n - 1)], ys: [low * 1.05, 1], xlabel: 'lag' });
    const g = p.g;
    g.strokeStyle = color('soft');
    g.beginPath();
    g.moveTo(a.left, Math.round(a.Y(0)) + 0.5);
    g.lineTo(a.right, Math.round(a.Y(0)) + 0.5);
    g.stroke();
    const words = [];
    for (const c of visible()) {
      if (acfs[at(c)] === -32768) continue;
      g.strokeStyle = g.fillStyle = chainColor(c);
      g.lineWidth = 1.5;
      g.setLineDash(dash(c));
      g.beginPath();
      for (let i = 0; i < n; i++) g.lineTo(a.X(i), a.Y(acfs[at(c) + i] / 32767));
      g.stroke();
      for (let i = 0; i < n; i++) { g.beginPath(); g.arc(a.X(i), a.Y(acfs[at(c) + i] / 32767), 2, 0, 7); g.fill(); }
      if (n > 1) words.push(`chain ${data.chains[c]} ${number(acfs[at(c) + 1] / 32767)}`);
    }
    g.setLineDash([]);
    describe(p, `Autocorrelations of ${quantities[k].name} up to lag ${n - 1}. At lag 1: ${words.join(', ')}.`);
  }

  // ---- Pairs --------------------------------------------------------------

  let pairs = data.pairs.slice(0, 4);
  let zoomed = true;

  // Spearman's rank correlation of the shown draws, those with NaN left out.
  function spearman(x, y) {
    const keep = [];
    for (let i = 0; i < x.length; i++) if (x[i] === x[i] && y[i] === y[i]) keep.push(i);
    const rank = v => {
      const order = keep.map((_, j) => j).sort((a, b) => v[keep[a]] - v[keep[b]]);
      const r = new Float64Array(order.length);
      for (let i = 0; i < order.length;) {
        let j = i;
        while (j < order.length && v[keep[order[j]]] === v[keep[order[i]]]) j++;
        for (const m = (i + j - 1) / 2; i < j; i++) r[order[i]] = m;
      }
      return r;
    };
    const a = rank(x), b = rank(y), m = (a.length - 1) / 2;
    let sab = 0, saa = 0, sbb = 0;
    for (let i = 0; i < a.length; i++) { sab += (a[i] - m) * (b[i] - m); saa += (a[i] - m) ** 2; sbb += (b[i] - m) ** 2; }
    return sab / Math.sqrt(saa * sbb);
  }
  const range = k => zoomed ? [quantities[k].low, quantities[k].high] : extent(k);

  function matrix() {
    const el = $('matrix');
    if (!el || !el.clientWidth) return;
    const n = pairs.length, w = el.clientWidth;
    const left = 46, bottom = 38;
    const cell = (w - left) / n;
    const p = canvas('matrix', Math.round(Math.min(cell * 0.75, n < 3 ? 280 : n < 4 ? 230 : 190) * n + bottom));
    if (!p) return;
    const g = p.g, ch = (p.h - bottom) / n;
    const correlations = [];
    pairs.forEach((ky, row) => pairs.forEach((kx, col) => {
      const box = { x: left + col * cell, y: row * ch, w: cell, h: ch };
      if (col > row) {
        const r = spearman(values(kx), values(ky));
        correlations.push(`${quantities[kx].name} and ${quantities[ky].name} ${number(r)}`);
        g.textAlign = 'center';
        g.textBaseline = 'middle';
        g.fillStyle = color('soft');
        const size = Math.max(11, Math.min(20, cell / 8));
        g.font = size + 'px ' + FONT.slice(5);
        g.fillText(Number.isFinite(r) ? r.toFixed(2).replace('-', '−') : 'NaN', box.x + cell / 2, box.y + ch / 2);
        g.font = FONT;
        return;
      }
      const bare = { dense: true, left: 6, right: 6, top: 6, bottom: 6, bareX: true, bareY: true };
      const xs = range(kx);
      if (row === col) {
        const bins = Math.max(12, Math.min(40, Math.round(cell / 8)));
        const counts = new Array(bins).fill(0);
        const v = values(kx);
        for (let c = 0; c < chains; c++) for (let i = 0; i < data.regular; i++) {
          const x = v[start[c] + i];
          if (x >= xs[0] && x <= xs[1]) counts[Math.min(bins - 1, Math.floor((x - xs[0]) / (xs[1] - xs[0]) * bins))]++;
        }
        const a = axes(g, box, { ...bare, xs, ys: [0, Math.max(1, ...counts) * 1.25], noY: true });
        g.fillStyle = color('point');
        g.globalAlpha = 0.55;
        const each = (a.right - a.left) / bins;
        counts.forEach((m, b) => { if (m) g.fillRect(a.left + b * each + 0.5, a.Y(m), Math.max(1, each - 1), a.bottom - a.Y(m)); });
        g.globalAlpha = 1;
        g.fillStyle = color('ink');
        g.textAlign = 'center';
        g.textBaseline = 'top';
        g.fillText(short(g, quantities[kx].name, cell - 12), box.x + cell / 2, box.y + 6);
      } else {
        const a = axes(g, box, { ...bare, xs, ys: range(ky) });
        g.strokeStyle = color('line');
        g.strokeRect(Math.round(a.left) + 0.5, Math.round(a.top) + 0.5, Math.round(a.right - a.left), Math.round(a.bottom - a.top));
        scatter(g, a, kx, ky);
      }
      if (row === n - 1) edge(g, box, xs, false, p.h);
      if (col === 0 && row > 0) edge(g, box, range(ky), true, p.h);
    }));
    describe(p, `Pairs plot of ${pairs.map(k => quantities[k].name).join(', ')}. Rank correlations: ${correlations.join('; ')}.`);
  }

  // The numbers of the outer axes.
  function edge(g, box, r, vertical, height) {
    const inner = vertical ? [box.y + box.h - 6, box.y + 6] : [box.x + 6, box.x + box.w - 6];
    const t = ticks(r[0], r[1], Math.abs(inner[1] - inner[0]) / (vertical ? 30 : 55));
    g.fillStyle = color('soft');
    g.textAlign = vertical ? 'right' : 'center';
    g.textBaseline = vertical ? 'middle' : 'top';
    for (const v of t) {
      const at = inner[0] + (v - r[0]) / (r[1] - r[0]) * (inner[1] - inner[0]);
      const s = tickText(v, t), half = g.measureText(s).width / 2;
      if (vertical) g.fillText(s, box.x, at); else g.fillText(s, Math.min(Math.max(at, box.x + half), box.x + box.w - half), box.y + box.h + 2);
    }
  }

  function scatter(g, a, kx, ky) {
    const x = values(kx), y = values(ky);
    clip(g, a);
    g.fillStyle = color('point');
    const r = shown > 6000 ? 1 : 1.5;
    g.globalAlpha = Math.max(0.12, Math.min(0.7, 700 / shown));
    for (let c = 0; c < chains; c++) for (let i = 0; i < data.regular; i++) {
      const j = start[c] + i;
      if (!flags[j] && Number.isFinite(x[j]) && Number.isFinite(y[j])) g.fillRect(a.X(x[j]) - r, a.Y(y[j]) - r, 2 * r, 2 * r);
    }
    const size = a.right - a.left < 120 ? 1.8 : 3;
    g.globalAlpha = 0.95;
    g.lineWidth = size < 3 ? 1 : 1.4;
    for (const m of marks) {
      g.strokeStyle = color(m.color);
      g.beginPath();
      for (let j = 0; j < shown; j++) {
        if (flags[j] & m.flag && Number.isFinite(x[j]) && Number.isFinite(y[j])) m.paint(g, a.X(x[j]), a.Y(y[j]), size);
      }
      g.stroke();
    }
    g.globalAlpha = 1;
    g.restore();
  }

  // ---- The sampler ----------------------------------------------------------

  function bars(g, a, h, counts, fill) {
    g.fillStyle = fill;
    counts.forEach((n, i) => {
      const x = a.X(h.low + i * h.width), w = a.X(h.low + (i + 1) * h.width) - x;
      if (n) g.fillRect(x + (w > 4 ? 0.5 : 0), Math.min(a.Y(n), a.bottom - 1), Math.max(1, w - (w > 4 ? 1 : 0)), Math.max(1, a.bottom - a.Y(n)));
    });
  }
  function histogram(el) {
    const h = data.histograms[+el.dataset.histogram];
    const p = canvas(el.id);
    if (!p) return;
    const n = h.counts.length, high = h.low + n * h.width;
    const a = axes(p.g, whole(p), { xs: [h.low, high], ys: [0, Math.max(...h.counts) * 1.05], xlabel: el.dataset.x, dense: true });
    bars(p.g, a, h, h.counts, color('point'));
    const top = h.counts.indexOf(Math.max(...h.counts));
    describe(p, `${el.dataset.title}: histogram from ${number(h.low)} to ${number(high)}, highest between ${number(h.low + top * h.width)} and ${number(h.low + (top + 1) * h.width)}.`);
  }

  function energy() {
    const e = data.energy, p = e && canvas('energy-plot');
    if (!p) return;
    // Both as densities: there is one change fewer than energies in each chain.
    const sum = x => x.reduce((s, v) => s + v, 0) || 1;
    const m = e.marginal.map(v => v / sum(e.marginal)), t = e.transition.map(v => v / sum(e.transition));
    const a = axes(p.g, whole(p), { xs: [e.low, e.low + m.length * e.width], ys: [0, Math.max(...m, ...t) * 1.04], noY: true, top: 40, xlabel: 'energy, less its mean' });
    const g = p.g;
    [[m, 'c0', 'energy'], [t, 'c1', 'change from draw to draw']].forEach(([y, name, label], i) => {
      g.fillStyle = g.strokeStyle = color(name);
      g.beginPath();
      g.moveTo(a.X(e.low), a.bottom);
      y.forEach((v, j) => { g.lineTo(a.X(e.low + j * e.width), a.Y(v)); g.lineTo(a.X(e.low + (j + 1) * e.width), a.Y(v)); });
      g.lineTo(a.X(e.low + y.length * e.width), a.bottom);
      g.globalAlpha = 0.22;
      g.fill();
      g.globalAlpha = 1;
      g.lineWidth = 1.5;
      if (i) g.setLineDash([5, 3]);
      g.stroke();
      g.beginPath();
      g.moveTo(a.left + 6, 10 + 17 * i);
      g.lineTo(a.left + 30, 10 + 17 * i);
      g.stroke();
      g.setLineDash([]);
      g.fillStyle = color('ink');
      g.textAlign = 'left';
      g.textBaseline = 'middle';
      g.fillText(label, a.left + 36, 10 + 17 * i);
    });
    describe(p, 'Histograms of the energies less their mean and of their changes from draw to draw.');
  }

  function audit() {
    const p = data.audit && canvas('audit-plot');
    if (!p) return;
    const points = data.audit.map(([r, v]) => [Math.log10(+r), Math.log10(+v)]);
    const span = i => {
      const x = points.map(q => q[i]).filter(Number.isFinite);
      if (!x.length) return [-16, 0];
      return [Math.floor(x.reduce((a, b) => Math.min(a, b)) - 0.1), Math.ceil(x.reduce((a, b) => Math.max(a, b)) + 0.1)];
    };
    const xs = span(0), ys = span(1);
    const a = axes(p.g, whole(p), { xs, ys, log: true, xlabel: 'violation of reversibility', ylabel: 'violation of volume preservation' });
    const g = p.g;
    g.fillStyle = color('point');
    g.globalAlpha = Math.max(0.15, Math.min(0.75, 400 / points.length));
    for (const [x, y] of points) {
      g.beginPath();
      g.arc(a.X(Math.max(x, xs[0])), a.Y(Math.max(y, ys[0])), 2.6, 0, 7);
      g.fill();
    }
    g.globalAlpha = 1;
    describe(p, `Violations of volume preservation against those of reversibility for ${points.length} draws, logarithmic: reversibility from 10 to the ${xs[0]} to 10 to the ${xs[1]}, volume from 10 to the ${ys[0]} to 10 to the ${ys[1]}.`);
  }

  // ---- Controls ---------------------------------------------------------------

  // The parameters, and behind them the generated quantities, if there are any.
  const groups = [...$('table').tBodies].map(body => ({ body, rows: [...body.rows].filter(r => r.dataset.worst) }));
  const rows = groups.flatMap(g => g.rows);
  const rowOf = new Map(rows.map(r => [r.cells[0].textContent, r]));
  const heads = [...$('table').tHead.rows[0].cells];

  function options(select, chosenIndex, none) {
    const list = document.createDocumentFragment();
    if (none) list.append(new Option('–', '-1'));
    quantities.forEach((q, k) => list.append(new Option(q.name, k)));
    select.replaceChildren(list);
    select.value = String(chosenIndex);
  }

  function parameterPlots() {
    trace('trace', chosen, $('central-trace').checked);
    density(chosen);
    ranks(chosen);
    acf(chosen);
  }

  function choose(k) {
    const before = rowOf.get(quantities[chosen].name);
    if (before) before.removeAttribute('aria-current');
    chosen = (k + quantities.length) % quantities.length;
    $('choose').value = String(chosen);
    const row = rowOf.get(quantities[chosen].name);
    if (row) row.setAttribute('aria-current', 'true');
    $('numbers').textContent = row ? heads.slice(1).map((h, i) => `${h.textContent} ${row.cells[i + 1].textContent}`).join(' · ') : '';
    parameterPlots();
  }

  // reorder sorts the rows of each part of the table.
  function reorder(order) {
    for (const g of groups) g.body.append(...g.rows.slice().sort(order));
  }

  function sortBy(column, descending) {
    const key = r => r.cells[column].textContent;
    if (descending === null) {
      reorder(() => 0);
    } else if (column === 0) {
      reorder((a, b) => key(a).localeCompare(key(b), 'en', { numeric: true }) * (descending ? -1 : 1));
    } else {
      reorder((a, b) => {
        const x = parseFloat(key(a)), y = parseFloat(key(b));
        if (x !== x || y !== y) return (x !== x) - (y !== y); // NaN last
        return (x - y) * (descending ? -1 : 1);
      });
    }
    heads.forEach((h, i) => h.setAttribute('aria-sort', i === column && descending !== null ? (descending ? 'descending' : 'ascending') : 'none'));
    $('worst').setAttribute('aria-pressed', 'false');
  }

  function setUp() {
    for (const el of document.querySelectorAll('.js')) el.hidden = false;

    heads.forEach((h, column) => {
      const b = document.createElement('button');
      b.type = 'button';
      b.textContent = h.textContent;
      h.replaceChildren(b);
      b.addEventListener('click', () => {
        const now = h.getAttribute('aria-sort');
        const first = b.textContent === 'R-hat'; // where large is bad, the large come first
        sortBy(column, now === 'none' ? first : now === 'ascending');
      });
    });
    const index = new Map(quantities.map((q, k) => [q.name, k]));
    for (const r of rows) {
      const name = r.cells[0].textContent;
      if (!index.has(name)) continue;
      const b = document.createElement('button');
      b.type = 'button';
      b.textContent = name;
      b.title = 'Show the plots of ' + name;
      b.tabIndex = -1;
      r.cells[0].replaceChildren(b);
      b.addEventListener('click', () => {
        choose(index.get(name));
        $('parameter').scrollIntoView();
        $('choose').focus({ preventScroll: true });
      });
    }
    // The table is one stop of the Tab key, however many parameters there are;
    // within it the arrow keys go from name to name.
    const buttons = () => [...$('table').querySelectorAll('tbody tr:not([hidden]) button')];
    const stop = () => {
      const all = buttons();
      all.forEach(b => { b.tabIndex = -1; });
      const b = all.find(b => b.closest('tr').getAttribute('aria-current')) || all[0];
      if (b) b.tabIndex = 0;
    };
    for (const g of groups) g.body.addEventListener('keydown', e => {
      const all = buttons(), at = all.indexOf(document.activeElement);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 12, PageUp: at - 12, Home: 0, End: all.length - 1 }[e.key];
      if (at < 0 || to === undefined) return;
      e.preventDefault();
      all[at].tabIndex = -1;
      const b = all[Math.min(Math.max(to, 0), all.length - 1)];
      b.tabIndex = 0;
      b.focus();
    });
    $('table').addEventListener('focusout', e => { if (!$('table').contains(e.relatedTarget)) stop(); });
    $('worst').addEventListener('click', () => {
      const on = $('worst').getAttribute('aria-pressed') !== 'true';
      sortBy(0, null);
      if (on) reorder((a, b) => a.dataset.worst - b.dataset.worst);
      $('worst').setAttribute('aria-pressed', String(on));
    });
    $('search').addEventListener('input', () => {
      const wanted = $('search').value.trim().toLowerCase();
      let n = 0;
      for (const r of rows) {
        r.hidden = !r.cells[0].textContent.toLowerCase().includes(wanted);
        if (!r.hidden) n++;
      }
      $('found').textContent = wanted ? `${n} of ${rows.length}` : '';
      stop();
    });

    options($('choose'), 0);
    $('central-trace').addEventListener('change', parameterPlots);
    $('choose').addEventListener('change', () => choose(+$('choose').value));
    $('previous').addEventListener('click', () => choose(chosen - 1));
    $('next').addEventListener('click', () => choose(chosen + 1));
    data.chains.forEach((number, c) => {
      const label = document.createElement('label');
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.checked = true;
      const key = document.createElement('span');
      key.className = 'key';
      key.style.borderTopStyle = c < 8 ? 'solid' : c < 16 ? 'dashed' : 'dotted';
      key.style.borderTopColor = `var(--c${c % 8})`;
      label.append(box, key, String(number));
      $('chains').append(label);
      box.addEventListener('change', () => {
        if (box.checked) hidden.delete(c); else hidden.add(c);
        parameterPlots();
        if (data.lp >= 0) trace('lp', data.lp);
      });
    });

    const n = Math.min(4, quantities.length);
    const selects = [];
    for (let i = 0; i < n; i++) {
      const label = document.createElement('label');
      const select = document.createElement('select');
      select.id = 'pair-' + i;
      label.append(['First', 'Second', 'Third', 'Fourth'][i] + ' ', select);
      $('pair-controls').append(label);
      options(select, i < pairs.length ? pairs[i] : -1, i > 0);
      selects.push(select);
      select.addEventListener('change', () => {
        pairs = [...new Set(selects.map(s => +s.value).filter(k => k >= 0))];
        matrix();
      });
    }
    const label = document.createElement('label');
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.id = 'central';
    box.checked = zoomed;
    label.append(box, 'central range only');
    label.title = 'From the 0.5 % to the 99.5 % quantile and a quarter of their distance more on both sides';
    $('pair-controls').append(label);
    box.addEventListener('change', () => { zoomed = box.checked; matrix(); });
    return stop;
  }

  function all() {
    parameterPlots();
    matrix();
    for (const el of document.querySelectorAll('canvas[data-histogram]')) histogram(el);
    energy();
    if (data.lp >= 0) trace('lp', data.lp);
    audit();
  }

  const stop = setUp();
  choose(data.pairs.length ? data.pairs[0] : 0);
  stop();
  all();
  let width = document.documentElement.clientWidth;
  let waiting = false;
  const again = () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; all(); });
    waiting = true;
  };
  window.addEventListener('resize', () => {
    if (document.documentElement.clientWidth !== width) {
      width = document.documentElement.clientWidth;
      again();
    }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  window.addEventListener('beforeprint', all);
})();
