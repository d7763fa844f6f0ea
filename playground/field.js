/* field.js - an array along a line as a picture: places across, t upwards, values as colours, as `keel run --plot` has it. */
"use strict";

const fieldLeast = 12; /* places: shorter arrays are curves */
const fieldRows = 240;
const fieldColors = [[27, 31, 107], [43, 123, 186], [127, 205, 187], [245, 242, 200], [240, 138, 60], [160, 28, 28]];

/* Arrays with one index, u[1], u[2], ..., that are long enough: [{name, columns}]. */
function fieldArrays(names) {
    const found = new Map();
    for (const name of names) {
        const match = name.match(/^([^[]+)\[(\d+)\]('*)$/);
        if (!match) continue;
        const base = match[1] + match[3], list = found.get(base) || [];
        list.push(name);
        found.set(base, list);
    }
    return [...found].filter(([, columns]) => columns.length >= fieldLeast).map(([name, columns]) => ({name, columns}));
}

function fieldColor(share) {
    const at = Math.max(0, Math.min(1, share)) * (fieldColors.length - 1), low = Math.min(Math.floor(at), fieldColors.length - 2);
    return fieldColors[low].map((one, i) => one + (at - low) * (fieldColors[low + 1][i] - one));
}

class Field {
    constructor(canvas) {
        this.canvas = canvas;
        this.run = null;
        new ResizeObserver(() => this.draw()).observe(canvas);
    }

    /* t and the values of each place, all in the order of the run. */
    show(t, places) {
        this.run = {t, places};
        this.draw();
    }

    /* The picture itself, a pixel for a place and a time; evenly spaced in t. */
    image(low, high) {
        const {t, places} = this.run, rows = Math.min(fieldRows, t.length), end = t.length - 1;
        const image = new ImageData(places.length, rows);
        for (let j = 0, k = 0; j < rows; j++) {
            const time = t[0] + (t[end] - t[0]) * j / (rows - 1);
            while (k < end && Math.abs(t[k + 1] - time) <= Math.abs(t[k] - time)) k++;
            places.forEach((values, i) => {
                const color = fieldColor((values[k] - low) / (high - low));
                image.data.set([...color, Number.isFinite(values[k]) ? 255 : 0], 4 * ((rows - 1 - j) * places.length + i));
            });
        }
        const paper = new OffscreenCanvas(image.width, image.height);
        paper.getContext("2d").putImageData(image, 0, 0);
        return paper;
    }

    draw() {
        if (!this.run || this.run.t.length < 2) return;
        const f = plotFrame(this.canvas), {g} = f, right = f.right - 66;
        if (right - f.left < 40) return;
        let [low, high] = finiteRange(this.run.places);
        if (!(high > low)) [low, high] = [low - 0.5, high + 0.5];
        const {t, places} = this.run, end = t[t.length - 1];
        g.imageSmoothingEnabled = true;
        g.drawImage(this.image(low, high), f.left, f.top, right - f.left, f.bottom - f.top);
        g.fillStyle = f.soft;
        const sx = Math.max(1, niceStep(places.length, (right - f.left) / 60));
        g.textAlign = "center";
        for (let i = sx; i <= places.length; i += sx)
            g.fillText(String(i), f.left + (right - f.left) * (i - 0.5) / places.length, f.bottom + 15);
        g.fillText("place", (f.left + right) / 2, f.bottom + 30);
        g.textAlign = "right";
        const st = niceStep(Math.abs(end - t[0]), (f.bottom - f.top) / 40), first = Math.min(t[0], end);
        for (let x = Math.ceil(first / st) * st; x <= Math.max(t[0], end) + 1e-9 * st; x += st)
            g.fillText(shortNumber(x, st), f.left - 7, f.bottom - (f.bottom - f.top) * (x - t[0]) / (end - t[0]) + 4);
        this.scale(f, right + 16, low, high);
    }

    scale(f, left, low, high) {
        const {g} = f, step = niceStep(high - low, (f.bottom - f.top) / 40);
        for (let y = f.top; y < f.bottom; y++) {
            g.fillStyle = `rgb(${fieldColor((f.bottom - y) / (f.bottom - f.top)).join(" ")})`;
            g.fillRect(left, y, 12, 1);
        }
        g.fillStyle = f.soft;
        g.textAlign = "left";
        for (let v = Math.ceil(low / step) * step; v <= high; v += step)
            g.fillText(shortNumber(v, step), left + 16, f.bottom - (f.bottom - f.top) * (v - low) / (high - low) + 4);
    }
}
