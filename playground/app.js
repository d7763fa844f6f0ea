/* app.js - the page: text and sliders to runs, runs to pictures. */
"use strict";

const byId = (id) => document.getElementById(id);
const isDark = () => document.documentElement.dataset.theme === "dark";
const workerAddress = URL.createObjectURL(new Blob([keelWorkerText], {type: "text/javascript"}));
const typingPause = 300, settledPause = 350; /* ms */

const page = {
    name: "model", files: {}, shown: new Set(), drifts: new Set(), known: "", results: new Results(), last: null, csv: null,
    ran: "", gentle: false, scene: null, checker: null, runner: null, pending: null, running: null, timer: 0, settle: 0,
};

/* Links ------------------------------------------------------------------------------------------------- */

function toLink(model) {
    const bytes = new TextEncoder().encode(JSON.stringify(model));
    const text = btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
    return "#m=" + text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/* null: the link holds no model. */
function fromLink(hash) {
    const named = hash.match(/^#example=(\w+)$/);
    if (named) return keelExamples.find((one) => one.name === named[1]) || null;
    if (!hash.startsWith("#m=")) return null;
    try {
        const bytes = Uint8Array.from(atob(hash.slice(3).replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
        const model = JSON.parse(new TextDecoder().decode(bytes));
        return typeof model.text === "string" ? model : null;
    } catch {
        return null;
    }
}

function share() {
    const link = location.href.replace(/#.*/, "") + toLink({name: page.name, text: editor.text, values: sliders.values, files: page.files});
    history.replaceState(null, "", link);
    byId("link").value = link;
    byId("copied").textContent = "";
    byId("share-dialog").showModal();
    byId("link").select();
    if (navigator.clipboard)
        navigator.clipboard.writeText(link).then(() => { byId("copied").textContent = "Copied."; }, () => {});
}

function save(name, parts, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(parts, {type}));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/* Files beside the model: tables that it reads, parts that it imports. */

function showFiles() {
    const names = Object.keys(page.files);
    byId("files").textContent = names.length ? `Beside it: ${names.join(", ")}` : "";
}

async function addFiles(list) {
    for (const file of list) page.files[file.name.replace(/[^\w.-]/g, "_")] = await file.text();
    showFiles();
    const found = await check();
    if (found && found.exit === 0) run({});
}

/* Checking ---------------------------------------------------------------------------------------------- */

const fileName = () => `${page.name.replace(/[^\w-]/g, "_") || "model"}.keel`;

async function check() {
    const text = editor.text;
    const done = await page.checker.run({command: "check", words: ["--json", fileName()], name: fileName(), text, files: page.files});
    if (!done || text !== editor.text) return null;
    let found;
    try {
        found = JSON.parse(done.out);
    } catch {
        found = {exit: 1, diagnostics: [{severity: "error", message: done.err.replace(/^keel: /, "") || "keel gave no answer"}]};
    }
    if (!found.diagnostics.length && found.exit) found.diagnostics = [{severity: "error", message: found.message}];
    editor.show(found.diagnostics);
    showMessages(byId("messages"), found.diagnostics, text, (line, column) => editor.go(line, column));
    if (found.exit !== 0) outdated("Not run: the model has a mistake.");
    else if (!byId("live").checked && text !== page.ran) outdated("The model has changed: Run, or Ctrl+Enter.");
    return found;
}

/* What is shown belongs to another text than the one in the editor: nobody shall take it for this one's. */
function outdated(words) {
    if (page.runner.busy) return;
    document.querySelector("main").classList.toggle("outdated", page.results.t.length > 0);
    const more = page.results.t.length ? " Pictures and certificate are those of the run before." : "";
    showVerdict(byId("verdict"), {status: "other", message: words + more});
}

/* The text rules: what the sliders had changed is forgotten. */
function changed() {
    clearTimeout(page.timer);
    sliders.values = {};
    page.timer = setTimeout(async () => {
        const found = await check();
        if (found && found.exit === 0 && byId("live").checked) run({});
    }, typingPause);
}

/* Running ----------------------------------------------------------------------------------------------- */

/* quick: while a slider moves, without the rerun that measures accuracy; with fewer rows where the way turns little
 * from one to the next, since most of the time goes into rows. */
async function run({quick = false}) {
    const text = editor.text, name = fileName(), results = new Results();
    const words = ["--json", "--interpret", "--out", "/dev/rows.csv", ...sliders.words(), name];
    if (quick) words.push("--accuracy", "no");
    if (quick && page.gentle && !/^\s*options\b.*\b(every|at|steps.out)\b/m.test(text)) words.push("--points", "400");
    page.running = {quick};
    byId("stop").disabled = false;
    byId("command").textContent = ["keel run", name, ...sliders.words().map((one) => (one === "--set" ? one : `"${one}"`))].join(" ");
    const done = await page.runner.run({command: "run", words, name, text, files: page.files, keep: !quick, rows: (rows) => {
        results.add(rows);
        if (!quick) follow(results);
    }});
    if (!done) return; /* stopped: whoever did it tells */
    page.running = null;
    byId("stop").disabled = true;
    finish(done, results, quick, text);
    if (page.pending) {
        const next = page.pending;
        page.pending = null;
        run(next);
    }
}

/* A run that has taken so long shows what there is. */
let followed = 0;
function follow(results) {
    const now = performance.now();
    if (now - followed < 120) return;
    followed = now;
    page.results = results;
    page.partly = true; /* what is worth showing is not known yet */
    draw();
}

function finish(done, results, quick, text) {
    let result;
    try {
        result = JSON.parse(done.out);
    } catch {
        result = {status: "failed", message: done.err.replace(/^keel: /, "") || "keel gave no answer"};
    }
    const mistake = result.status === "failed" && (result.diagnostics || []).find((one) => one.severity === "error");
    if (mistake) result.message = mistake.message;
    page.last = result;
    page.ran = text;
    document.querySelector("main").classList.remove("outdated");
    page.memory = done.memory;
    page.seconds = done.seconds;
    if (results.names.length) page.results = results;
    if (page.partly) [page.partly, page.known] = [false, ""];
    if (!quick) page.csv = done.csv.length ? done.csv : null;
    byId("save-rows").disabled = !page.csv;
    if (result.parameters) {
        const base = {...result.parameters};
        for (const name of Object.keys(sliders.values)) base[name] = sliders.base[name] ?? base[name];
        sliders.show(base, text);
    }
    byId("model-name").textContent = result.model || "Model";
    if (!quick || result.status === "failed") showVerdict(byId("verdict"), result);
    if (result.kept && !quick) showCertificate(byId("certificate"), result, done.seconds);
    draw();
    if (!quick) page.gentle = results.t.length > 800 && results.parts(byId("phase-x").value, byId("phase-y").value) === 1;
    page.runs = (page.runs || 0) + 1;
    document.body.dataset.runs = String(page.runs);
}

function stop() {
    page.pending = null;
    clearTimeout(page.settle);
    if (!page.runner.busy) return;
    page.runner.stop();
    page.running = null;
    byId("stop").disabled = true;
    const t = page.results.t, where = t.length ? ` at t = ${sayNumber(t[t.length - 1], 4)}` : "";
    showVerdict(byId("verdict"), {status: "failed", message: `Stopped${where}.`});
    document.body.dataset.stopped = "yes";
}

/* The latest position of a slider runs as soon as the run before it has ended; when it rests, a full one does. */
function slid(settled) {
    clearTimeout(page.settle);
    if (settled) page.settle = setTimeout(() => run({}), settledPause);
    else if (page.runner.busy && page.running && page.running.quick) page.pending = {quick: true};
    else run({quick: true});
}

/* Drawing ----------------------------------------------------------------------------------------------- */

function newColumns(names) {
    page.known = names.join("\n");
    page.shown = firstColumns(names, page.results.columns);
    const [x, y] = firstPhase(names, page.results.columns);
    for (const [id, value] of [["phase-x", x], ["phase-y", y]])
        byId(id).replaceChildren(...["t", ...names].map((name) => new Option(name, name, name === value, name === value)));
}

function drawDrifts(results, result) {
    const rows = ((result && result.kept) || []).filter((row) => results.columns[`drift.${row.name}`]);
    byId("drift-card").hidden = rows.length === 0;
    if (!rows.length) return;
    const names = rows.map((row) => row.name);
    if (![...page.drifts].some((name) => names.includes(name))) page.drifts = new Set([...rows]
        .sort((a, b) => (b.scaled_drift || 0) - (a.scaled_drift || 0)).slice(0, 6).map((row) => row.name));
    const x = results.times, curves = rows.filter((row) => page.drifts.has(row.name)).map((row, i) => {
        const unit = row.scaled_drift > 0 ? row.max_drift / row.scaled_drift : 1;
        const y = results.columns[`drift.${row.name}`].map((one) => Math.log10(Math.max(Math.abs(one) / unit, 0.1)));
        return {name: row.name, x, y, color: plotColor(i)};
    });
    driftPlot.show({curves, log: true, decades: results.decades});
    legend(byId("drift-legend"), names, page.drifts, plotColor, draw);
}

function drawField(results, names) {
    const arrays = fieldArrays(names), choice = byId("field-of");
    byId("field-card").hidden = arrays.length === 0;
    if (!arrays.length) return;
    if ([...choice.options].map((one) => one.value).join("\n") !== arrays.map((one) => one.name).join("\n"))
        choice.replaceChildren(...arrays.map((one) => new Option(one.name, one.name)));
    const {columns} = arrays.find((one) => one.name === choice.value) || arrays[0];
    fieldPlot.show(results.t, columns.map((name) => results.columns[name]));
}

const isMechanics = (result) => Boolean(result) &&
    (result.degrees_of_freedom !== undefined || (result.kept || []).some((row) => row.name === "energy"));

function drawScene(results, result) {
    const mechanics = isMechanics(result);
    const constrained = ((result && result.kept) || []).some((row) => row.kind === "constraint");
    const run = {t: results.t, columns: results.columns, constrained};
    const again = page.scene && mechanics && page.scene.show(run);
    if (!again) page.scene = mechanics && results.t.length > 1 ? keelScene(byId("scene"), run) : null;
    byId("stage").hidden = !page.scene;
    document.querySelector("main").classList.toggle("moving", Boolean(page.scene));
}

function draw() {
    const results = page.results, names = results.values(), result = page.last;
    if (!names.length || !results.t.length) return;
    if (names.join("\n") !== page.known) newColumns(names);
    const chosen = [...page.shown].filter((name) => results.columns[name]);
    const marks = ((result && result.events) || []).map((one) => ({t: results.time(one.t), name: one.name}));
    const x = results.times;
    timePlot.show({curves: chosen.map((name, i) => ({name, x, y: results.columns[name], color: plotColor(i)})),
        marks, bands: results.bands(), decades: results.decades});
    legend(byId("legend"), names.slice(0, 120), page.shown, plotColor, draw);
    const across = byId("phase-x").value, up = byId("phase-y").value;
    phasePlot.show({curves: [{name: up, ...results.way(across, up), color: plotColor(0)}], across, path: true,
        equal: isMechanics(result) && mechanismPoints([across, up]).length > 0});
    drawField(results, names);
    drawDrifts(results, result);
    drawScene(results, result);
}

/* The page ---------------------------------------------------------------------------------------------- */

async function openModel(model) {
    stop();
    page.name = model.name || "model";
    page.files = {...(model.files || {})};
    showFiles();
    editor.text = model.text;
    sliders.values = {...(model.values || {})};
    sliders.base = {};
    sliders.key = "";
    page.last = null;
    page.known = "";
    page.drifts = new Set();
    byId("model-name").textContent = page.name;
    document.querySelectorAll("dialog").forEach((one) => one.close());
    check();
    await run({});
}

function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    if (page.results.t.length) draw();
}

function keys(event) {
    if (!(event.ctrlKey || event.metaKey)) return;
    if (event.key === "Enter") run({});
    else if (event.key === "s") byId("save-model").click();
    else if (event.key === ".") stop();
    else return;
    event.preventDefault();
}

const editor = new Editor(byId("editor"), byId("copy"), changed);
const sliders = new Sliders(byId("sliders"), byId("slider-list"), byId("reset"), slid);
const timePlot = new Plot(byId("time-plot")), phasePlot = new Plot(byId("phase-plot")), driftPlot = new Plot(byId("drift-plot"));
const fieldPlot = new Field(byId("field-plot"));

byId("run").addEventListener("click", () => run({}));
byId("stop").addEventListener("click", stop);
byId("share").addEventListener("click", share);
byId("save-model").addEventListener("click", () => save(fileName(), [editor.text], "text/plain"));
byId("save-rows").addEventListener("click", () => save(fileName().replace(/keel$/, "csv"), page.csv, "text/csv"));
byId("add-file").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", () => addFiles(byId("file").files));
byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
byId("open-gallery").addEventListener("click", () => {
    byId("search").value = "";
    showGallery(byId("gallery-list"), "", openModel);
    byId("gallery").showModal();
});
byId("search").addEventListener("input", () => showGallery(byId("gallery-list"), byId("search").value, openModel));
document.querySelectorAll("[data-close]").forEach((one) => one.addEventListener("click", () => one.closest("dialog").close()));
["phase-x", "phase-y", "field-of"].forEach((id) => byId(id).addEventListener("change", draw));
document.addEventListener("keydown", keys);
addEventListener("hashchange", () => {
    const model = fromLink(location.hash);
    if (model) openModel(model);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));

async function begin() {
    setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const first = fromLink(location.hash) || keelExamples[0];
    editor.text = first.text;
    const packed = Uint8Array.from(atob(keelWasm), (one) => one.charCodeAt(0));
    const plain = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
    const module = await WebAssembly.compile(await plain.arrayBuffer());
    page.runner = new Engine(module);
    page.checker = new Engine(module);
    openModel(first);
}
begin();
