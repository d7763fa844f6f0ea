/* mechanism.js - what moves in a run: points, bodies, rods and joints, found from the motion itself.
 *
 * Names tell the points: x and y (and z), r[1] and r[2] (and r[3]), bodies by r with an angle phi or a unit
 * quaternion q.  The rest is geometry.  A rod joins two points whose distance stays what it is; a joint is a
 * point p of body a that stays at a point q of body b:  r_a + R_a p = r_b + R_b q  for all t, a linear
 * least-squares problem in p and q.  ground is a body that stands still. */
"use strict";

const mechanismSamples = 60;
const mechanismTolerance = 1e-6; /* of the size: the rows hold to round-off, so this is generous */

/* Which columns are coordinates of one point: [[x, y], ...] by name. */
function mechanismPoints(names) {
    const there = new Set(names), taken = new Set(), found = [];
    const take = (name, axes) => {
        if (axes.some((one) => taken.has(one))) return;
        axes.forEach((one) => taken.add(one));
        found.push({name, axes});
    };
    const plain = names.filter((name) => !/'|^lambda\.|^drift\.|^error\.|^d\//.test(name));
    for (const name of plain)
        for (let i = 0; i < name.length; i++) {
            if (name[i] !== "x" && name[i] !== "X") continue;
            const step = (k) => name.slice(0, i) + String.fromCharCode(name.charCodeAt(i) + k) + name.slice(i + 1);
            if (!there.has(step(1))) continue;
            take(name, there.has(step(2)) ? [name, step(1), step(2)] : [name, step(1)]);
            break;
        }
    const vectors = plain.filter((name) => name.endsWith("[1]")).map((name) => name.slice(0, -3));
    const positions = vectors.filter((base) => !/(^|\.)[pvwLP](\[\d+\])*$/.test(base));
    for (const base of positions) {
        let count = 1;
        while (there.has(`${base}[${count + 1}]`)) count++;
        if (count === 2 || count === 3)
            take(base, Array.from({length: count}, (_, k) => `${base}[${k + 1}]`));
    }
    return found;
}

/* The attitude of a body at place k as a matrix; NULL where the columns have none. */
function mechanismAttitude(point, columns) {
    const member = point.name.match(/^(.*\.)?r((?:\[\d+\])*)$/);
    if (!member) return null;
    const before = member[1] || "", index = member[2];
    const angle = columns[`${before}phi${index}`];
    if (angle && point.axes.length === 2)
        return (k) => [[Math.cos(angle[k]), -Math.sin(angle[k])], [Math.sin(angle[k]), Math.cos(angle[k])]];
    const q = [1, 2, 3, 4].map((i) => columns[`${before}q${index}[${i}]`]);
    if (point.axes.length !== 3 || q.some((one) => !one)) return null;
    return (k) => {
        const [s, x, y, z] = q.map((one) => one[k]);
        return [[1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y)],
                [2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x)],
                [2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y)]];
    };
}

/* Normal equations N u = b with a ridge, by Cholesky's factors: of many solutions nearly the smallest. */
function mechanismSolve(N, b) {
    const n = b.length, L = N.map((row) => row.slice());
    let trace = 0;
    for (let i = 0; i < n; i++) trace += N[i][i];
    for (let i = 0; i < n; i++) L[i][i] += 1e-11 * trace + Number.MIN_VALUE;
    for (let j = 0; j < n; j++) {
        for (let k = 0; k < j; k++)
            for (let i = j; i < n; i++) L[i][j] -= L[i][k] * L[j][k];
        const d = Math.sqrt(Math.max(L[j][j], 1e-300));
        for (let i = j; i < n; i++) L[i][j] /= d;
    }
    const u = b.slice();
    for (let i = 0; i < n; i++) {
        for (let k = 0; k < i; k++) u[i] -= L[i][k] * u[k];
        u[i] /= L[i][i];
    }
    for (let i = n - 1; i >= 0; i--) {
        for (let k = i + 1; k < n; k++) u[i] -= L[k][i] * u[k];
        u[i] /= L[i][i];
    }
    return u;
}

/* Least squares: rows [a, value] with a . u = value; the solution and the largest residual. */
function mechanismFit(rows, unknowns) {
    const N = Array.from({length: unknowns}, () => new Array(unknowns).fill(0)), b = new Array(unknowns).fill(0);
    for (const [a, value] of rows)
        for (let i = 0; i < unknowns; i++) {
            b[i] += a[i] * value;
            for (let j = 0; j < unknowns; j++) N[i][j] += a[i] * a[j];
        }
    const u = mechanismSolve(N, b);
    let worst = 0;
    for (const [a, value] of rows)
        worst = Math.max(worst, Math.abs(a.reduce((sum, one, i) => sum + one * u[i], -value)));
    return {u, worst};
}

const mechanismGround = {name: "ground", at: null, turn: null};

function mechanismPlace(body, k, p) {
    const turned = body.turn ? body.turn(k).map((row) => row.reduce((sum, one, i) => sum + one * p[i], 0)) : p;
    return body.at ? turned.map((one, i) => one + body.at[i][k]) : turned;
}

/* Where a and b meet, in axes of each; null: nowhere. */
function mechanismJoint(a, b, places, size) {
    const d = a.at.length, rows = [];
    for (const k of places) {
        const A = a.turn(k), B = b.turn ? b.turn(k) : null;
        for (let i = 0; i < d; i++) {
            const row = new Array(2 * d).fill(0);
            for (let j = 0; j < d; j++) {
                row[j] = A[i][j];
                row[d + j] = B ? -B[i][j] : i === j ? -1 : 0;
            }
            rows.push([row, (b.at ? b.at[i][k] : 0) - a.at[i][k]]);
        }
    }
    const {u, worst} = mechanismFit(rows, 2 * d);
    const p = u.slice(0, d), q = u.slice(d);
    const reach = Math.max(...u.map(Math.abs));
    return worst < mechanismTolerance * size && reach < 20 * size ? {a, b, p, q} : null;
}

/* The fixed point round which a point moves at one distance, from |x|^2 = 2 c x + k; null: there is none. */
function mechanismPivot(point, places, size, extent) {
    const d = point.at.length, rows = [];
    for (const k of places) {
        const x = point.at.map((axis) => axis[k]);
        rows.push([[...x.map((one) => 2 * one), 1], x.reduce((sum, one) => sum + one * one, 0)]);
    }
    const c = mechanismFit(rows, d + 1).u.slice(0, d);
    const distance = (k) => Math.hypot(...point.at.map((axis, i) => axis[k] - c[i]));
    const first = distance(places[0]);
    if (extent < 1e-3 * size || first > 5 * extent || first < 1e-6 * size) return null;
    return places.every((k) => Math.abs(distance(k) - first) < mechanismTolerance * first) ? c : null;
}

function mechanismExtent(point, places) {
    let most = 0;
    for (const axis of point.at) {
        const values = places.map((k) => axis[k]);
        most = Math.max(most, Math.max(...values) - Math.min(...values));
    }
    return most;
}

/* Points that keep their distance, from each other or from the centre of a body, and those that turn round a
 * fixed one. */
function mechanismRods(points, bodies, places, size, rods) {
    const apart = (a, b, k) => Math.hypot(...a.at.map((axis, i) => axis[k] - b.at[i][k]));
    for (let i = 0; i < points.length; i++) {
        const others = points.length <= 400 ? [...points.slice(i + 1), ...bodies] : [];
        for (const b of others) {
            const a = points[i], first = apart(a, b, places[0]);
            if (first > 1e-9 * size &&
                places.every((k) => Math.abs(apart(a, b, k) - first) < mechanismTolerance * first))
                rods.push({a, b});
        }
        const c = mechanismPivot(points[i], places, size, mechanismExtent(points[i], places));
        if (c) rods.push({a: points[i], b: {name: "ground", fixed: c}});
    }
}

/* run: {t, columns: {name: values}, constrained}.  null: nothing in it has a place. */
function mechanismFind(run) {
    const count = run.t.length, names = Object.keys(run.columns);
    const step = Math.max(1, Math.floor(count / mechanismSamples)), places = [];
    for (let k = 0; k < count; k += step) places.push(k);
    const all = mechanismPoints(names).map((point) => ({
        name: point.name, at: point.axes.map((axis) => run.columns[axis]),
        turn: mechanismAttitude(point, run.columns)}));
    const dimension = all.length ? Math.max(...all.map((point) => point.at.length)) : 0;
    const movers = all.filter((point) => point.at.length === dimension)
        .filter((point) => point.at.every((axis) => places.every((k) => Number.isFinite(axis[k]))));
    if (!movers.length || count < 2) return null;
    const size = Math.max(1e-300, ...movers.map((point) => Math.max(mechanismExtent(point, places),
        ...point.at.map((axis) => Math.abs(axis[0])))));
    const bodies = movers.filter((one) => one.turn), points = movers.filter((one) => !one.turn);
    const rods = [], joints = [];
    if (run.constrained) {
        mechanismRods(points, bodies, places, size, rods);
        for (let i = 0; i < bodies.length && bodies.length <= 60; i++)
            for (const b of [mechanismGround, ...bodies.slice(i + 1)]) {
                const joint = mechanismJoint(bodies[i], b, places, size);
                if (joint) joints.push(joint);
            }
    }
    for (const body of bodies)
        body.marks = joints.flatMap((one) => one.a === body ? [one.p] : one.b === body ? [one.q] : []);
    return {dimension, bodies, points, rods, joints, size};
}
