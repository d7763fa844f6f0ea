/* plot.js - curves on a canvas: axes, a grid, marks of events and modes, values under the pointer. */
"use strict";

/* The colours of the scene. */
function plotColor(i) {
    const list = isDark() ? sceneDarkColors : sceneColors;
    return list[i % list.length];
}

function niceStep(span, count) {
    const raw = span / Math.max(1, count), power = Math.pow(10, Math.floor(Math.log10(raw)));
    return [1, 2, 5, 10].find((one) => one * power >= raw) * power;
}

function shortNumber(value, step) {
    if (value === 0 || Math.abs(value) < 1e-9 * step) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.max(0, Math.min(3,
        Math.round(Math.log10(size / step))))).replace("e+", "e");
    return value.toFixed(Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9))));
}

function finiteRange(list) {
    let low = Infinity, high = -Infinity;
    for (const values of list)
        for (const value of values)
            if (Number.isFinite(value)) {
                if (value < low) low = value;
                if (value > high) high = value;
            }
    return low <= high ? [low, high] : [0, 1];
}

/* [[place, words], ...] between low and high, `apart` pixels or more from each other; log: powers of ten. */
function plotTicks(low, high, pixels, apart, log) {
    const step = log ? Math.max(1, Math.ceil((high - low) / (pixels / apart))) : niceStep(high - low, pixels / apart), list = [];
    for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step)
        list.push([x, !log ? shortNumber(x, step) : Math.abs(x) <= 3 ? String(Number(Math.pow(10, x).toPrecision(3))) : `1e${x}`]);
    return list;
}

/* A canvas as large as its box in pixels of the screen, cleared, with the room inside of the axes. */
function plotFrame(canvas) {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
    }
    const g = canvas.getContext("2d"), style = getComputedStyle(canvas);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = "12px system-ui, sans-serif";
    return {g, width, height, left: 58, right: width - 12, top: 12, bottom: height - 34,
        ink: style.color, soft: style.getPropertyValue("--soft"), grid: style.getPropertyValue("--grid"),
        page: style.getPropertyValue("--card")};
}

class Plot {
    /* curves: [{name, x, y, color}]; log, decades: y, x are logarithms; marks: [{t, name}]; bands: [{from, to, name}]. */
    constructor(canvas) {
        this.canvas = canvas;
        this.data = {curves: [], log: false, decades: false, marks: [], bands: [], across: "", up: "", equal: false};
        this.pointer = null;
        canvas.addEventListener("pointermove", (event) => {
            const box = canvas.getBoundingClientRect();
            this.pointer = [event.clientX - box.left, event.clientY - box.top];
            this.draw();
        });
        canvas.addEventListener("pointerleave", () => {
            this.pointer = null;
            this.draw();
        });
        new ResizeObserver(() => this.draw()).observe(canvas);
    }

    show(data) {
        this.data = {log: false, decades: false, marks: [], bands: [], across: "t", up: "", equal: false, cursor: null, ...data};
        this.draw();
    }

    range() {
        const {curves, log, equal} = this.data;
        let [x0, x1] = finiteRange(curves.map((one) => one.x)), [y0, y1] = finiteRange(curves.map((one) => one.y));
        const size = Math.max(Math.abs(x0), Math.abs(x1));
        if (!(x1 - x0 > 1e-12 * size)) [x0, x1] = [x0 - 0.5, x1 + 0.5];
        if (log) [y0, y1] = [Math.floor(y0 + 1e-9), Math.max(Math.ceil(y1 + 0.01), y0 + 2)];
        else {
            const rest = Math.max(1e-9 * Math.max(Math.abs(y0), Math.abs(y1)), 1e-300);
            const wide = Math.max(y1 - y0, rest);
            [y0, y1] = [y0 - 0.06 * wide, y1 + 0.06 * wide];
        }
        if (equal || this.data.path) [x0, x1] = [x0 - 0.05 * (x1 - x0), x1 + 0.05 * (x1 - x0)];
        return {x0, x1, y0, y1};
    }

    draw() {
        const f = plotFrame(this.canvas);
        if (f.width < 40 || f.height < 40) return;
        let r = this.range();
        if (this.data.equal) r = this.evened(r, f);
        const to = {x: (x) => f.left + (f.right - f.left) * (x - r.x0) / (r.x1 - r.x0),
            y: (y) => f.bottom - (f.bottom - f.top) * (y - r.y0) / (r.y1 - r.y0)};
        this.bands(f, to);
        this.axes(f, r, to);
        this.curves(f, to);
        this.readout(f, r, to);
    }

    /* The same scale in both directions. */
    evened(r, f) {
        const sx = (r.x1 - r.x0) / (f.right - f.left), sy = (r.y1 - r.y0) / (f.bottom - f.top);
        const s = Math.max(sx, sy), widen = (low, high, k) => {
            const middle = (low + high) / 2, half = (high - low) / 2 * k;
            return [middle - half, middle + half];
        };
        const [x0, x1] = widen(r.x0, r.x1, s / sx), [y0, y1] = widen(r.y0, r.y1, s / sy);
        return {x0, x1, y0, y1};
    }

    bands(f, to) {
        const {g} = f;
        this.data.bands.forEach((band, i) => {
            if (band.shade) {
                g.fillStyle = f.grid;
                g.globalAlpha = 0.5;
                g.fillRect(to.x(band.from), f.top, to.x(band.to) - to.x(band.from), f.bottom - f.top);
                g.globalAlpha = 1;
            }
            const width = to.x(band.to) - to.x(band.from);
            g.fillStyle = f.soft;
            g.textAlign = "left";
            if (g.measureText(band.name).width + 8 < width) g.fillText(band.name, to.x(band.from) + 4, f.top + 11);
        });
        g.strokeStyle = f.soft;
        g.setLineDash([2, 4]);
        g.lineWidth = 1;
        g.globalAlpha = this.data.marks.length > 40 ? 0.35 : 1;
        for (const mark of this.data.marks.slice(0, 400)) {
            g.beginPath();
            g.moveTo(to.x(mark.t), f.top);
            g.lineTo(to.x(mark.t), f.bottom);
            g.stroke();
        }
        g.setLineDash([]);
        g.globalAlpha = 1;
    }

    axes(f, r, to) {
        const {g} = f;
        g.lineWidth = 1;
        g.strokeStyle = f.grid;
        g.fillStyle = f.soft;
        const tick = (x, y, words, across) => {
            g.beginPath();
            g.moveTo(across ? x : f.left, across ? f.top : y);
            g.lineTo(across ? x : f.right, across ? f.bottom : y);
            g.stroke();
            g.textAlign = across ? "center" : "right";
            g.fillText(words, across ? x : f.left - 7, across ? f.bottom + 15 : y + 4);
        };
        for (const [x, words] of plotTicks(r.x0, r.x1, f.right - f.left, this.data.decades ? 60 : 80, this.data.decades))
            tick(to.x(x), 0, words, true);
        for (const [y, words] of plotTicks(r.y0, r.y1, f.bottom - f.top, this.data.log ? 24 : 40, this.data.log))
            tick(0, to.y(y), words, false);
        g.textAlign = "center";
        g.fillText(this.data.across, (f.left + f.right) / 2, f.bottom + 30);
    }

    curves(f, to) {
        const {g} = f;
        g.save();
        g.beginPath();
        g.rect(f.left, f.top - 2, f.right - f.left, f.bottom - f.top + 4);
        g.clip();
        g.lineWidth = 1.7;
        g.lineJoin = "round";
        for (const curve of this.data.curves) {
            g.strokeStyle = curve.color;
            g.beginPath();
            let drawing = false;
            for (let k = 0; k < curve.x.length; k++) {
                const good = Number.isFinite(curve.y[k]) && Number.isFinite(curve.x[k]);
                if (good && drawing) g.lineTo(to.x(curve.x[k]), to.y(curve.y[k]));
                else if (good) g.moveTo(to.x(curve.x[k]), to.y(curve.y[k]));
                drawing = good;
            }
            g.stroke();
        }
        g.restore();
    }

    /* The nearest place of the first curve to the pointer, and all values there. */
    readout(f, r, to) {
        const first = this.data.curves[0];
        if (!this.pointer || !first || !first.x.length) return;
        const [px, py] = this.pointer, {g} = f;
        let best = 0, least = Infinity;
        for (let k = 0; k < first.x.length; k++) {
            const far = Math.abs(to.x(first.x[k]) - px) + (this.data.path ? Math.abs(to.y(first.y[k]) - py) : 0);
            if (far < least) [least, best] = [far, k];
        }
        const say = (name, one, log) => `${name} = ${Number((log ? Math.pow(10, one) : one).toPrecision(6))}`;
        const lines = [say(this.data.across, first.x[best], this.data.decades),
            ...this.data.curves.slice(0, 8).map((one) => say(one.name, one.y[best], this.data.log))];
        const wide = Math.max(...lines.map((one) => g.measureText(one).width)) + 16, tall = 17 * lines.length + 8;
        const x = Math.min(Math.max(to.x(first.x[best]) + 12, f.left), f.right - wide), y = f.top + 6;
        for (const [i, one] of this.data.curves.slice(0, 8).entries()) {
            g.fillStyle = one.color;
            g.beginPath();
            g.arc(to.x(one.x[best]), to.y(one.y[best]), 3.5, 0, 7);
            if (Number.isFinite(one.y[best])) g.fill();
        }
        g.globalAlpha = 0.92;
        g.fillStyle = f.page;
        g.fillRect(x, y, wide, tall);
        g.globalAlpha = 1;
        g.strokeStyle = f.grid;
        g.strokeRect(x + 0.5, y + 0.5, wide, tall);
        g.textAlign = "left";
        lines.forEach((line, i) => {
            g.fillStyle = i ? this.data.curves[i - 1].color : f.ink;
            g.fillText(line, x + 8, y + 18 + 17 * i);
        });
    }
}
