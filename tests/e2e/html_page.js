/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run inside the report by html_checks.py: reads tables, and values back from what is drawn. */
"use strict";

/* Cells of a table's body: the number for machines where there is one, else the text. */
globalThis.rows = (id) => [...document.getElementById(id).tBodies[0].rows].map((row) =>
	[...row.cells].map((cell) => {
		const data = cell.querySelector("data");
		return data ? data.value : cell.textContent.trim();
	}));

globalThis.verdicts = () => [...document.querySelectorAll("article.verdict")].map((v) => ({
	set: v.dataset.set,
	kind: v.dataset.verdict,
	pct: Number(v.querySelector("data.pct")?.value),
	text: v.textContent,
}));

/* From px back to values, by what the axis says of itself. */
const inverse = (figure, which) => {
	const within = typeof figure === "string" ? document.getElementById(figure) : figure;
	const a = within.querySelector(`[data-axis="${which}"]`).dataset;
	const [lo, hi, at, len, knee] = [a.lo, a.hi, a.at, a.len, a.knee].map(Number);
	const place = (v) => (knee > 0 ? Math.asinh(v / knee) : v);
	const back = (p) => (knee > 0 ? knee * Math.sinh(p) : p);
	const value = (px) => back(place(lo) + ((px - at) / len) * (place(hi) - place(lo)));
	value.perPx = Math.abs((hi - lo) / len);
	return value;
};
const starts = (path) => [...path.getAttribute("d").matchAll(/M([-\d.]+) ([-\d.]+)/g)]
	.map((m) => [Number(m[1]), Number(m[2])]);

/* The drawing that this screen has. */
globalThis.effectsShown = () => [...document.querySelectorAll("#fig-effects svg")].filter((s) => s.checkVisibility());
globalThis.effectMarks = () => {
	const svg = effectsShown()[0], value = inverse(svg, "x");
	return [...svg.querySelectorAll("g.effect")].map((g) => {
		const [lo, hi] = g.querySelector(".ci").getAttribute("d").match(/M([\d.]+) [\d.]+L([\d.]+)/).slice(1);
		return { value: value(starts(g.querySelector(".mark"))[0][0]), lo: value(+lo), hi: value(+hi) };
	});
};

globalThis.effectsScroll = () => [effectsShown()[0], effectsShown()[0].parentElement].filter((e) =>
	e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth).map((e) => e.tagName);
/* Text of fewer than 11 px, and texts that lie on each other. */
globalThis.effectsText = () => {
	const texts = [...effectsShown()[0].querySelectorAll("text")], bad = [];
	const scale = effectsShown()[0].getBoundingClientRect().width / effectsShown()[0].viewBox.baseVal.width;
	const boxes = texts.map((t) => t.getBoundingClientRect());
	texts.forEach((t, i) => {
		if (scale * parseFloat(getComputedStyle(t).fontSize) < 11)
			bad.push(`small: ${t.textContent}`);
		for (let k = 0; k < i; k++) {
			const [a, b] = [boxes[i], boxes[k]];
			if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4)
				bad.push(`${t.textContent} lies on ${texts[k].textContent}`);
		}
	});
	return bad;
};

globalThis.sampleMarks = (figure) => {
	const value = inverse(figure, "y"), boots = {};
	for (const g of document.querySelectorAll(`#${figure} g[data-row]`))
		boots[g.dataset.row] = starts(g.querySelector(".mark")).map((p) => value(p[1]));
	return { boots, perPx: value.perPx };
};

globalThis.boxes = () => {
	const value = inverse("fig-sets-0", "x");
	const unit = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[document.querySelector("#fig-sets-0 .unit").textContent];
	return [...document.querySelectorAll("#fig-sets-0 g[data-row]")].map((g) => {
		const box = g.querySelector(".box"), x = +box.getAttribute("x"), w = +box.getAttribute("width");
		return {
			q1: unit * value(x),
			q3: unit * value(x + w),
			median: unit * value(starts(g.querySelector(".median"))[0][0]),
			perPx: unit * value.perPx,
		};
	});
};

globalThis.stageBars = () => {
	const value = inverse("fig-stages", "x"), bars = {};
	const unit = document.querySelector("#fig-stages .unit").textContent === "minutes" ? 60 : 1;
	for (const g of document.querySelectorAll("#fig-stages g[data-row]")) {
		const bar = bars[g.dataset.row] = {};
		for (const s of g.querySelectorAll("g[data-stage] > rect"))
			bar[s.parentNode.dataset.stage] = unit * (value(+s.getAttribute("width")) - value(0));
	}
	return bars;
};

const channels = (text) => text.match(/[\d.]+/g).map(Number);
globalThis.luminance = (text) => {
	const [r, g, b] = channels(text).slice(0, 3).map((v) => {
		const c = v / 255;
		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
	const [x, y] = [luminance(a), luminance(b)];
	return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
};
const ground = (e) => {
	for (let at = e; at; at = at.parentElement) {
		const color = getComputedStyle(at).backgroundColor, c = channels(color);
		if (c.length === 3 || c[3] > 0.99)
			return color;
	}
	return "rgb(255, 255, 255)";
};
const ownText = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());

/* Text on what it stands on: in a stage's bar its rectangle, in a plot also the band. */
globalThis.poorText = () => {
	const poor = new Set();
	for (const e of document.body.querySelectorAll("*")) {
		if (!ownText(e) || ["SCRIPT", "STYLE", "title", "desc"].includes(e.tagName))
			continue;
		const svg = e.namespaceURI.endsWith("svg"), style = getComputedStyle(e);
		const color = svg ? style.fill : style.color;
		let on = ground(e);
		if (e.classList.contains("in"))
			on = getComputedStyle(e.parentNode.querySelector("rect")).fill;
		if (contrast(color, on) < 4.5)
			poor.add(`${e.tagName}.${e.getAttribute("class")} ${color} on ${on}`);
	}
	return [...poor];
};
globalThis.poorMarks = () => {
	const poor = new Set();
	const probe = document.querySelector("rect.band") || document.body;
	const band = probe === document.body ? ground(probe) : getComputedStyle(probe).fill;
	for (const e of document.querySelectorAll("svg .mark, svg .mean, svg .ci, svg .box, svg .st, svg .cross, svg .zero"))
		for (const on of [ground(e), band]) {
			const color = getComputedStyle(e).stroke, alpha = +getComputedStyle(e).strokeOpacity;
			const [c, g] = [channels(color), channels(on)];
			const seen = `rgb(${c.slice(0, 3).map((v, i) => alpha * v + (1 - alpha) * g[i]).join(", ")})`;
			if (contrast(seen, on) < 3)
				poor.add(`${e.getAttribute("class")} ${seen} on ${on}`);
		}
	return [...poor];
};

globalThis.tooWide = () => [...document.body.querySelectorAll("*")]
	.filter((e) => !e.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 0.5)
	.slice(0, 5).map((e) => e.outerHTML.slice(0, 200));

const scrolls = () => [...document.querySelectorAll(".scroll")];
globalThis.scrollLabels = () => scrolls().filter((e) => !e.closest("details:not([open])"))
	.map((e) => e.getAttribute("aria-label"));
globalThis.focused = () => {
	const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
	const i = scrolls().indexOf(e);
	return {
		what: e.tagName,
		text: e.textContent.trim().slice(0, 60),
		ring: e === document.body || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2),
		shown: box.left >= 0 && box.top >= 0 && box.width > 10,
		scroll: i < 0 ? null : i,
	};
};

/* Classes of sets that are dimmed, and that are not. */
globalThis.dimmed = () => {
	const sets = [new Set(), new Set()];
	for (const e of document.querySelectorAll("#plots svg [data-set]"))
		sets[e.classList.contains("dim") ? 0 : 1].add(e.dataset.set);
	return sets.map((s) => [...s].sort());
};

/* What no reader should meet: words for numbers, coordinates that are none, marks outside. */
globalThis.unreadable = () => {
	const bad = [];
	if (/\b(nan|inf|infinity|undefined|null)\b/i.test(document.body.innerText))
		bad.push("text: " + document.body.innerText.match(/.*\b(nan|inf|infinity|undefined|null)\b.*/i)[0]);
	for (const e of document.querySelectorAll("data"))
		if (e.value === "" || !Number.isFinite(Number(e.value)))
			bad.push(e.outerHTML);
	for (const svg of document.querySelectorAll("figure svg")) {
		const { width, height } = svg.viewBox.baseVal;
		for (const e of svg.querySelectorAll("path, rect, text")) {
			const b = e.getBBox();
			if (!(b.x >= -6 && b.y >= -6 && b.x + b.width <= width + 6 && b.y + b.height <= height + 6))
				bad.push(`${svg.getAttribute("aria-labelledby")}: ${e.outerHTML.slice(0, 150)}`);
		}
	}
	return bad.slice(0, 5);
};
undefined;
