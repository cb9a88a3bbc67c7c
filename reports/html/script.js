/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What only a script can add to a page that is whole without it: highlight a set, sort the boots,
 * copy a command. */
"use strict";
(() => {
	const make = (text, label) => {
		const b = document.createElement("button");
		b.type = "button";
		b.textContent = text;
		if (label)
			b.setAttribute("aria-label", label);
		return b;
	};

	/* A press dims all other sets in the plots of the same block; another press ends it. */
	for (const item of document.querySelectorAll("li[data-key]")) {
		const b = make("", null), list = item.parentElement;
		b.append(...item.childNodes);
		b.setAttribute("aria-pressed", "false");
		item.append(b);
		b.addEventListener("click", () => {
			const on = b.getAttribute("aria-pressed") !== "true";
			for (const other of list.querySelectorAll("button"))
				other.setAttribute("aria-pressed", String(on && other === b));
			for (let f = list.nextElementSibling; f && f.tagName === "FIGURE"; f = f.nextElementSibling)
				for (const part of f.querySelectorAll("svg [data-set]"))
					part.classList.toggle("dim", on && part.dataset.set !== item.dataset.key);
		});
	}

	/* By number where each cell has one, else by text; blanks stay last. */
	const value = (row, i) => {
		const cell = row.cells[i], data = cell.querySelector("data");
		const text = data ? data.value : cell.textContent.trim();
		return text === "-" ? null : text;
	};
	const order = (a, b) => {
		const x = Number(a), y = Number(b);
		return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, "en", { numeric: true }) : x - y;
	};
	const boots = document.getElementById("boot-list");
	if (boots) {
		const heads = [...boots.tHead.rows[0].cells], body = boots.tBodies[0];
		heads.forEach((head, i) => {
			const b = make(head.textContent, null);
			head.replaceChildren(b);
			b.addEventListener("click", () => {
				const down = head.getAttribute("aria-sort") === "ascending";
				const rows = [...body.rows].sort((r, s) => {
					const x = value(r, i), y = value(s, i);
					if (x === null || y === null)
						return (x === null) - (y === null);
					return down ? order(y, x) : order(x, y);
				});
				heads.forEach((h) => h.removeAttribute("aria-sort"));
				head.setAttribute("aria-sort", down ? "descending" : "ascending");
				body.append(...rows);
			});
		});
	}

	/* Where the clipboard is not to be had, the text is at least selected. */
	for (const pre of document.querySelectorAll("pre[data-copy]")) {
		const b = make("Copy", "Copy the command");
		b.className = "copy";
		pre.parentElement.before(b);
		b.addEventListener("click", async () => {
			getSelection().selectAllChildren(pre);
			try {
				await navigator.clipboard.writeText(pre.textContent);
				b.textContent = "Copied";
			} catch {
				b.textContent = "Selected";
			}
		});
	}
})();
