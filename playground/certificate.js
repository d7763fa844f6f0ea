/* certificate.js - what `keel run --json` tells, for people: the verdict, the kept rows, the facts. */
"use strict";

const roundOffUnits = 50; /* as in reports: what a correction that has arrived may leave */

function sayNumber(value, digits = 2) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(digits + 1))) : value.toExponential(digits - 1);
}

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

/* {words, kind, more}: one sentence, its colour, and what else is to be said. */
function verdictOf(result) {
    const kept = (result.kept || []).filter((row) => row.kind !== "watched" && row.kind !== "damped");
    const watched = (result.kept || []).filter((row) => row.kind === "watched" || row.kind === "damped");
    const worst = (rows) => rows.reduce((a, b) => ((b.scaled_drift || 0) > (a.scaled_drift || 0) ? b : a));
    const more = [];
    if (result.status === "failed") return {words: sentence(result.message), kind: "bad", more};
    if (result.status === "other") return {words: result.message, kind: "plain", more};
    if (result.status === "stopped" && result.message) more.push(`Stopped ${result.message}.`);
    else if (result.message) more.push(sentence(result.message));
    const accuracy = result.accuracy || {};
    if (accuracy.warning) more.push(sentence(accuracy.warning));
    let words, kind = "good";
    if (kept.length) {
        const row = worst(kept), held = row.scaled_drift <= roundOffUnits;
        words = held ? `Held to round-off: ${kept.length > 1 ? "no kept row drifts" : `${row.name} does not drift`} by more than ${sayNumber(row.scaled_drift)} round-offs.`
            : `Not at round-off: ${row.name} drifts by ${sayNumber(row.scaled_drift)} round-offs.`;
        if (!held) kind = "fair";
    } else if (watched.length) {
        const row = worst(watched);
        [words, kind] = [`${row.name} is watched and drifts by ${sayNumber(row.scaled_drift)} round-offs.`, "plain"];
    } else [words, kind] = ["The run is done. This model states nothing that must stay.", "plain"];
    if (accuracy.warning) kind = "fair";
    return {words, kind, more};
}

function accuracyWords(result) {
    const a = result.accuracy || {};
    if (a.cannot_tell) return `cannot be told: ${a.cannot_tell}`;
    if (a.value === null || a.value === undefined) return "not measured";
    const how = {reference: "against trusted digits", exact: "against the closed form", rerun: "by a tighter run"}[a.kind] || a.kind;
    const relative = a.rel === null || a.rel === undefined ? "" : `, ${sayNumber(a.rel)} of its size`;
    return `${sayNumber(a.value)} in ${a.worst}${relative} (${how})`;
}

function showVerdict(box, result) {
    const {words, kind, more} = verdictOf(result);
    box.className = `card ${kind}`;
    box.replaceChildren(...[words, ...more].map((one) => {
        const p = document.createElement("p");
        p.textContent = one;
        return p;
    }));
    if (result.accuracy && result.accuracy.value !== undefined) {
        const p = document.createElement("p");
        p.textContent = `Largest error: ${accuracyWords(result)}.`;
        box.append(p);
    }
}

function showCertificate(box, result, seconds) {
    const row = (one) => `<tr><td><code>${escapeHtml(one.name)}</code></td><td>${sayNumber(one.scaled_drift)}</td>` +
        `<td>${sayNumber(one.max_drift)}</td><td>${one.kind}</td></tr>`;
    const facts = [["method", `${result.method}+${result.stabilizer}${result.method_why ? `: ${result.method_why}` : ""}`],
        ["steps", `${result.steps}, ${result.rejected} rejected, ${result.evaluations} evaluations`],
        ["index", `${result.index}${result.degrees_of_freedom === undefined ? "" : `, ${result.degrees_of_freedom} degree${result.degrees_of_freedom === 1 ? "" : "s"} of freedom`}`],
        ["largest error", accuracyWords(result)],
        ["events", String(result.events_total)], ["time", `${sayNumber(1000 * seconds)} ms`]];
    const table = (result.kept || []).length ? `<div class="wide"><table><thead><tr><th>row</th><th>round-offs</th><th>drift</th><th>kind</th></tr></thead>` +
        `<tbody>${result.kept.map(row).join("")}</tbody></table></div>` : "";
    box.innerHTML = `<div class="head"><h2>Certificate</h2></div>${table}<dl>` +
        facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join("") + "</dl>";
    box.hidden = false;
}

/* Messages with the line and a caret, as the command prints them. */
function showMessages(box, diagnostics, text, go) {
    const lines = text.split("\n");
    box.replaceChildren(...diagnostics.map((one) => {
        const button = document.createElement("button"), line = lines[one.line - 1];
        button.type = "button";
        button.className = `message ${one.severity}`;
        let html = `${one.line ? `<b>line ${one.line}</b>: ` : ""}${escapeHtml(one.message)}`;
        if (line !== undefined) {
            const at = columnOf(line, one.column || 1);
            html += `<pre>${escapeHtml(line)}\n${" ".repeat(at)}^</pre>`;
        }
        if (one.hint) html += `<i>${escapeHtml(one.hint)}</i>`;
        button.innerHTML = html;
        if (one.line) button.addEventListener("click", () => go(one.line, one.column));
        return button;
    }));
}
