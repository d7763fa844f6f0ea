/* scene.js - draws a mechanism and lets it move: play, pause, a slider, speeds; in space it can be turned.
 *
 * const scene = keelScene(box, run);  run as mechanismFind wants it; null: there is nothing to draw.
 * scene.show(run) takes another run of the same model and goes on where it is. */
"use strict";

const sceneColors = ["#0072b2", "#d55e00", "#009e73", "#b03a87", "#a66f00", "#3a7ca5"];
const sceneDarkColors = ["#56b4e9", "#ff9149", "#2fd0a0", "#e58ac4", "#f0c23c", "#9fd0f0"];

/* Between two places of the run: values at time t. */
function sceneFraction(t, time) {
    let low = 0, high = t.length - 1;
    const forward = t[high] >= t[0];
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (forward ? t[middle] <= time : t[middle] >= time) low = middle;
        else high = middle;
    }
    const width = t[high] - t[low];
    return {low, high, share: width === 0 ? 1 : Math.min(1, Math.max(0, (time - t[low]) / width))};
}

/* A cubic through the places k and k + 1, with slopes by their neighbours: a turning rod keeps its length to the eye.
 * Two rows at one time, an event, end a smooth piece; there, and at the ends, it is a parabola. */
function sceneBetween(t, x, k, share) {
    const next = Math.min(k + 1, t.length - 1), h = t[next] - t[k];
    if (h === 0) return x[next];
    const slope = (i) => (x[i + 1] - x[i]) / (t[i + 1] - t[i]), own = slope(k);
    const mean = (far) => { /* with the piece behind place `far`, each weighed by the other's width; NaN: there is none */
        const other = t[far + 1] - t[far];
        return other === 0 ? NaN : (slope(far) * h + own * other) / (h + other);
    };
    let a = mean(k - 1), b = mean(next);
    if (Number.isNaN(a)) a = Number.isNaN(b) ? own : 2 * own - b;
    if (Number.isNaN(b)) b = 2 * own - a;
    const u = share, v = 1 - share;
    return v * v * (1 + 2 * u) * x[k] + u * u * (1 + 2 * v) * x[next] + u * v * h * (v * a - u * b);
}

/* Into how many pieces the way from row to row is drawn: as it turns, one for each 0.06 rad of the mean, at most four.
 * sizes: what counts as one in each direction. */
function sceneParts(axes, sizes) {
    const count = axes[0].length, step = Math.max(1, Math.floor(count / 200));
    let sum = 0, places = 0;
    for (let k = 1; k + 1 < count; k += step) {
        const a = axes.map((x, i) => (x[k] - x[k - 1]) / sizes[i]), b = axes.map((x, i) => (x[k + 1] - x[k]) / sizes[i]);
        const cosine = a.reduce((dot, one, i) => dot + one * b[i], 0) / (Math.hypot(...a) * Math.hypot(...b));
        const turn = Math.acos(Math.max(-1, Math.min(1, cosine)));
        if (Number.isFinite(turn)) [sum, places] = [sum + turn, places + 1];
    }
    return Math.max(1, Math.min(4, Math.ceil(sum / Math.max(1, places) / 0.06)));
}

function sceneButton(words, label) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words;
    button.setAttribute("aria-label", label);
    return button;
}

class Scene {
    constructor(box, run) {
        this.box = box;
        box.scene = this;
        this.time = 0; /* of the run, as a share of it */
        this.yaw = -0.6;
        this.pitch = 0.32;
        this.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
        this.build();
        this.show(run);
        this.then = performance.now();
        const turn = (now) => {
            if (!this.box.isConnected) return;
            this.advance(now);
            requestAnimationFrame(turn);
        };
        requestAnimationFrame(turn);
    }

    build() {
        const bar = document.createElement("div");
        this.canvas = document.createElement("canvas");
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", "The mechanism in motion");
        this.button = sceneButton("", "Play or pause");
        this.slider = document.createElement("input");
        Object.assign(this.slider, {type: "range", min: 0, max: 1000, value: 0});
        this.slider.setAttribute("aria-label", "Time");
        this.clock = document.createElement("output");
        this.speed = document.createElement("select");
        this.speed.setAttribute("aria-label", "Speed");
        for (const factor of [0.1, 0.25, 0.5, 1, 2, 4, 10])
            this.speed.add(new Option(`${factor} ×`, String(factor), factor === 1, factor === 1));
        bar.className = "scene-bar";
        bar.append(this.button, this.slider, this.clock, this.speed);
        this.box.classList.add("scene");
        this.box.replaceChildren(this.canvas, bar);
        this.button.addEventListener("click", () => this.toggle());
        this.slider.addEventListener("input", () => {
            this.playing = false;
            this.time = this.slider.value / 1000;
            this.label();
        });
        this.canvas.addEventListener("keydown", (event) => this.key(event));
        this.canvas.addEventListener("pointerdown", (event) => this.drag(event));
        this.label();
    }

    toggle() {
        this.playing = !this.playing;
        this.label();
    }

    label() {
        this.button.textContent = this.playing ? "❚❚" : "▶";
    }

    key(event) {
        const turns = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]};
        if (event.key === " ") this.toggle();
        else if (turns[event.key] && this.found.dimension === 3) this.turn(...turns[event.key]);
        else return;
        event.preventDefault();
    }

    turn(yaw, pitch) {
        this.yaw += yaw;
        this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + pitch));
        this.frame();
    }

    drag(event) {
        if (this.found.dimension !== 3) return;
        let {clientX, clientY} = event;
        const move = (next) => {
            this.turn((next.clientX - clientX) / 150, (next.clientY - clientY) / 150);
            ({clientX, clientY} = next);
        };
        const end = () => this.canvas.removeEventListener("pointermove", move);
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.addEventListener("pointermove", move);
        this.canvas.addEventListener("pointerup", end, {once: true});
        this.canvas.addEventListener("pointercancel", end, {once: true});
    }

    /* Another run; false: there is nothing to draw in it. */
    show(run) {
        const found = mechanismFind(run);
        if (!found) return false;
        this.found = found;
        for (const one of [...found.points, ...found.bodies]) one.parts = sceneParts(one.at, one.at.map(() => 1));
        this.shown = (this.shown || 0) + 1;
        this.t = run.t;
        const span = Math.abs(run.t[run.t.length - 1] - run.t[0]);
        this.seconds = span >= 2 && span <= 40 ? span : span > 40 && span <= 150 ? span : 12; /* of one showing */
        this.canvas.classList.toggle("turns", found.dimension === 3);
        this.frame();
        return true;
    }

    /* Coordinates on the paper, y upwards. */
    project(p) {
        if (p.length === 2) return p;
        const c = Math.cos(this.yaw), s = Math.sin(this.yaw);
        const right = c * p[0] - s * p[1], deep = s * p[0] + c * p[1];
        return [right, Math.cos(this.pitch) * p[2] + Math.sin(this.pitch) * deep];
    }

    /* The window that holds all of the motion. */
    frame() {
        let low = [Infinity, Infinity], high = [-Infinity, -Infinity];
        const take = (p) => {
            const at = this.project(p);
            low = low.map((one, i) => Math.min(one, at[i]));
            high = high.map((one, i) => Math.max(one, at[i]));
        };
        const count = this.t.length, step = Math.max(1, Math.floor(count / 300));
        for (let k = 0; k < count; k += step) {
            for (const one of this.found.points) take(one.at.map((axis) => axis[k]));
            for (const one of this.found.bodies) {
                take(one.at.map((axis) => axis[k]));
                for (const p of one.marks) take(mechanismPlace(one, k, p));
            }
        }
        for (const rod of this.found.rods) if (rod.b.fixed) take(rod.b.fixed);
        const span = Math.max(high[0] - low[0], high[1] - low[1], 1e-9 * this.found.size, 1e-300);
        this.middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
        this.wide = Math.max(high[0] - low[0], 0.2 * span);
        this.tall = Math.max(high[1] - low[1], 0.2 * span);
    }

    advance(now) {
        const passed = (now - this.then) / 1000;
        this.then = now;
        if (this.playing) {
            this.time += passed * Number(this.speed.value) / this.seconds;
            if (this.time > 1) this.time -= Math.floor(this.time);
            this.slider.value = String(Math.round(1000 * this.time));
        }
        const seen = [this.time, this.yaw, this.pitch, this.shown, this.canvas.clientWidth, this.canvas.clientHeight,
            getComputedStyle(this.box).color].join();
        if (seen === this.seen) return;
        this.seen = seen;
        this.draw();
    }

    now() {
        return this.t[0] + this.time * (this.t[this.t.length - 1] - this.t[0]);
    }

    /* Where a point of the store is between two places. */
    at(axes, place) {
        return axes.map((axis) => sceneBetween(this.t, axis, place.low, place.share));
    }

    size() {
        const ratio = window.devicePixelRatio || 1, box = this.canvas.getBoundingClientRect();
        const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
        if (this.canvas.width !== width || this.canvas.height !== height)
            Object.assign(this.canvas, {width, height});
        return {ratio, width, height};
    }

    draw() {
        const {ratio, width, height} = this.size(), g = this.canvas.getContext("2d");
        const style = getComputedStyle(this.box), margin = 26 * ratio;
        const scale = Math.min((width - 2 * margin) / this.wide, (height - 2 * margin) / this.tall);
        const place = sceneFraction(this.t, this.now());
        this.dark = style.getPropertyValue("--dark").trim() === "1";
        this.paper = {g, ratio, ink: style.color, soft: style.getPropertyValue("--soft") || "#777",
            page: style.getPropertyValue("--page") || "#fff", place,
            to: (p) => {
                const [x, y] = this.project(p);
                return [width / 2 + scale * (x - this.middle[0]), height / 2 - scale * (y - this.middle[1])];
            }};
        g.clearRect(0, 0, width, height);
        g.lineCap = g.lineJoin = "round";
        if (this.found.dimension === 3) this.axes(height);
        this.paths();
        this.rods();
        this.bodies();
        this.points();
        this.clock.textContent = `t = ${this.now().toPrecision(4)}`;
    }

    color(i) {
        const list = this.dark ? sceneDarkColors : sceneColors;
        return list[i % list.length];
    }

    line(points, color, wide, alpha = 1) {
        const {g, ratio, to} = this.paper;
        g.globalAlpha = alpha;
        g.strokeStyle = color;
        g.lineWidth = wide * ratio;
        g.beginPath();
        points.forEach((p, i) => i ? g.lineTo(...to(p)) : g.moveTo(...to(p)));
        g.stroke();
        g.globalAlpha = 1;
    }

    disc(p, radius, fill, edge) {
        const {g, ratio, to} = this.paper;
        g.beginPath();
        g.arc(...to(p), radius * ratio, 0, 7);
        g.fillStyle = fill;
        g.fill();
        if (!edge) return;
        g.lineWidth = 1.8 * ratio;
        g.strokeStyle = edge;
        g.stroke();
    }

    pivot(p) {
        const {g, ratio, to, soft} = this.paper, [x, y] = to(p), r = 8 * ratio;
        g.strokeStyle = soft;
        g.lineWidth = 1.5 * ratio;
        g.beginPath();
        g.moveTo(x, y);
        g.lineTo(x - r, y + 1.5 * r);
        g.lineTo(x + r, y + 1.5 * r);
        g.closePath();
        g.stroke();
    }

    axes(height) {
        const {g, ratio, soft} = this.paper, at = [34 * ratio, height - 30 * ratio];
        g.font = `${11 * ratio}px system-ui, sans-serif`;
        g.fillStyle = g.strokeStyle = soft;
        g.lineWidth = ratio;
        ["x", "y", "z"].forEach((name, i) => {
            const [x, y] = this.project([0, 1, 2].map((k) => (k === i ? 1 : 0)));
            g.beginPath();
            g.moveTo(...at);
            g.lineTo(at[0] + 20 * ratio * x, at[1] - 20 * ratio * y);
            g.stroke();
            g.fillText(name, at[0] + 26 * ratio * x - 3 * ratio, at[1] - 26 * ratio * y + 3 * ratio);
        });
    }

    /* All of the way faintly, and the last of it clearly. */
    paths() {
        const {place} = this.paper, movers = [...this.found.points, ...this.found.bodies];
        if (movers.length > 12) return;
        const count = this.t.length, tail = Math.max(2, Math.min(Math.floor(count / 6), 160));
        movers.forEach((one, i) => {
            const parts = count > 4000 ? 1 : one.parts;
            const color = this.color(i), pick = (from, to, step) => {
                const list = [];
                for (let k = from; k < to; k += step)
                    for (let part = 0; part < (k + 1 < to ? parts : 1); part++)
                        list.push(one.at.map((axis) => sceneBetween(this.t, axis, k, part / parts)));
                return list;
            };
            if (movers.length <= 4) this.line(pick(0, count, Math.max(1, Math.floor(count / 3000))), color, 1, 0.22);
            const from = Math.max(0, place.low - tail);
            for (let part = 0; part < 8; part++) {
                const a = from + Math.floor((place.low - from) * part / 8);
                const b = from + Math.floor((place.low - from) * (part + 1) / 8) + 1;
                const list = pick(a, b, 1);
                if (part === 7) list.push(this.at(one.at, place));
                if (list.length > 1) this.line(list, color, 2, 0.1 + 0.09 * part);
            }
        });
    }

    rods() {
        const {ink, place} = this.paper;
        for (const rod of this.found.rods) {
            const a = this.at(rod.a.at, place), b = rod.b.fixed || this.at(rod.b.at, place);
            if (rod.b.fixed) this.pivot(b);
            this.line([a, b], ink, 3.2);
        }
    }

    /* A body is what its joints span, its centre of mass included. */
    bodies() {
        const {g, ratio, to, place, ink, page} = this.paper;
        const k = place.share < 0.5 ? place.low : place.high;
        this.found.bodies.forEach((body, i) => {
            const color = this.color(i), centre = this.at(body.at, place);
            const shift = centre.map((one, axis) => one - body.at[axis][k]);
            const where = (p) => mechanismPlace(body, k, p).map((one, axis) => one + shift[axis]);
            const marks = body.marks.map(where);
            if (marks.length >= 3) {
                const middle = to(centre);
                const ring = marks.map(to).sort((a, b) =>
                    Math.atan2(a[1] - middle[1], a[0] - middle[0]) - Math.atan2(b[1] - middle[1], b[0] - middle[0]));
                g.beginPath();
                ring.forEach((p, n) => n ? g.lineTo(...p) : g.moveTo(...p));
                g.closePath();
                g.globalAlpha = 0.25;
                g.fillStyle = color;
                g.fill();
                g.globalAlpha = 1;
                g.strokeStyle = color;
                g.lineWidth = 3 * ratio;
                g.stroke();
            } else for (const p of marks) this.line([centre, p], color, 7);
            const reach = Math.max(0, ...body.marks.map((p) => Math.hypot(...p)));
            if (reach < 0.01 * this.found.size) this.block(body, where, color);
            this.disc(centre, 3.5, page, color);
        });
        for (const joint of this.found.joints) {
            const body = joint.a, centre = this.at(body.at, place);
            const p = mechanismPlace(body, k, joint.p).map((one, axis) => one + centre[axis] - body.at[axis][k]);
            if (!joint.b.at) this.pivot(p);
            this.disc(p, 4, page, ink);
        }
    }

    /* A body without joints away from its centre: a block, so that one sees it turn. */
    block(body, where, color) {
        const d = body.at.length, half = 0.045 * this.found.size, {g, to} = this.paper;
        const corner = (x, y) => where([x * half, y * half * 0.7, 0].slice(0, d));
        g.beginPath();
        [[-1, -1], [1, -1], [1, 1], [-1, 1]].forEach(([x, y], i) => i ? g.lineTo(...to(corner(x, y))) : g.moveTo(...to(corner(x, y))));
        g.closePath();
        g.fillStyle = color;
        g.globalAlpha = 0.35;
        g.fill();
        g.globalAlpha = 1;
        this.line([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)], color, 2.5);
        if (d === 3) this.line([where([0, 0, -half]), where([0, 0, 1.6 * half])], color, 3.5);
    }

    points() {
        const {place, page} = this.paper, count = this.found.points.length;
        const radius = count > 60 ? 3 : count > 12 ? 5 : 9;
        this.found.points.forEach((one, i) =>
            this.disc(this.at(one.at, place), radius, this.color(count > 12 ? 0 : i), page));
    }
}

function keelScene(box, run) {
    return mechanismFind(run) ? new Scene(box, run) : null;
}
