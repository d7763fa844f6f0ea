/* editor.js - a text area above its own coloured copy; mistakes are underlined there. */
"use strict";

const escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"};
const escapeHtml = (text) => text.replace(/[&<>"]/g, (sign) => escapes[sign]);

const tokenPattern = /(#.*)|("[^"\n]*"?)|((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)|('+)|(:=|->|==|<=|>=|!=|\.\.|[-+*/^=<>:,()[\]{}])/g;

/* The class of a name: a statement where it opens one, a function before its bracket, a word of the language. */
function wordClass(word, before, after) {
    const opens = /^\s*$|:\s*$/.test(before);
    if (opens && keelWords.statements.includes(word)) return "statement";
    if (opens && keelWords.openers.includes(word) && /^\s+["\w]/.test(after)) return "statement";
    if (keelWords.functions.includes(word) && /^\s*\(/.test(after)) return "function";
    if (keelWords.words.includes(word) || keelWords.statements.includes(word)) return "word";
    return "";
}

/* One line as HTML; marks: [{from, to, kind}] by columns. */
function colourLine(line, marks) {
    const kinds = new Array(line.length).fill("");
    for (const match of line.matchAll(tokenPattern)) {
        const [text, comment, string, number, word, prime] = match, at = match.index;
        const kind = comment ? "comment" : string ? "string" : number ? "number"
            : word ? wordClass(word, line.slice(0, at), line.slice(at + text.length)) : prime ? "prime" : "sign";
        kinds.fill(kind, at, at + text.length);
    }
    const marked = new Array(line.length + 1).fill("");
    for (const mark of marks) marked.fill(mark.kind, mark.from, Math.max(mark.from + 1, mark.to));
    let html = "";
    for (let i = 0; i < line.length;) {
        let end = i + 1;
        while (end < line.length && kinds[end] === kinds[i] && marked[end] === marked[i]) end++;
        const names = [kinds[i] && `k-${kinds[i]}`, marked[i] && `mark-${marked[i]}`].filter(Boolean).join(" ");
        const text = escapeHtml(line.slice(i, end));
        html += names ? `<span class="${names}">${text}</span>` : text;
        i = end;
    }
    if (marked[line.length]) html += `<span class="mark-${marked[line.length]}"> </span>`;
    return html;
}

/* Diagnostics count columns in bytes of UTF-8, from 1. */
function columnOf(line, column) {
    let bytes = 1, at = 0;
    for (const sign of line) {
        if (bytes >= column) break;
        bytes += new TextEncoder().encode(sign).length;
        at += sign.length;
    }
    return at;
}

class Editor {
    constructor(area, copy, changed) {
        Object.assign(this, {area, copy, changed, diagnostics: []});
        area.addEventListener("input", () => {
            this.diagnostics = [];
            this.colour();
            changed();
        });
        area.addEventListener("scroll", () => this.follow());
        area.addEventListener("keydown", (event) => this.key(event));
        new ResizeObserver(() => this.follow()).observe(area);
    }

    get text() {
        return this.area.value;
    }

    set text(value) {
        this.area.value = value;
        this.area.scrollTop = 0;
        this.diagnostics = [];
        this.colour();
    }

    follow() {
        this.copy.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    }

    /* Four spaces for the tab key; Escape lets the focus go on. */
    key(event) {
        if (event.key === "Escape") this.area.blur();
        if (event.key !== "Tab" || event.shiftKey || event.ctrlKey) return;
        event.preventDefault();
        document.execCommand("insertText", false, "    ");
    }

    colour() {
        const lines = this.text.split("\n");
        this.copy.innerHTML = lines.map((line, i) => {
            const marks = this.diagnostics.filter((one) => one.line === i + 1).map((one) => {
                const from = Math.min(columnOf(line, one.column || 1), line.length);
                const word = line.slice(from).match(/^[\w.]+/);
                return {from, to: from + (word ? word[0].length : 1), kind: one.severity};
            });
            return `<div class="line">${colourLine(line, marks) || " "}</div>`;
        }).join("");
        this.follow();
    }

    show(diagnostics) {
        this.diagnostics = diagnostics.filter((one) => one.line);
        this.colour();
    }

    go(line, column) {
        const lines = this.text.split("\n");
        let at = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
        at += columnOf(lines[line - 1] || "", column || 1);
        this.area.focus();
        this.area.setSelectionRange(at, at);
    }
}
