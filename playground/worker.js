/* worker.js - keel beside the page: runs commands on files in memory and hands rows over as they come.
 *
 * Comes {kind: "load", module}, then {kind: "call", id, command, words, name, text, files}.  Goes {kind: "ready"},
 * {kind: "rows", id, names, columns, modes} and {kind: "done", id, status, out, err, seconds, csv}. */
"use strict";

const rowsEachMs = 60;
let keel = null, current = null;

/* One line of CSV: numbers, empty fields, and names in quotes. */
function csvFields(line) {
    if (!line.includes('"')) return line.split(",");
    const fields = [];
    for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g))
        fields.push(match[1] === undefined ? match[2] : match[1].replace(/""/g, '"'));
    return fields;
}

class Rows {
    constructor(id, keep) {
        Object.assign(this, {id, keep, rest: "", names: null, columns: [], modes: [], pieces: []});
        this.decoder = new TextDecoder();
        this.then = performance.now();
    }

    write(bytes) {
        const piece = bytes.slice();
        if (this.keep) this.pieces.push(piece);
        const lines = (this.rest + this.decoder.decode(piece, {stream: true})).split("\n");
        this.rest = lines.pop();
        for (const line of lines) this.line(line);
        if (performance.now() - this.then > rowsEachMs) this.send();
    }

    line(text) {
        if (text.startsWith("#")) return;
        const fields = csvFields(text);
        if (!this.names) {
            this.names = fields.slice(0, -1);
            this.columns = this.names.map(() => []);
            return;
        }
        this.names.forEach((_, i) => this.columns[i].push(fields[i] === "" ? NaN : Number(fields[i])));
        this.modes.push(fields[fields.length - 1]);
    }

    send() {
        this.then = performance.now();
        if (!this.names || !this.columns[0].length) return;
        const columns = this.columns.map((one) => Float64Array.from(one));
        postMessage({kind: "rows", id: this.id, names: this.names, columns, modes: this.modes},
            columns.map((one) => one.buffer));
        this.columns = this.names.map(() => []);
        this.modes = [];
    }
}

async function load(module) {
    keel = await createKeel({
        print: (line) => current && current.out.push(line),
        printErr: (line) => current && current.err.push(line),
        instantiateWasm: (imports, ready) => {
            WebAssembly.instantiate(module, imports).then((instance) => ready(instance));
            return {};
        },
    });
    const device = keel.FS.makedev(64, 0);
    keel.FS.registerDevice(device, {
        open: () => {}, close: () => {}, llseek: () => 0,
        write: (stream, buffer, offset, length) => {
            if (current) current.rows.write(buffer.subarray(offset, offset + length));
            return length;
        },
    });
    keel.FS.mkdev("/dev/rows.csv", device);
    keel.FS.mkdir("/model");
    keel.FS.chdir("/model");
    postMessage({kind: "ready"});
}

/* files: what the model names beside it, tables and imports; text by name. */
function call({id, command, words, name, text, files, keep}) {
    const list = words.map((word) => keel.allocateUTF8(word)), title = keel.allocateUTF8(command);
    const table = keel._malloc(4 * (list.length + 1)), begin = performance.now();
    current = {out: [], err: [], rows: new Rows(id, keep)};
    let status = -1;
    const all = Object.entries({...files, [name]: text});
    for (const [one, content] of all) keel.FS.writeFile(one, content);
    list.forEach((one, i) => { keel.HEAP32[(table >> 2) + i] = one; });
    keel.HEAP32[(table >> 2) + list.length] = 0;
    try {
        status = keel._playground_command(title, list.length, table);
    } catch (error) {
        current.err.push(`keel: the program ended: ${error.message || error}`);
    }
    current.rows.send();
    [...list, title, table].forEach((one) => keel._free(one));
    for (const [one] of all) keel.FS.unlink(one);
    const {out, err, rows} = current;
    current = null;
    postMessage({kind: "done", id, status, out: out.join("\n"), err: err.join("\n"),
        seconds: (performance.now() - begin) / 1000, memory: keel.HEAP32.buffer.byteLength,
        csv: rows.pieces});
}

onmessage = (event) => {
    if (event.data.kind === "load") load(event.data.module);
    else call(event.data);
};
