/* engine.js - keel in a worker, as promises: one call at a time, stop ends the worker and starts another. */
"use strict";

const mostMemory = 5e8;

class Engine {
    constructor(module) {
        this.module = module;
        this.next = 0;
        this.start();
    }

    start() {
        this.worker = new Worker(workerAddress);
        this.ready = new Promise((resolve) => { this.loaded = resolve; });
        this.worker.onmessage = (event) => this.take(event.data);
        this.worker.onerror = (event) => this.end({status: -1, out: "", err: event.message, seconds: 0, csv: []});
        this.worker.postMessage({kind: "load", module: this.module});
        this.call = null;
    }

    take(message) {
        if (message.kind === "ready") this.loaded();
        else if (!this.call || message.id !== this.call.id) return;
        else if (message.kind === "rows") this.call.rows && this.call.rows(message);
        else this.end(message);
    }

    end(message) {
        const call = this.call;
        this.call = null;
        if (message.status < 0 || message.memory > mostMemory) this.restart(); /* memory never shrinks inside */
        if (call) call.resolve(message);
    }

    get busy() {
        return this.call !== null;
    }

    /* {command, words, name, text, files, keep, rows}: what the command printed; null: it was stopped. */
    async run(wanted) {
        const id = ++this.next;
        this.stop();
        const done = new Promise((resolve) => { this.call = {id, resolve, rows: wanted.rows}; });
        await this.ready;
        if (this.call && this.call.id === id) {
            const {command, words, name, text, files, keep} = wanted;
            this.worker.postMessage({kind: "call", id, command, words, name, text, files, keep: Boolean(keep)});
        }
        return done;
    }

    restart() {
        this.worker.terminate();
        this.start();
    }

    /* Nothing listens inside while it computes: the worker itself goes. */
    stop() {
        const call = this.call;
        if (!call) return;
        this.restart();
        call.resolve(null);
    }
}
