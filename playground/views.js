/* views.js - the rows of a run as curves, the sliders of its parameters, the gallery. */
"use strict";

/* A run that grows: columns by name, drifts and modes apart. */
class Results {
    constructor() {
        Object.assign(this, {names: [], modes: [], t: new Float64Array(0), columns: {}});
    }

    add({names, columns, modes}) {
        if (!this.names.length) this.names = names;
        names.forEach((name, i) => {
            const before = this.columns[name], after = new Float64Array((before ? before.length : 0) + columns[i].length);
            if (before) after.set(before);
            after.set(columns[i], before ? before.length : 0);
            this.columns[name] = after;
        });
        for (const mode of modes) this.modes.push(mode);
        this.t = this.columns.t;
    }

    values() {
        return this.names.filter((name) => name !== "t" && !name.startsWith("drift.") && !name.startsWith("error."));
    }

    /* Half of the rows in the first thousandth of the time (options log = 1): the axis is one of powers of ten. */
    get decades() {
        const t = this.t, end = t[t.length - 1];
        return t.length > 40 && t[0] >= 0 && t[t.length >> 1] < 1e-3 * end;
    }

    time(t) {
        return this.decades ? (t > 0 ? Math.log10(t) : NaN) : t;
    }

    get times() {
        return this.decades ? this.t.map((t) => this.time(t)) : this.t;
    }

    parts(across, up) {
        const axes = [this.columns[across], this.columns[up]];
        return this.t.length < 5000 ? sceneParts(axes, axes.map((one) => columnExtent(one) || 1)) : 1;
    }

    /* Two columns against each other, with values between their rows: ways in a plane are round. */
    way(across, up) {
        const count = this.t.length, parts = this.parts(across, up);
        const [x, y] = [across, up].map((name) => this.columns[name]).map((one) => Float64Array.from({length: (count - 1) * parts + 1},
            (_, i) => sceneBetween(this.t, one, Math.floor(i / parts), (i % parts) / parts)));
        return {x, y};
    }

    /* Stretches of one mode. */
    bands() {
        const list = [];
        for (let k = 0; k < this.modes.length; k++) {
            const last = list[list.length - 1];
            if (last && last.name === this.modes[k]) last.to = this.time(this.t[k]);
            else list.push({name: this.modes[k], from: last ? last.to : this.time(this.t[k]), to: this.time(this.t[k]), shade: list.length % 2 === 1});
        }
        return list.length > 1 && list.length < 200 ? list : [];
    }
}

function legend(box, names, shown, color, changed) {
    const key = JSON.stringify([names, [...shown], color(0)]);
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    box.replaceChildren(...names.map((name) => {
        const button = document.createElement("button"), place = [...shown].indexOf(name);
        button.type = "button";
        button.textContent = name;
        button.setAttribute("aria-pressed", String(shown.has(name)));
        if (place >= 0) button.style.setProperty("--c", color(place));
        button.addEventListener("click", () => {
            if (!shown.delete(name)) shown.add(name);
            changed();
        });
        return button;
    }));
}

/* What is drawn first: positions rather than rates, of similar size, at most six; six places of a long line. */
function firstColumns(names, columns) {
    const plain = names.filter((name) => !/'|^lambda\.|^d\//.test(name)), all = plain.length ? plain : names;
    const [line] = fieldArrays(all);
    if (line) return new Set([0, 1, 2, 3, 4, 5].map((k) => line.columns[Math.round(k * (line.columns.length - 1) / 5)]));
    const size = (name) => columnExtent(columns[name]), moving = movingColumns(all, columns), first = size(moving[0] || all[0]);
    return new Set((moving.length ? moving : all).filter((name) => size(name) <= 8 * first && size(name) >= first / 8).slice(0, 6));
}

const columnExtent = (values) => finiteRange([values]).reduce((low, high) => high - low);

/* What changes by more than the round-off of the others. */
function movingColumns(names, columns) {
    const most = names.reduce((sum, name) => Math.max(sum, columnExtent(columns[name])), 0);
    return names.filter((name) => columnExtent(columns[name]) > 1e-9 * most);
}

/* x and y of a point that moves in both, a position and its rate, the middles of two lines, or the first two. */
function firstPhase(names, columns) {
    const extent = (name) => columnExtent(columns[name]), moving = movingColumns(names, columns);
    const pair = mechanismPoints(names).map((one) => one.axes).find((axes) => axes.length === 2 && names.length > 2 &&
        axes.every((one) => moving.includes(one)) && Math.min(...axes.map(extent)) > 1e-6 * Math.max(...axes.map(extent)));
    const rate = moving.find((name) => names.includes(`${name}'`)), lines = fieldArrays(names);
    if (lines.length > 1) return lines.slice(0, 2).map((one) => one.columns[one.columns.length >> 2]);
    if (pair) return pair;
    if (rate) return [rate, `${rate}'`];
    return names.length > 1 ? names.slice(0, 2) : ["t", names[0]];
}

/* Of `param a = 3 {m}` a slider; of `param b = 2*a` none: it follows.  Those of libraries and arrays have one, too. */
function isFree(name, text) {
    const plain = name.replace(/\[.*/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), code = text.replace(/#.*/g, "");
    const pattern = new RegExp(`(?:^|[\\s,])${plain}(?:\\[[^\\]]*\\])*\\s*=\\s*([^,{\\n]*)`, "m");
    const given = (code.match(/^[ \t]*param\b.*/gm) || []).join("\n").match(pattern) || code.match(pattern);
    return !given || name.includes("[") || /^[-+]?[\d.]+(e[-+]?\d+)?\s*$/i.test(given[1]);
}

class Sliders {
    constructor(card, list, reset, changed) {
        Object.assign(this, {card, list, reset, changed, values: {}, base: {}, key: ""});
        reset.addEventListener("click", () => {
            this.values = {};
            this.key = "";
            this.show(this.base, this.text);
            changed(true);
        });
    }

    words() {
        return Object.entries(this.values).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
    }

    /* base: the parameters as the model has them. */
    show(base, text) {
        const names = Object.keys(base).filter((name) => isFree(name, text)).slice(0, 40), key = JSON.stringify(names.map((name) => [name, base[name]]));
        this.base = base;
        this.text = text;
        this.card.hidden = names.length === 0;
        this.reset.disabled = Object.keys(this.values).length === 0;
        if (key === this.key) return;
        this.key = key;
        this.list.replaceChildren(...names.map((name) => this.row(name, base[name], text)));
    }

    row(name, value, text) {
        const row = document.createElement("div"), range = document.createElement("input"), number = document.createElement("input");
        const whole = new RegExp(`\\.\\.\\s*${name.replace(/[[\]]/g, "\\$&")}\\b`).test(text);
        const size = Math.abs(value), low = value > 0 ? 0.1 * size : value < 0 ? -3 * size : -1;
        const high = value > 0 ? 3 * size : value < 0 ? 0.5 * size : 1, now = this.values[name] ?? value;
        Object.assign(range, {type: "range", min: whole ? Math.max(1, Math.round(low)) : low, max: whole ? Math.round(high) : high,
            step: whole ? 1 : (high - low) / 580});
        range.value = now;
        Object.assign(number, {type: "number", step: "any", value: Number(Number(now).toPrecision(6))});
        range.setAttribute("aria-label", name);
        number.setAttribute("aria-label", `${name}, as a number`);
        const take = (given, settled) => {
            if (!Number.isFinite(given)) return;
            this.values[name] = given;
            this.reset.disabled = false;
            this.changed(settled);
        };
        range.addEventListener("input", () => {
            const given = Number(Number(range.value).toPrecision(4));
            number.value = given;
            take(given, false);
        });
        range.addEventListener("change", () => this.changed(true));
        number.addEventListener("change", () => {
            range.value = number.value;
            take(Number(number.value), true);
        });
        row.className = "slider";
        row.innerHTML = `<code>${escapeHtml(name)}</code>`;
        row.append(range, number);
        return row;
    }
}

function showGallery(list, search, pick) {
    const groups = [...new Set(keelExamples.map((one) => one.group))], wanted = search.toLowerCase();
    list.replaceChildren(...groups.flatMap((group) => {
        const members = keelExamples.filter((one) => one.group === group &&
            `${one.name} ${one.about} ${group}`.toLowerCase().includes(wanted));
        if (!members.length) return [];
        const title = document.createElement("h3"), tiles = document.createElement("div");
        title.textContent = group;
        tiles.className = "tiles";
        tiles.append(...members.map((one) => {
            const tile = document.createElement("button");
            tile.type = "button";
            tile.className = "tile";
            tile.innerHTML = `<b>${escapeHtml(one.name.replace(/_/g, " "))}</b><span>${escapeHtml(one.about)}</span>`;
            tile.addEventListener("click", () => pick(one));
            return tile;
        }));
        return [title, tiles];
    }));
}
