"""Every allocation of a command fails once: what the test of a sample and the long one share.

A case is one call of the command.  It runs undisturbed, then again with the n-th allocation refused (n), and with the
n-th and all later ones refused (n+).  Each time: no crash; exit 0 only with the undisturbed results, otherwise a
sentence that says memory; no file is half-written, and what was there before is there, or replaced by all of the new.
"""
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import tempfile

from tool import check, content, example, folder, older

STARVED = os.environ["KEEL_STARVED"]
HDF5 = os.environ.get("KEEL_HDF5") == "1"
PARTS = 4  # of a case, each for one thread
GNUPLOT = """#!/bin/sh
grep -q '^set terminal svg' && echo '<svg xmlns="http://www.w3.org/2000/svg"></svg>' || echo drawn
"""
# Copies what the real compiler made of the same source, so that a compilation takes no time.
COMPILER = """#!/bin/sh
while [ $# -gt 1 ]; do case $1 in -o) out=$2 ;; *.c) source=$1 ;; esac; all="$all $1"; shift; done
store={store}/$(cksum <$source | tr ' ' -)
[ -e $store ] || {{ cc $all $1 && cp $out $store.$$ && mv $store.$$ $store; }} || exit 1
cp $store $out
"""


def script(path, text):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755)


class Server:
    """keel_starved, which runs the command as often as it is asked to; models are compiled once."""

    def __init__(self, place):
        self.place = place
        for name in ("bin", "store", "cache"):
            os.makedirs(f"{place}/{name}", exist_ok=True)
        script(f"{place}/bin/gnuplot", GNUPLOT)
        script(f"{place}/bin/fastcc", COMPILER.format(store=f"{place}/store"))
        sanitizer = "exitcode=99:" + os.environ.get("ASAN_OPTIONS", "")
        environment = dict(os.environ, KEEL_STARVE="serve", XDG_CACHE_HOME=f"{place}/cache", CC=f"{place}/bin/fastcc",
                           PATH=f"{place}/bin:{os.environ['PATH']}", ASAN_OPTIONS=sanitizer, LSAN_OPTIONS="exitcode=99")
        self.process = subprocess.Popen([STARVED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment)

    def run(self, plan, folder, source, arguments):
        """Exit status (below 0: the signal), how many allocations, where the first one failed."""
        self.process.stdin.write("\t".join(map(str, (plan, folder, source, *arguments))) + "\n")
        self.process.stdin.flush()
        status, count, caller = map(int, self.process.stdout.readline().split())
        return os.waitstatus_to_exitcode(status), count, caller

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def line_of(caller):
    """The source line of a place in the program."""
    base = int(re.search(r"LOAD\s+0x0+\s+0x0*([0-9a-f]+)", subprocess.run(
        ["readelf", "-lW", STARVED], capture_output=True, text=True).stdout).group(1) or "0", 16)
    where = subprocess.run(["addr2line", "-fs", "-e", STARVED, hex(base + caller - 1)], capture_output=True, text=True)
    return " ".join(where.stdout.split())


def plain(data):
    """Without times and places."""
    data = re.sub(rb'"(wall_s|output_s|compile_s|cpu_s|seconds)":[-+0-9.e]+', b"", data)
    data = re.sub(rb'"compiled":(true|false),("interpreted_why":"[^"]*",)?', b"", data)  # the same bits by both ways
    data = re.sub(rb"keel-starve-\w+", b"", data)
    data = re.sub(rb"<footer>.*</footer>", b"", data)  # a date, and whether the model was compiled
    data = re.sub(rb"^[ *] |  +", b" ", data, flags=re.MULTILINE)  # the best is the fastest; columns of times
    data = re.sub(rb"( evaluations ).*", rb"\1", data)
    return re.sub(rb"[0-9.]+(e[-+][0-9]+)? (ms|s|us|minutes)\b", b"", data)


def plain_hdf5(path):
    import h5py
    with h5py.File(path, "r") as file:
        sets = {name: (file[name][()].tobytes() if name != "events" else str(file[name][()].tolist()),
                       {key: str(value) for key, value in file[name].attrs.items()}) for name in file}
        return str((sorted(sets.items()), file.attrs["model_text"], plain(file.attrs["result_json"].encode()))).encode()


class Case:
    """One call of the command in a folder of its own."""

    def __init__(self, *arguments, files=(), prepared=None, source="/dev/null", status=0, cold=False):
        self.arguments = arguments
        self.files = files        # those it writes, there already, with other contents
        self.prepared = prepared  # called with server and folder: further files
        self.source = source      # standard input
        self.status = status
        self.cold = cold          # nothing is in the cache of compiled models

    def name(self):
        return " ".join(os.path.basename(str(word)) for word in self.arguments)

    def open(self, server):
        self.server = server
        self.place = tempfile.mkdtemp(prefix="keel-starve-", dir=server.place)
        self.before = {}
        self.fill()
        if self.prepared:
            self.prepared(server, self.place)
        self.before = self.contents()
        status, self.count, _ = server.run(0, self.place, self.source, self.arguments)
        check(status == self.status, f"{self.name()}: exit {status}: {content(self.place + '/err')[-900:]}")
        self.wanted = self.results()
        self.fill()
        server.run(0, self.place, self.source, self.arguments)
        again = self.results()
        wrong = [name for name in {**again, **self.wanted} if again.get(name) != self.wanted.get(name)]
        check(not wrong, f"{self.name()}: {wrong} differ from run to run")

    def contents(self):
        found = {}
        for folder, _, names in os.walk(self.place):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.place)] = content(path)
        return found

    def results(self):
        found = {}
        for name, data in self.contents().items():
            hdf5 = name.endswith(".h5") and data != older(name)
            found[name] = plain_hdf5(f"{self.place}/{name}") if hdf5 else plain(data)
        return found

    def fill(self):
        for name in os.listdir(self.place):
            path = f"{self.place}/{name}"
            (shutil.rmtree if os.path.isdir(path) else os.unlink)(path)
        for name, data in {**{name: older(name) for name in self.files}, **self.before}.items():
            with open(f"{self.place}/{name}", "wb") as file:
                file.write(data)
        if self.cold:
            shutil.rmtree(f"{self.server.place}/cache")
            os.mkdir(f"{self.server.place}/cache")

    def wrong(self, plan):
        """What is wrong when this allocation fails; '' if nothing is.  And: was there one?"""
        self.fill()
        status, count, caller = self.server.run(plan, self.place, self.source, self.arguments)
        if status >= 0 and not caller:
            return "", False
        out, err = content(f"{self.place}/out"), content(f"{self.place}/err")
        words = self.judge(status, out, err)
        left = [name for _, names, _ in os.walk(f"{self.server.place}/cache") for name in names if "build." in name]
        if left:
            words += f"; left in the cache: {left}"
        if not words:
            return "", True
        return f"{self.name()}, KEEL_STARVE={plan}, {line_of(caller)}: {words}", True

    def judge(self, status, out, err):
        if status < 0:
            return f"signal {-status}"
        if status == 99 or b"Sanitizer" in err or b"runtime error" in err:
            return "sanitizer: " + err.decode(errors="replace")[:1500]
        found = self.results()
        if status == self.status == 0:
            bad = [name for name in {**found, **self.wanted} if found.get(name) != self.wanted.get(name)]
            bad = [name for name in bad if name != "err"]  # the interpreter in place of the compiler is told there
            return f"exit 0, other {bad} " + (out + err).decode(errors="replace")[-300:] if bad else ""
        if b"memory" not in err + out:
            return f"exit {status} without a word of memory: {(out + err).decode(errors='replace')[-300:]!r}"
        if "--json" in self.arguments and out and not self.json(out, status):
            return f"exit {status}, no JSON: {out[-300:]!r}"
        bad = [name for name, data in found.items() if name not in ("out", "err") and not self.good(name, data)]
        bad += [f"{name} (gone)" for name in self.before if name not in found]
        return f"exit {status}, other {bad}" if bad else self.after()

    @staticmethod
    def json(out, status):
        try:
            return json.loads(out)["exit"] == status
        except (ValueError, KeyError):
            return False

    def good(self, name, data):
        """As it was; all of the new; or the rows of a run that says it has failed."""
        if data in (self.wanted.get(name), plain(self.before.get(name, b""))):
            return True
        if name.endswith(".csv"):
            rows, mark, last = data.rpartition(b"# status: ")
            return bool(mark) and last.count(b"\n") == 1 and self.wanted[name].startswith(rows)
        if name.endswith(".html"):
            return b"memory" in data and data.endswith(b"</html>\n")
        return name.endswith(".h5") and b'"status":"failed"' in data

    def after(self):
        return ""


class Checkpointed(Case):
    """A run with checkpoints: what is left of it goes on to the undisturbed results."""

    def good(self, name, data):
        return name in ("state", "state.rows") or super().good(name, data)

    def after(self):
        words = [word for word in self.arguments if word not in ("--checkpoint", "--resume", "state")]
        resume = ["--resume", "state"] if os.path.exists(f"{self.place}/state") else []
        status, *_ = self.server.run(0, self.place, "/dev/null", words + ["--checkpoint", "state"] + resume)
        found = self.results()
        if status or found["a.csv"] != self.wanted["a.csv"]:
            return f"resumed: exit {status} {found['err'][-300:]}"
        return ""


class Swept(Case):
    """A sweep: its finished blocks stay."""

    def good(self, name, data):
        return ".keel-blocks" in name or super().good(name, data)


class Model:
    """A model with options that keep it short, and what its papers claim: a column, and the step of `converge`."""

    def __init__(self, name, column, step, *options, run=(), orders=True):
        self.orders = orders  # can be seen in the column
        self.words, self.column, self.step = (example(name), *options), column, step
        self.run = (*self.words, *run)  # with what `run` alone takes
        self.text = self.words[:3] if "--set" in options else self.words[:1]


MODELS = {
    "ode": Model("lorenz", "x", 0.1, "--tend", "0.5"),
    "hamiltonian": Model("kepler", "q[1]", 0.1, "--tend", "2", run=("--step", "0.1")),
    "mechanics": Model("pendulum", "x", 0.1, "--tend", "0.5"),
    "general": Model("rc", "u", 0.001, "--tend", "0.01"),
    "impacts": Model("bounce", "y", 0.1, "--tend", "2", orders=False),
    "modes": Model("slack_rod", "x", 0.1, "--tend", "1.5", run=("--step", "0.05")),
    "sparse": Model("chain", "x[1]", 0.01, "--set", "N=12", "--tend", "0.05"),
    "stiff": Model("robertson", "y[1]", 0.01, "--tend", "1", run=("--method", "radau"), orders=False),
}

CLAIMS = """paper small: a paper
item one: a table
run {words} : a run
says >-9 end {column} : it ends
let X = end {column}
keel >-9 value 2*X : twice {{X}}
{orders}draw figure: a figure
curve {words} : a run
point 1, X : a point
panel t,{column} : it
"""


def claims(m):
    """The text of a paper about the model."""
    def prepare(server, folder):
        with open(f"{folder}/small.claims", "w") as file:
            words = " ".join(m.words)
            orders = f"converge {words} --step {m.step} : orders\nsays >0 order {m.column} : its order\n"
            file.write(CLAIMS.format(words=words, column=m.column, orders=orders if m.orders else ""))
    return prepare


SAVED = (example("kepler"), "--tend", "5", "--step", "0.01", "--points", "20", "--out", "a.csv", "--quiet",
         "--checkpoint", "state", "--checkpoint-every", "1e-9")


def interrupted(server, folder):
    """A checkpoint in the middle of a run: of one that was refused an allocation behind the first checkpoints."""
    _, least, _ = server.run(0, folder, "/dev/null", ("run", *SAVED[:-4]))
    server.run(least + 40, folder, "/dev/null", ("run", *SAVED))
    check(os.path.exists(f"{folder}/state"), f"no checkpoint: {content(folder + '/err')}")


def outputs():
    """All that `run` writes; then what other commands choose by themselves."""
    bounce, kepler, lorenz = (MODELS[kind].run for kind in ("impacts", "hamiltonian", "ode"))
    yield "csv", Case("run", *bounce, "--points", "4", "--out", "a.csv", "--events", "e.csv", "--json",
                      files=["a.csv", "e.csv"])
    if HDF5:
        yield "hdf5", Case("run", *bounce, "--points", "4", "--out", "a.h5", "--events", "e.csv", files=["a.h5"])
    yield "drawn", Case("run", *bounce, "--report", "a.html", "--plot", "a.svg", "--axes", "x,y", "--quiet",
                        files=["a.html", "a.svg"])
    yield "every step", Case("run", *kepler, "--steps-out", "--out", "a.csv", "--accuracy", "yes", "--json")
    yield "taylor", Case("run", *lorenz, "--method", "taylor", "--out", "a.csv", "--at", "0.1,0.3", "--accuracy", "yes")
    yield "by a clock", Case("run", *kepler, "--clock", "norm(q)^1.5", "--interpret", "--json")
    yield "interpreted", Case("run", *kepler, "--interpret", "--preserve", "project", "--json")
    yield "compiled", Case("run", *kepler, "--quiet", "--out", "a.csv", cold=True)
    yield "checkpoint", Checkpointed("run", *SAVED, files=["a.csv"])
    yield "resume", Checkpointed("run", *SAVED, "--resume", "state", prepared=interrupted)
    yield "compared by default", Case("compare", example("robertson"), "--tend", "5", "--rtol", "1e-4", "--interpret")
    yield "swept", Swept("sweep", example("kepler"), "--over", "e=0.1,0.2", "--tend", "1", "--summary", "mean,q50",
                         "--workers", "1", "--quiet", "--out", "a.csv", files=["a.csv"])
    yield "discovered", Case("discover", example("kepler"), "--degree", "3")
    yield "discovered on a loop", Case("discover", example("four_bar"), "--degree", "2", "--json")
    yield "methods", Case("methods")
    yield "standard input", Case("run", "-", "--tend", "1", "--json", source=example("damped"))


def cases():
    """name: case.  Every subcommand for every model; then all that `run` writes.  KEEL_STARVE_CASES, a pattern of names,
    leaves the others out."""
    every = {}
    for kind, m in MODELS.items():
        methods = "radau,bdf2" if kind == "stiff" else "dopri5,rk4+project"
        every[f"run {kind}"] = Case("run", *m.run, "--points", "4", "--out", "a.csv", files=["a.csv"])
        every[f"check {kind}"] = Case("check", *m.text)
        every[f"compare {kind}"] = Case("compare", *m.words, "--methods", methods, "--rtol", "1e-4")
        every[f"converge {kind}"] = Case("converge", *m.words, "--step", m.step)
        every[f"emit {kind}"] = Case("emit", *m.text, "--out", "m.c", files=["m.c"])
        every[f"reproduce {kind}"] = Case("reproduce", "small.claims", "--plot", "drawn", prepared=claims(m))
    for name, case in outputs():
        every[f"outputs {name}"] = case
    wanted = re.compile(os.environ.get("KEEL_STARVE_CASES", ""))
    return {name: case for name, case in every.items() if wanted.search(name)}


def serve(work):
    """Calls work(server) in as many threads as there are processors, each with a server of its own."""
    with folder() as place:
        def one(number):
            os.mkdir(f"{place}/{number}")
            server = Server(f"{place}/{number}")
            try:
                work(server)
            finally:
                server.close()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for done in [pool.submit(one, number) for number in range(os.cpu_count() or 1)]:
                done.result()


def told(wrong):
    check(not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong[:20]))


def sweep(plus):
    """Allocations of all cases, KEEL_STARVE_EACH of each, evenly spread (0: every one); long cases are shared out, so
    that no thread waits for another at the end."""
    wrong, queue, tried = [], [], 0
    each = int(os.environ.get("KEEL_STARVE_EACH", "400"))
    for name, case in cases().items():
        queue += [(name, part) for part in range(PARTS)]
    queue.reverse()

    def work(server):
        nonlocal tried
        while queue:
            name, part = queue.pop()
            case = cases()[name]
            case.open(server)
            stride = -(-case.count // each) if each else 1
            for n in range(part * stride + 1, case.count + 1, PARTS * stride):
                words, met = case.wrong(f"{n}{plus}")
                tried += met
                if words:
                    wrong.append(words)
                    print(words, flush=True)
            print(f"{name}, part {part + 1} of {PARTS}: {case.count} allocations", flush=True)
    serve(work)
    print(f"{tried} runs")
    told(wrong)


def sample(plus, each):
    """So many allocations of each case, here and there."""
    wrong, queue = [], list(cases().items())
    dice = random.Random(len(plus) + 1)
    place = {name: [dice.random() for _ in range(each)] for name, _ in queue}

    def work(server):
        while queue:
            name, case = queue.pop()
            case.open(server)
            for share in place[name]:
                words, _ = case.wrong(f"{1 + int(share * case.count)}{plus}")
                if words:
                    wrong.append(words)
    serve(work)
    told(wrong)
