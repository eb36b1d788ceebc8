"use strict";
// The page of a run. The data are one JSON text in the page; the steps of a variant are in a
// compressed block, which is read when somebody opens the variant.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const ROW = 46; // pixels; page.css has the same number
const EXPECTED = new Set(["PASS", "XFAIL", "SKIP"]);
const VERDICTS = ["PASS", "FAIL", "XFAIL", "XPASS", "SKIP", "INVALID", "ERROR"];
const TABS = ["variants", "clauses", "coverage", "help"];
const CELLS = 12; // runs that a row of the list shows
const LOOK = {
	PASS: ["good", "P"], FAIL: ["bad", "F"], XFAIL: ["known", "x"], XPASS: ["bad", "X"],
	SKIP: ["none", "s"], INVALID: ["bad", "I"], ERROR: ["bad", "E"],
};
const WORDS = {
	PASS: "passed", FAIL: "failed", XFAIL: "failed as expected", XPASS: "passed unexpectedly",
	SKIP: "skipped", INVALID: "could not be observed", ERROR: "not carried out",
};

// An element with a class, a text, and children. Texts are never read as HTML.
function make(tag, name, text, ...children) {
	const e = document.createElement(tag);
	if (name) e.className = name;
	if (text !== undefined && text !== null) e.textContent = text;
	e.append(...children);
	return e;
}

function verdictMark(verdict, tag = "span") {
	const look = LOOK[verdict] || ["none", "-"];
	return make(tag, "verdict " + look[0], verdict || "unfinished");
}

function cell(verdict, where) {
	const look = LOOK[verdict] || ["none", "·"];
	const e = make("span", "cell " + look[0], look[1]);
	e.title = where + ": " + (WORDS[verdict] || "not run");
	return e;
}

// A time for people; the space does not break.
function time(us) {
	if (us < 1000) return us + "\u00a0µs";
	return us < 1e7 ? Math.round(us / 1000) + "\u00a0ms" : (us / 1e6).toFixed(1) + "\u00a0s";
}

// --- the rows -------------------------------------------------------------------------

function placeOf(s) {
	if (!s) return "";
	return `${s.shard ? `shard ${s.shard.number} of ${s.shard.of}, ` : ""}kernel ${s.kernel}, ${s.layout ? s.layout + " layout, " : ""}${s.lane} lane, ` +
		`rdma-core ${s.rdma_core}, target ${s.target}`;
}

const runs = data.runs.concat([{ place: placeOf(data.summary), ended: "" }]);
const rows = data.rows.map((row, number) => {
	const seq = data.runs.map((run) => run.verdicts[row.name] || "");
	seq.push(row.verdict || "");
	return {
		...row, number, seq,
		findings: row.findings || [], reason: row.reason || "",
		ended: row.ended || (row.verdict ? "clean" : "unfinished"),
		text: [row.name, row.title, row.reason].join("\n").toLowerCase(),
	};
});

// --- the query ------------------------------------------------------------------------

function isExpected(verdict) {
	return EXPECTED.has(verdict);
}

function before(row) {
	return row.seq.length > 1 ? row.seq[row.seq.length - 2] : "";
}

const IS = {
	bad: (row) => !isExpected(row.verdict),
	different: (row) => row.seq.some((v) => v && v !== (row.verdict || "")),
	new: (row) => row.seq.slice(0, -1).every((v) => !v),
	mended: (row) => before(row) && !isExpected(before(row)) && isExpected(row.verdict),
	slower: (row) => row.before_ms !== undefined,
	infrastructure: (row) => row.verdict === "INVALID" || row.verdict === "ERROR",
	worse: (row) => before(row) && before(row) !== row.verdict &&
		((isExpected(before(row)) && !isExpected(row.verdict)) || before(row) === "PASS"),
};

const TERMS = {
	verdict: (row, words) => words.some((w) => w === (row.verdict || "none").toLowerCase()),
	is: (row, words) => words.every((w) => IS[w](row)),
	clause: (row, words) => row.clauses.some((c) => words.some((w) => c.toLowerCase().startsWith(w))),
	finding: (row, words) => row.findings.some((f) => words.includes(f.toLowerCase())),
	layer: (row, words) => row.findings.some((f) =>
		words.includes(((data.findings[f] || {}).layer || "").toLowerCase())),
	area: (row, words) => words.some((w) => row.name.toLowerCase().startsWith(w + "/")),
	ended: (row, words) => words.includes(row.ended),
};

function sequence(words) {
	const fits = (verdict, word) => word === "bad" ? verdict && !isExpected(verdict) :
		word === "ok" ? isExpected(verdict) : (verdict || "none").toLowerCase() === word;
	return (row) => row.seq.some((_, i) => i + words.length <= row.seq.length &&
		words.every((word, k) => fits(row.seq[i + k], word)));
}

// One term of the query as a function of a row, or a text that says what is wrong with it.
function term(token) {
	const seq = /^seq\(([^)]*)\)$/.exec(token);
	if (seq) return sequence(seq[1].trim().split(/\s+/));
	const pair = /^([a-z]+):(.*)$/.exec(token);
	if (!pair || !pair[2]) {
		const word = token.replace(/^"|"$/g, "");
		return (row) => row.text.includes(word);
	}
	if (!Object.hasOwn(TERMS, pair[1])) return `no term is called ${pair[1]}:`;
	const words = pair[2].replace(/"/g, "").split(",");
	if (pair[1] === "is" && words.some((w) => !Object.hasOwn(IS, w)))
		return `is: takes ${Object.keys(IS).join(", ")}`;
	return (row) => TERMS[pair[1]](row, words);
}

// The rows that fit, and what is wrong with the query.
function search(query) {
	const tests = [];
	for (const [, minus, token] of query.toLowerCase().matchAll(/(-?)(seq\([^)]*\)|[a-z]+:"[^"]*"|"[^"]*"|\S+)/g)) {
		const test = term(token);
		if (typeof test === "string") return { wrong: test, found: [] };
		tests.push(minus ? (row) => !test(row) : test);
	}
	return { wrong: "", found: rows.filter((row) => tests.every((test) => test(row))) };
}

// --- the list -------------------------------------------------------------------------

const state = { query: "", chosen: -1, tab: "variants", found: rows, at: -1 };
let drawn = null; // what the list shows: redrawing the same would take the rows away below the mouse

function optionOf(row, index) {
	const e = make("div", "option");
	const cells = make("span", "cells");
	const from = Math.max(0, runs.length - CELLS);
	if (runs.length > 1)
		for (let i = from; i < runs.length; i++) cells.append(cell(row.seq[i], runs[i].place || "this run"));
	else cells.append(make("span", "quiet", row.took_ms === undefined ? "" : time(row.took_ms * 1000)));
	e.append(verdictMark(row.verdict), make("span", "", null, make("span", "name", row.name), make("span", "title", row.title)), cells);
	e.id = "o" + row.number;
	e.style.top = index * ROW + "px";
	e.setAttribute("role", "option");
	e.setAttribute("aria-setsize", state.found.length);
	e.setAttribute("aria-posinset", index + 1);
	e.setAttribute("aria-selected", row.number === state.chosen);
	e.addEventListener("click", () => choose(index, true));
	return e;
}

// Only the rows that can be seen are in the document.
function drawList() {
	const list = $("list");
	const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
	const last = Math.min(state.found.length, first + Math.ceil(list.clientHeight / ROW) + 10);
	const now = [state.found, first, last, state.chosen];
	if (drawn && now.every((v, i) => v === drawn[i])) return;
	drawn = now;
	const options = [];
	for (let i = first; i < last; i++) options.push(optionOf(state.found[i], i));
	$("space").style.height = state.found.length * ROW + "px";
	$("space").replaceChildren(...options);
	if (state.at >= first && state.at < last) list.setAttribute("aria-activedescendant", "o" + state.found[state.at].number);
	else list.removeAttribute("aria-activedescendant");
}

function showRow(index) {
	const list = $("list");
	if (index * ROW < list.scrollTop) list.scrollTop = index * ROW;
	else if ((index + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (index + 1) * ROW - list.clientHeight;
}

function choose(index, remember) {
	const row = state.found[index];
	if (!row) return;
	state.at = index;
	state.chosen = row.number;
	showRow(index);
	drawList();
	drawDetail(row);
	keepState(remember);
}

function refresh() {
	const { wrong, found } = search(state.query);
	state.found = found;
	state.at = found.findIndex((row) => row.number === state.chosen);
	$("found").textContent = wrong || `${found.length} of ${rows.length} variants`;
	$("query").setAttribute("aria-invalid", wrong ? "true" : "false");
	$("list").scrollTop = 0;
	if (state.at >= 0) showRow(state.at);
	drawList();
	if (state.tab === "clauses") drawClauses();
}

// --- one variant ----------------------------------------------------------------------

const blocks = new Map();

async function evidenceOf(row) {
	const number = Math.floor(row.number / data.block);
	if (!blocks.has(number)) {
		const bytes = Uint8Array.from(atob(data.blocks[number]), (c) => c.charCodeAt(0));
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
		blocks.set(number, JSON.parse(await new Response(stream).text()));
	}
	return blocks.get(number)[row.number % data.block];
}

function wide(cells, name, ...content) {
	const td = make("td", "", null, ...content);
	td.colSpan = cells;
	return make("tr", name, null, make("td"), td);
}

// A command for a terminal, and a button that copies it. Where the browser forbids that, the command is selected.
function command(text) {
	const code = make("code", "", text);
	const copy = make("button", "copy", "copy");
	copy.type = "button";
	copy.setAttribute("aria-label", "copy " + text);
	copy.addEventListener("click", () => {
		getSelection().selectAllChildren(code);
		const done = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject();
		done.then(() => { copy.textContent = "copied"; }, () => { copy.textContent = "selected"; });
	});
	return make("span", "command", null, code, " ", copy);
}

// The explanations of the codes in a text, by the argument of explain.
function codesIn(text, all = new Map()) {
	for (const [token, word] of text.matchAll(/(\w+)(?: \(-?\d+\))?/g))
		for (const key of [token, word])
			if (Object.hasOwn(data.explained, key)) all.set(data.explained[key].name, data.explained[key].text);
	return all;
}

function explanations(codes) {
	return [...codes].map(([name, text]) => make("div", "explain", null, command("verbatim explain " + quote(name)), make("div", "quiet", text)));
}

// Codes come first; without one, the step itself is explained.
function codesOf([, , , call, field, expected, actual]) {
	const codes = codesIn(expected, codesIn(actual));
	if (Object.hasOwn(data.explained, field)) codesIn(field, codes);
	return codes.size ? codes : codesIn(call);
}

// @explained are the codes that an earlier row explains; they are not explained again.
function failRow(fail, hosts, explained) {
	const [, line, host, call, field, expected, actual] = fail;
	const codes = [...codesOf(fail)].filter(([name]) => !explained.has(name));
	for (const [name] of codes) explained.add(name);
	return wide(hosts.length, "fail", make("strong", "bad", "failed"),
		` line ${line}, ${host}.${call}, ${field}: expected ${expected}, got ${actual}`, ...explanations(codes));
}

function stepRow(step, hosts) {
	const [, line, host, call, args, answer, us, ok, fragment, round] = step;
	const tr = make("tr", "");
	const head = make("th", "", "line " + line);
	head.scope = "row";
	tr.append(head);
	for (const h of hosts) {
		const td = make("td");
		if (h === host) {
			td.append(make("span", "call", call), " ", make("code", "quiet", args === "{}" ? "" : args));
			if (round) td.append(make("span", "quiet", ` (${round})`));
			td.append(make("br"), ok ? "→ " : "✗ ", make("span", ok ? "" : "bad", answer === "null" ? "nothing came" : answer), make("span", "quiet", " " + time(us)));
			if (fragment) td.title = "from " + fragment;
		}
		tr.append(td);
	}
	return tr;
}

// A packet that a host sent and another received is one row, as in the ladder of the terminal.
function pairPackets(packets) {
	const rows = [];
	for (const [at, host, way, text, note] of packets) {
		let sent = rows.length;
		while (way === "in" && sent > 0 && (rows[sent - 1].to || rows[sent - 1].from === host || !rows[sent - 1].from || rows[sent - 1].text !== text)) sent--;
		if (way === "in" && sent > 0) Object.assign(rows[sent - 1], { to: host, notes: [...rows[sent - 1].notes, note] });
		else rows.push({ at, text, from: way === "out" ? host : "", to: way === "in" ? host : "", notes: [note] });
	}
	return rows;
}

function ladder(evidence) {
	const hosts = [...new Set(evidence.steps.map((s) => s[2]))].sort();
	const head = make("tr", "", null, make("th", "", "step"));
	const body = make("tbody");
	const packets = pairPackets(evidence.packets || []);
	const packetsBefore = (n) => {
		for (const p of packets.filter((p) => p.at === n))
			body.append(wide(hosts.length, "packet", make("strong", p.to ? "quiet" : "bad", `${p.from} ${p.to ? "→" : "⇥ lost"} ${p.to}`.trim()), " ", make("code", "", p.text), ...p.notes.filter(Boolean).map((note) => ` (${note})`)));
	};
	const leftOut = (n) => {
		if (evidence.left_out && n === evidence.left_out[0])
			body.append(wide(hosts.length, "quiet", `${evidence.left_out[1]} steps are left out here; the folder of --output has them`));
	};
	const kernelBefore = (n) => {
		for (const [at, text, bad, known] of evidence.kernel.filter((k) => k[0] === n))
			body.append(wide(hosts.length, "kernel", make("strong", bad ? "bad" : "quiet", "kernel"), " " + text + (known ? ` (finding ${known})` : "")));
	};
	for (const h of hosts) {
		const th = make("th", "", "host " + h);
		th.scope = "col";
		head.append(th);
	}
	head.firstChild.scope = "col";
	const told = new Set(), explained = new Set();
	evidence.steps.forEach((step, i) => {
		leftOut(i);
		packetsBefore(i);
		kernelBefore(i);
		body.append(stepRow(step, hosts));
		evidence.fails.forEach((fail, k) => {
			if (fail[0] !== step[0] || told.has(k)) return;
			told.add(k);
			body.append(failRow(fail, hosts, explained));
		});
	});
	packetsBefore(evidence.steps.length);
	kernelBefore(evidence.steps.length);
	evidence.fails.forEach((fail, k) => told.has(k) || body.append(failRow(fail, hosts, explained)));
	const table = make("table", "ladder", null, make("caption", "quiet", "What each host did, in order"), make("thead", "", null, head), body);
	return table;
}

function clauseList(row) {
	const dl = make("dl");
	for (const id of row.clauses) {
		const clause = data.clauses[id] || {};
		const link = make("a", "", id);
		link.href = "#" + new URLSearchParams({ q: "clause:" + id });
		dl.append(make("dt", "", null, link), make("dd", "", null, clause.statement || "the suite that made this page does not have the clause",
			make("div", "quiet", clause.source || "")));
	}
	return dl;
}

function findingList(row) {
	const dl = make("dl");
	for (const name of row.findings) {
		const f = data.findings[name] || {};
		const more = [f.layer && "layer " + f.layer, f.severity, f.measured && "measured on " + f.measured, f.reported && "reported: " + f.reported];
		dl.append(make("dt", "", name), make("dd", "", null, f.what || "the suite that made this page does not have the finding",
			make("div", "quiet", more.filter(Boolean).join("; "))));
	}
	return dl;
}

function drawHistory(row) {
	const body = make("tbody");
	runs.forEach((run, i) => {
		body.append(make("tr", "", null, verdictMark(row.seq[i] || "not run", "td"), make("td", "", run.place || "this run"), make("td", "quiet", run.ended)));
	});
	return make("table", "", null, body);
}

function quote(s) {
	return /^[\w./@%+=:,-]+$/.test(s) ? s : "'" + s.replace(/'/g, "'\\''") + "'";
}

// The right half while no variant is chosen.
function drawNothing() {
	const bad = rows.filter(IS.bad).length;
	const said = make("p", "", rows.length === 0 ? "The run has no variants." : bad ? `${bad} of ${rows.length} variants are not as expected: ` :
		"All variants are as expected.");
	if (bad) {
		const link = make("a", "", "is:bad");
		link.href = "#" + new URLSearchParams({ q: "is:bad" });
		said.append(link);
	}
	$("detail").replaceChildren(said, make("p", "quiet", "Click a variant, or press ↓ in the list, to see what each host did, the words of its clauses and its verdict in each run."));
}

async function drawDetail(row) {
	const detail = $("detail");
	const parts = [make("h2", "", row.name), make("p", "", row.title),
		make("p", "", null, verdictMark(row.verdict), ` ${row.took_ms === undefined ? "" : "in " + time(row.took_ms * 1000)}${row.before_ms === undefined ? "" : " (" + time(row.before_ms * 1000) + " in the run before)"}, ended: ${row.ended}`)];
	if (row.reason) parts.push(make("pre", "", row.reason));
	for (const text of row.left || []) parts.push(make("p", "bad", "Left behind: " + text));
	if (row.path) parts.push(make("p", "", null, command(`verbatim run ${quote(row.path)} --filter ${quote(row.name)}`)));
	const steps = make("div", "", null, make("p", "quiet", "reading the steps…"));
	parts.push(make("h3", "", "Steps"), steps);
	if (row.findings.length) parts.push(make("h3", "", "Findings"), findingList(row));
	if (row.clauses.length) parts.push(make("h3", "", "Clauses"), clauseList(row));
	if (runs.length > 1) parts.push(make("h3", "", "In each run"), drawHistory(row));
	detail.replaceChildren(...parts);
	detail.scrollTop = 0;
	try {
		const evidence = await evidenceOf(row);
		steps.replaceChildren(evidence.steps.length || evidence.fails.length || evidence.kernel.length ? ladder(evidence) : make("p", "quiet", "No step was carried out."));
		for (const [host, text] of Object.entries(evidence.logs))
			steps.append(make("details", "", null, make("summary", "", "output on host " + host), make("pre", "", text)),
				...explanations(isExpected(row.verdict) ? [] : codesIn(text)));
	} catch (error) {
		steps.replaceChildren(make("p", "bad", "This browser cannot read the steps: " + error));
	}
}

// --- mutants: stacks that break one promise -------------------------------------------

// {CLAUSE: {names, excused}} of the suite, and what "make check-mutants" said of a name, if the page has that.
const mutantsOf = new Map();
for (const [name, clauses] of data.mutants || [])
	for (const id of clauses) {
		const m = mutantsOf.get(id) || { names: [], excused: false };
		if (name) m.names.push(name);
		else m.excused = true;
		mutantsOf.set(id, m);
	}
const tried = data.given.tried;
const survived = (names) => names.filter((name) => tried && tried[name] === false);
const killed = (names) => names.filter((name) => tried && tried[name] === true);

function mutantCell(id) {
	const m = mutantsOf.get(id);
	if (!m) return make("td", "quiet", "none");
	if (m.names.length === 0) return make("td", "quiet", "none can break it");
	const lost = survived(m.names);
	const td = make("td", "", `${m.names.length}${tried ? `, ${killed(m.names).length} killed` : ""}`);
	if (lost.length) td.append(make("div", "bad", "survived: " + lost.join(", ")));
	td.title = m.names.join(", ");
	return td;
}

function headOf(texts) {
	const tr = make("tr");
	for (const text of texts) {
		const th = make("th", "", text);
		th.scope = "col";
		tr.append(th);
	}
	return make("thead", "", null, tr);
}

function areaRow(area, ids, shown, failed) {
	const names = new Set(ids.flatMap((id) => (mutantsOf.get(id) || { names: [] }).names));
	const list = [...names];
	const cells = [ids.length, ids.filter((id) => shown.has(id)).length, ids.filter((id) => failed.has(id)).length,
		ids.filter((id) => (mutantsOf.get(id) || { names: [] }).names.length).length, list.length];
	if (tried) cells.push(killed(list).length, survived(list).length);
	return make("tr", "", null, make("td", "", area), ...cells.map((n) => make("td", "", String(n))));
}

function drawCoverage() {
	const shown = new Set(rows.filter((r) => r.verdict === "PASS" || r.verdict === "XFAIL").flatMap((r) => r.clauses));
	const failed = new Set(rows.filter((r) => !isExpected(r.verdict)).flatMap((r) => r.clauses));
	const areas = Object.entries(data.areas || {});
	const heads = ["area", "clauses", "shown by this run", "not as expected", "with a mutant", "mutants"];
	if (tried) heads.push("killed", "survived");
	const parts = [make("h2", "", "Promises and mutants"),
		make("p", "", "A mutant is a stack that breaks one promise; it is killed if a scenario fails for it."),
		make("table", "", null, headOf(heads), make("tbody", "", null,
			...areas.map(([area, ids]) => areaRow(area, ids, shown, failed)),
			areaRow("all", areas.flatMap(([, ids]) => ids), shown, failed)))];
	if (data.given.code)
		parts.push(make("h2", "", "Code that the scenarios reach"), make("table", "", null,
			headOf(["part", "file", "lines", "functions"]), make("tbody", "", null,
				...data.given.code.map((row) => make("tr", "", null, ...row.map((text) => make("td", "", text)))))));
	$("coverage").replaceChildren(...parts);
}

// --- the clauses ----------------------------------------------------------------------

const RANK = ["", "SKIP", "PASS", "XFAIL", "XPASS", "INVALID", "ERROR", "FAIL"];

function drawClauses() {
	const of = new Map();
	for (const row of state.found)
		for (const id of row.clauses) {
			const worst = of.get(id) || runs.map(() => "");
			row.seq.forEach((v, i) => { if (RANK.indexOf(v) > RANK.indexOf(worst[i])) worst[i] = v; });
			of.set(id, worst);
		}
	const body = make("tbody");
	for (const id of [...of.keys()].sort()) {
		const link = make("a", "", id);
		link.href = "#" + new URLSearchParams({ q: "clause:" + id });
		const cells = make("td", "cells");
		of.get(id).forEach((v, i) => cells.append(cell(v, runs[i].place || "this run")));
		body.append(make("tr", "", null, make("td", "", null, link), cells, make("td", "", (data.clauses[id] || {}).statement || ""), mutantCell(id)));
	}
	const head = headOf(["clause", runs.length > 1 ? "worst verdict in each run" : "worst verdict", "what it says", "mutants"]);
	$("clauses").replaceChildren(make("h2", "", `${of.size} clauses of the listed variants`), make("table", "", null, head, body));
}

// --- the head of the page and its state -----------------------------------------------

function tally() {
	const counts = Object.fromEntries(VERDICTS.map((v) => [v, 0]));
	for (const row of rows) if (row.verdict) counts[row.verdict]++;
	return counts;
}

// Complaints of the kernel that findings describe are no alarm.
function drawKnown(complaints) {
	if (complaints.length === 0) return;
	$("known").append(make("summary", "", `${complaints.length} kernel message${complaints.length > 1 ? "s" : ""} while no variant ran, described by findings`),
		...complaints.map(([text, known]) => make("p", "quiet", `${text} (finding ${known})`)));
	$("known").hidden = false;
}

// The changes since the last run.
function drawChanges() {
	const last = data.runs[data.runs.length - 1];
	if (!last) return;
	const here = new Set(rows.map((row) => row.name));
	const gone = Object.keys(last.verdicts).filter((name) => !here.has(name)).length;
	$("changes").append("Against the run before: ");
	for (const [term, word] of [["worse", "worse"], ["mended", "mended"], ["new", "new"], ["slower", "slower"]]) {
		const link = make("a", "", `${rows.filter(IS[term]).length} ${word}`);
		link.href = "#" + new URLSearchParams({ q: "is:" + term });
		$("changes").append(link, ", ");
	}
	$("changes").append(`${gone} not run any more`);
}

// The meaning of the letters beside variants; only of those that are there.
function columnsText() {
	const from = Math.max(0, runs.length - CELLS);
	const seen = new Set(rows.flatMap((row) => row.seq.slice(from)));
	const letters = VERDICTS.filter((v) => seen.has(v)).map((v) => `${LOOK[v][1]} ${WORDS[v]}`);
	if (seen.has("")) letters.push("· not run");
	return `${from ? `The last ${CELLS} of ` : ""}${runs.length} runs, this run at the right: ${letters.join(", ")}`;
}

function drawHead() {
	const counts = tally();
	$("place").textContent = placeOf(data.summary);
	for (const v of VERDICTS) {
		if (!counts[v]) continue;
		const link = make("a", "", null, verdictMark(v), ` ${counts[v]} ${WORDS[v]}`);
		link.href = "#" + new URLSearchParams({ q: "verdict:" + v.toLowerCase() });
		$("counts").append(make("li", "", null, link));
	}
	if (!data.summary) $("alerts").append(make("p", "", "The run was broken off: it has no summary."));
	for (const text of data.errors) $("alerts").append(make("p", "", text));
	for (const [text, known] of data.kernel)
		if (!known) $("alerts").append(make("p", "", "kernel, while no variant ran: " + text));
	drawKnown(data.kernel.filter(([, known]) => known));
	if (data.no_texts) $("alerts").append(make("p", "", "The texts of clauses and findings are missing: " + data.no_texts));
	drawChanges();
	if (runs.length > 1) $("columns").textContent = columnsText();
	const wrong = data.summary && VERDICTS.filter((v) => counts[v] !== (data.summary.counts[v] || 0));
	if (wrong && rows.length !== data.summary.total) wrong.push("variants");
	$("check").textContent = !data.summary ? "There is no summary to compare the sums with." :
		wrong.length ? "The sums of this page and the run's own sums differ in: " + wrong.join(", ") :
		`The sums of this page are those of the run. verbatim ${data.version}, ${time(data.summary.took_ms * 1000)}`;
	if (wrong && wrong.length) $("alerts").append(make("p", "", $("check").textContent));
}

function keepState(remember) {
	const s = new URLSearchParams();
	if (state.query) s.set("q", state.query);
	if (state.tab !== "variants") s.set("tab", state.tab);
	if (state.chosen >= 0) s.set("v", rows[state.chosen].name);
	const url = "#" + s;
	if (url !== location.hash) history[remember ? "pushState" : "replaceState"](null, "", url);
}

function showTab(name) {
	state.tab = name;
	for (const tab of TABS) {
		$(tab).hidden = tab !== name;
		$("tab-" + tab).setAttribute("aria-pressed", tab === name);
	}
	if (name === "clauses") drawClauses();
	if (name === "coverage") drawCoverage();
	if (name === "variants") drawList();
}

function readState() {
	const s = new URLSearchParams(location.hash.slice(1));
	const tab = s.get("tab");
	state.query = s.get("q") || "";
	$("query").value = state.query;
	// Without a question, the first variant that needs a look is shown.
	const row = rows.find((r) => r.name === s.get("v")) || (s.has("v") || state.query ? undefined : rows.find(IS.bad));
	state.chosen = row ? row.number : -1;
	showTab(TABS.includes(tab) ? tab : "variants");
	refresh();
	if (row) drawDetail(row);
	else drawNothing();
}

function onListKey(event) {
	const page = Math.max(1, Math.floor($("list").clientHeight / ROW) - 1);
	const to = {
		ArrowDown: state.at + 1, ArrowUp: Math.max(0, state.at - 1), Home: 0, End: state.found.length - 1,
		PageDown: Math.min(state.found.length - 1, state.at + page), PageUp: Math.max(0, state.at - page),
	}[event.key];
	if (to !== undefined) choose(to, false);
	else if (event.key === "Enter") $("detail").focus();
	else return;
	event.preventDefault();
}

$("list").addEventListener("scroll", drawList);
$("list").addEventListener("keydown", onListKey);
$("query").addEventListener("input", () => {
	state.query = $("query").value;
	refresh();
	keepState(false);
});
$("form").addEventListener("submit", (event) => {
	event.preventDefault();
	if (state.tab === "variants") $("list").focus();
});
for (const tab of TABS)
	$("tab-" + tab).addEventListener("click", () => { showTab(tab); keepState(true); });
document.addEventListener("keydown", (event) => {
	if (event.key === "/" && document.activeElement !== $("query")) {
		event.preventDefault();
		$("query").focus();
	} else if (event.key === "Escape" && $("detail").contains(document.activeElement)) {
		$("list").focus();
	}
});
// All states of the page differ in the part of the address behind #, so this comes for "back", too.
window.addEventListener("hashchange", readState);
window.addEventListener("resize", drawList);
drawHead();
readState();
