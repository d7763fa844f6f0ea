"""What is replaced, followed and shared: nothing but keel's own files, no links, and one run at a time."""
import json
import os
import re
import signal
import stat
import subprocess
import threading
import time

from tool import KEEL, check, content, example, folder, keel, refused, start, table

HDF5 = os.environ.get("KEEL_HDF5") == "1"
THESIS = b"\\chapter{One} what nobody may lose\n"
LONG = ("--step", "1e-5", "--tend", "1e5", "--every", 0.1)
# What writes a file: the words before its name, the name's ending, the model.
WRITERS = {
    "csv": (("run", example("kepler"), "--tend", 1, "--out"), ".csv"),
    "events": (("run", example("bounce"), "--tend", 1, "--events"), ".txt"),
    "report": (("run", example("kepler"), "--tend", 1, "--report"), ".html"),
    "svg": (("run", example("kepler"), "--tend", 1, "--plot"), ".svg"),
    "png": (("run", example("kepler"), "--tend", 1, "--plot"), ".png"),
    "pdf": (("run", example("kepler"), "--tend", 1, "--plot"), ".pdf"),
    "compare": (("compare", example("kepler"), "--methods", "rk4", "--steps", 0.1, "--tend", 1, "--out"), ".csv"),
    "emit": (("emit", example("kepler"), "--out"), ".c"),
}
if HDF5:
    WRITERS["hdf5"] = (("run", example("kepler"), "--tend", 1, "--out"), ".h5")
HAS_GNUPLOT = subprocess.run(["sh", "-c", "command -v gnuplot"], stdout=subprocess.DEVNULL).returncode == 0
if not HAS_GNUPLOT:
    for kind in ("svg", "png", "pdf"):
        del WRITERS[kind]


def write(path, text=THESIS):
    with open(path, "wb") as file:
        file.write(text)


def wait_for(truth, process=None):
    deadline = time.time() + 60
    while not truth() and time.time() < deadline and (process is None or process.poll() is None):
        time.sleep(0.005)


def under_way(place, name, *arguments):
    """A long run that has claimed its file: what it makes under its lock is there, and a table has its first rows."""
    def made():
        names = os.listdir(place)
        own = [one for one in names if re.match(re.escape(name) + r"\.(part-|rows)", one)]
        rows = "--out" not in arguments or not name.endswith(".csv") or any(os.path.getsize(f"{place}/{one}") for one in own)
        return f"{name}.keel-lock" in names and own and rows
    process = start("run", example("kepler"), *LONG, *arguments)
    wait_for(made, process)
    if process.poll() is None and made():
        return process
    process.kill()
    raise AssertionError(f"the run is not under way: {process.communicate(timeout=60)}")


def ended(process, how=signal.SIGTERM):
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    return process.returncode, err


def test_a_model_names_no_files():
    """Every option that names a file, or that is for the person at the command line, is refused in a model."""
    page = keel("help", "run")[0] + keel("help", "compare")[0] + keel("help", "converge")[0]
    names = {name for name, argument in re.findall(r"^  --([\w-]+) (FILE\S*)", page, re.M)}
    check({"out", "events", "plot", "report", "checkpoint", "resume"} <= names, names)
    with folder() as place:
        for name in sorted(names | {"force", "json", "quiet", "set", "tend", "checkpoint-every"}):
            write(f"{place}/thesis.tex")
            value = 1 if name in ("force", "json", "quiet", "tend", "checkpoint-every") else f'"{place}/thesis.tex"'
            with open(f"{place}/m.keel", "w") as model:
                model.write(f"var x\nx' = -x\ninit x = 1\noptions {name.replace('-', '_')} = {value}\nrun 0 .. 1\n")
            for command in ("run", "check", "compare", "converge", "emit"):
                refused(command, f"{place}/m.keel", words=[f"`{name.replace('-', '_')}`", "command line", f"--{name}"])
            check(content(f"{place}/thesis.tex") == THESIS and sorted(os.listdir(place)) == ["m.keel", "thesis.tex"])


def test_only_its_own_kind_is_replaced():
    with folder() as place:
        other = b"\x89PNG\r\n\x1a\n" + THESIS
        for name, (words, ending) in WRITERS.items():
            path = f"{place}/{name}{ending}"
            write(path)
            refused(*words, path, words=[path, "stays as it is", "--force"])
            check(content(path) == THESIS, name)
            keel(*words, path, "--force")
            made = content(path)
            check(made != THESIS and len(made) > 50, name)
            keel(*words, path)
            check(len(content(path)) > 50)
            made = content(path)
            write(path, b"")
            keel(*words, path)
            check(content(path), "an empty file is of every kind")
            write(path, other)  # nor is a file of another kind replaced
            refused(*words, path, words=["stays as it is"])
            other = other if name in ("csv", "events", "compare") else made  # which share their kind
        check(not [f for f in os.listdir(place) if "part" in f or "lock" in f], os.listdir(place))


def test_pictures_with_their_mark_are_whole():
    if not HAS_GNUPLOT:
        return
    import zlib
    with folder() as place:
        keel(*WRITERS["png"][0], f"{place}/p.png")
        picture, at, kinds = content(f"{place}/p.png"), 8, []
        while at < len(picture):
            size = int.from_bytes(picture[at:at + 4], "big")
            kinds.append(picture[at + 4:at + 8])
            check(zlib.crc32(picture[at + 4:at + 8 + size]) == int.from_bytes(picture[at + 8 + size:at + 12 + size], "big"))
            at += 12 + size
        check(at == len(picture) and kinds[0] == b"IHDR" and kinds[-2:] == [b"tEXt", b"IEND"], kinds)


def test_a_checkpoint_replaces_only_a_checkpoint():
    with folder() as place:
        words = ("run", example("kepler"), "--tend", 1, "--checkpoint")
        for name in ("thesis.tex", "state.rows"):
            write(f"{place}/{name}")
            refused(*words, f"{place}/{name.replace('.rows', '')}", words=[name, "stays as it is", "--force"])
            check(content(f"{place}/{name}") == THESIS)
        refused("run", example("kepler"), "--resume", f"{place}/thesis.tex", words=["is not a checkpoint of keel"])
        check(content(f"{place}/thesis.tex") == THESIS)
        keel(*words, f"{place}/thesis.tex", "--force")
        check(os.listdir(place) == ["state.rows"], os.listdir(place))


def test_refusals_come_before_the_work():
    with folder() as place:
        for option, name in (("--out", "a.csv"), ("--events", "e.csv"), ("--report", "r.html"), ("--checkpoint", "state")):
            write(f"{place}/{name}")
            refused("run", example("kepler"), "--step", "1e-7", "--tend", "1e6", option, f"{place}/{name}",
                    words=["stays as it is"])


def test_models_are_never_outputs():
    with folder() as place:
        text = content(example("kepler"))
        for name in ("a.keel", "model.csv"):
            write(f"{place}/{name}", text)
        os.symlink("model.csv", f"{place}/same.csv")
        for extra in ((), ("--force",)):
            for option in ("--checkpoint", "--events"):
                refused("run", example("kepler"), option, f"{place}/a.keel", *extra, words=["a.keel", "model"])
                refused("run", example("kepler"), option, f"{place}/new.keel", *extra, words=["new.keel", "model"])
            for name in ("model.csv", "same.csv"):
                refused("run", f"{place}/model.csv", "--out", f"{place}/{name}", *extra, status=2, words=["the model itself"])
        check(content(f"{place}/a.keel") == text == content(f"{place}/model.csv"))


def test_links_are_not_followed():
    with folder() as place:
        for name, (words, ending) in WRITERS.items():
            write(f"{place}/thesis.tex")
            for target in ("thesis.tex", "missing", "."):
                link = f"{place}/{name}{ending}"
                os.symlink(target, link)
                refused(*words, link, words=[link, "is a link to", "--force"])
                check(os.path.islink(link) and content(f"{place}/thesis.tex") == THESIS)
                os.unlink(link)
            os.symlink("thesis.tex", link)
            keel(*words, link, "--force")
            check(not os.path.islink(link) and content(f"{place}/thesis.tex") == THESIS, name)
            os.unlink(link)
        for name in ("state", "state.rows"):
            os.symlink("thesis.tex", f"{place}/{name}")
            refused("run", example("kepler"), "--tend", 1, "--checkpoint", f"{place}/state", words=["is a link to"])
            os.unlink(f"{place}/{name}")
        check(content(f"{place}/thesis.tex") == THESIS and os.listdir(place) == ["thesis.tex"], os.listdir(place))


def test_planted_locks():
    with folder() as place:
        write(f"{place}/thesis.tex")
        lock, words = f"{place}/a.csv.keel-lock", ("run", example("kepler"), "--tend", 1, "--out", f"{place}/a.csv")
        os.symlink("thesis.tex", lock)
        refused(*words, words=["a.csv.keel-lock", "in the way"])
        os.unlink(lock)
        write(lock)
        refused(*words, words=["a.csv.keel-lock", "in the way"])
        check(content(lock) == THESIS == content(f"{place}/thesis.tex") and not os.path.exists(f"{place}/a.csv"))
        write(lock, b"")  # left behind
        write(f"{place}/a.csv.part-0123456789abcdef")
        write(f"{place}/a.csv.part-of-my-thesis")
        os.symlink("thesis.tex", f"{place}/a.csv.part-1123456789abcdef")
        keel(*words)
        check(sorted(os.listdir(place)) == ["a.csv", "a.csv.part-1123456789abcdef", "a.csv.part-of-my-thesis", "thesis.tex"],
              os.listdir(place))
        check(content(f"{place}/thesis.tex") == THESIS)


def test_streams():
    """What is no regular file is written to as it is."""
    with folder() as place:
        words = ("run", example("bounce"), "--quiet", "--events")
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            out, _ = keel(*words, name)
            check(out.startswith("# keel ") and out.count("\n") > 3, out)
            with open(f"{place}/redirected", "w") as to:
                to.write("before\n")
                to.flush()
                subprocess.run([KEEL, *words, name], stdout=to, check=True)
            check(content(f"{place}/redirected").decode() == "before\n" + out)
        keel(*words, "/dev/null")
        check(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        os.mkfifo(f"{place}/pipe")
        read = []
        reader = threading.Thread(target=lambda: read.append(content(f"{place}/pipe")))
        reader.start()
        keel(*words, f"{place}/pipe")
        reader.join(60)
        check(read and read[0].decode() == out and stat.S_ISFIFO(os.stat(f"{place}/pipe").st_mode))
        refused("run", example("bounce"), "--checkpoint", f"{place}/pipe", words=["no regular file"])


def test_two_runs_to_one_file():
    """Whatever the first one writes there and the second one wants there, the second is told and the first is whole."""
    sets = [("x.csv", ["--out", "--events", "--checkpoint"]), ("x.html", ["--report", "--events", "--checkpoint"])]
    if HDF5:
        sets.append(("x.h5", ["--out", "--events", "--checkpoint"]))
    for name, options in sets:
        for first in options:
            with folder() as place:
                path = f"{place}/{name}"
                process = under_way(place, name, first, path, "--json")
                for second in options:
                    for extra in ((), ("--force",)):
                        refused("run", example("pendulum"), second, path, *extra, words=[path, "another run"])
                if name == "x.csv":
                    refused("compare", example("kepler"), "--methods", "rk4", "--steps", 0.1, "--tend", 1, "--out", path,
                            words=[path, "another run"])
                if first == "--checkpoint":
                    wait_for(lambda: os.path.exists(path), process)
                    refused("run", example("kepler"), *LONG, "--resume", path, words=[path, "another run"])
                    refused("run", example("pendulum"), "--events", path + ".rows", "--force", words=["another run"])
                status, _ = ended(process)
                check(status == 143, status)
                check(os.path.getsize(path) > 100, f"{first} has lost its file")
                left = [name] + ([name + ".rows"] if first == "--checkpoint" else [])
                check(sorted(os.listdir(place)) == left, os.listdir(place))


def test_many_at_once():
    """Of runs that start at the same moment one goes on."""
    for option, name in (("--out", "a.csv"), ("--checkpoint", "state")):
        with folder() as place:
            runs = [start("run", example("kepler"), *LONG, option, f"{place}/{name}") for _ in range(4)]
            wait_for(lambda: sum(run.poll() is None for run in runs) <= 1)
            alive = [run for run in runs if run.poll() is None]
            if len(alive) != 1:
                for run in alive:
                    run.kill()
                raise AssertionError([run.returncode for run in runs])
            for run in runs:
                if run is not alive[0]:
                    _, err = run.communicate(timeout=60)
                    check(run.returncode == 1 and "another run" in err and err.count("\n") == 1, err)
            check(ended(alive[0])[0] == 143 and os.path.exists(f"{place}/{name}"))


def test_killed_runs_stop_nobody():
    with folder() as place:
        for option, name in (("--out", "a.csv"), ("--checkpoint", "state"), ("--report", "r.html")):
            process = under_way(place, name, option, f"{place}/{name}")
            wait_for(lambda: len(os.listdir(place)) > 1, process)
            ended(process, signal.SIGKILL)
            keel("run", example("pendulum"), option, f"{place}/{name}", "--quiet")
            check([f for f in os.listdir(place) if f != name] == [], os.listdir(place))
            if option != "--checkpoint":
                os.unlink(f"{place}/{name}")


def test_what_appears_during_a_run_stays():
    with folder() as place:
        path = f"{place}/a.csv"
        own = keel("run", example("kepler"), "--tend", 1, "--out", f"{place}/own.csv") and content(f"{place}/own.csv")
        for before, meanwhile in ((None, THESIS), (None, own), (own, THESIS), (own, own + b"# more\n")):
            if before is not None:
                write(path, before)
            process = under_way(place, "a.csv", "--out", path)
            write(path, meanwhile)
            status, err = ended(process)
            check(status == 1 and "stays as it is" in err and err.count("\n") == 1, f"{status} {err}")
            check(content(path) == meanwhile)
            kept = [f for f in os.listdir(place) if f.startswith("a.csv.kept-")]
            check(len(kept) == 1 and kept[0] in err, err)
            check(table(f"{place}/{kept[0]}")[1])
            os.unlink(f"{place}/{kept[0]}")
            os.unlink(path)
        process = under_way(place, "state", "--checkpoint", f"{place}/state", "--checkpoint-every", 0.01)
        wait_for(lambda: os.path.exists(f"{place}/state"), process)
        write(f"{place}/new", THESIS)
        os.rename(f"{place}/new", f"{place}/state")
        _, err = process.communicate(timeout=60)
        check(process.returncode == 1 and "stays as it is" in err, err)
        check(content(f"{place}/state") == THESIS)


def test_a_part_that_is_taken_away():
    with folder() as place:
        process = under_way(place, "a.csv", "--out", f"{place}/a.csv")
        parts = []
        wait_for(lambda: parts.extend(f for f in os.listdir(place) if ".part-" in f) or parts, process)
        os.unlink(f"{place}/{parts[0]}")
        os.symlink("elsewhere", f"{place}/{parts[0]}")
        status, err = ended(process)
        check(status == 1 and parts[0] in err and err.count("\n") == 1, err)
        check(not os.path.exists(f"{place}/a.csv") and not os.path.exists(f"{place}/elsewhere"))


def test_permissions():
    with folder() as place:
        for mask in (0o022, 0o077):
            path = f"{place}/{mask}.csv"
            keel("run", example("kepler"), "--tend", 1, "--out", path, preexec_fn=lambda: os.umask(mask))
            check(stat.S_IMODE(os.stat(path).st_mode) == 0o666 & ~mask)


def test_a_reader_who_leaves_during_the_run():
    with folder() as place:
        for extra in ((), ("--json",), ("--plot", "-") if HAS_GNUPLOT else ()):
            process = under_way(place, "a.csv", "--out", f"{place}/a.csv", *extra)
            process.stdout.close()
            process.send_signal(signal.SIGTERM)
            err = process.stderr.read()
            check(process.wait(60) == 143 and err == "", f"{process.returncode} {err}")
            check(os.listdir(place) == ["a.csv"] and table(f"{place}/a.csv")[1], os.listdir(place))


def test_names_are_shown_escaped():
    """No name of a file acts on the terminal, or adds lines to a file."""
    with folder() as place:
        name = "a\x1b]0;title\x07\n\u202eb\u009b31m"
        err = refused("run", f"{place}/{name}", status=2, words=["a\\x1b]0;title\\x07\\n\\u202eb\\x9b31m"])
        check("\x1b" not in err and "\u202e" not in err)
        with open(f"{place}/{name}.keel", "w") as model:
            model.write("var x\nx' = -x\ninit x = 1\nrun 0 .. 1\n")
        out, err = keel("run", f"{place}/{name}", "--out", f"{place}/a.csv", "--report", f"{place}/r.html")
        check("a\\x1b]0;title" in out and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out + err), out + err)
        check(len(table(f"{place}/a.csv")[1]) == 1000)
        check("\x1b" not in content(f"{place}/r.html").decode())
        out, _ = keel("check", f"{place}/{name}")
        check(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out), out)
        out, _ = keel("run", f"{place}/{name}", "--json")
        check(out.count("\n") == 1 and json.loads(out)["file"] == f"{place}/{name}.keel")
        check(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", out), out)
        with open(f"{place}/bad\x1b[2J.keel", "w") as model:
            model.write("var x\nx' = y \x1b[31m\n")
        _, err = keel("run", f"{place}/bad\x1b[2J", status=1)
        check("bad\\x1b[2J" in err and "\x1b" not in err, err)


def test_no_program_of_the_current_folder_is_run():
    if not HAS_GNUPLOT:
        return
    with folder() as place:
        for program in ("gnuplot", "cc"):
            with open(f"{place}/{program}", "w") as script:
                script.write("#!/bin/sh\ntouch pwned\n")
            os.chmod(f"{place}/{program}", 0o755)
        here = dict(os.environ, PATH=f".:./:{os.environ['PATH']}:", XDG_CACHE_HOME=f"{place}/cache")
        keel("run", example("kepler"), "--tend", 1, "--plot", "p.svg", cwd=place, env=here)
        check("p.svg" in os.listdir(place) and "pwned" not in os.listdir(place), os.listdir(place))


def test_one_name_for_two_things():
    with folder() as place:
        path = f"{place}/a.csv"
        for first, second in (("--out", "--events"), ("--out", "--checkpoint"), ("--events", "--checkpoint")):
            refused("run", example("kepler"), first, path, second, path, status=2, words=[first, second, "the same file"])
        refused("run", example("kepler"), "--out", path, "--events", f"{place}/./a.csv", words=["a.csv"])
        check(os.listdir(place) == [])


def test_claims_stay_in_their_folder():
    with folder() as place:
        os.mkdir(f"{place}/figures")
        text = "paper {0}: P\nitem a: words\ndraw {1}: T\ncurve kepler.keel --step 0.1 : k\npanel t,q[1] : q\n"
        for paper, figure in (("../up", "f"), ("p", "../../up"), (".hidden", "f"), ("p", "a/b"), ("p", "a\x1b[2J")):
            write(f"{place}/c.claims", text.format(paper, figure).encode())
            refused("reproduce", f"{place}/c.claims", words=["c.claims:"])
            check(sorted(os.listdir(place)) == ["c.claims", "figures"] and not os.listdir(f"{place}/figures"))


if __name__ == "__main__":
    import tool
    tool.main(globals())
