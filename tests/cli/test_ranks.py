"""keel sweep by the ranks of mpirun and by tasks of an array job: the same bytes as one process, whoever is killed."""
import hashlib
import os
import random
import shutil
import signal
import subprocess
import time

from tool import KEEL, check, content, example, folder, keel, main, refused

KEPLER = "canonical q[1..2], p[1..2]\nparam e = 0.3\nhamiltonian dot(p, p)/2 - 1/norm(q)\ninvariant energy\n" \
         "init q = (1 - e, 0), p = (0, sqrt((1 + e)/(1 - e)))\nrun 0 .. 20\n"
LEAKS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}  # MPI's own
MPIRUN = shutil.which("mpirun") if os.environ.get("KEEL_MPI") == "1" else None


def missing(name):
    if not MPIRUN:
        print(f"       {name}: there is no mpirun, or keel was built without MPI")
    return not MPIRUN


def ranks(count, *words, **how):
    """K ranks on this machine, in a group of their own; a container's root is allowed, too."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                       PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", **LEAKS)
    return subprocess.Popen([MPIRUN, "-n", str(count), KEEL, *map(str, words)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment, **how)


def sweep(place, out, *more):
    model = f"{place}/kepler.keel"
    with open(model, "w") as file:
        file.write(KEPLER)
    return ("sweep", model, "--draw", "e=uniform(0,1.01)", "--count", 7000, "--every", 10, "--rtol", 1e-3, "--columns",
            "q[1],p[2]", "--summary", "mean,q50", "--out", f"{place}/{out}", *more)


def left_over(place):
    return [name for name in os.listdir(place) if ("keel-" in name or ".part-" in name) and not name.endswith(".keel-lock")]


def finished_bytes(place):
    return sum(os.path.getsize(f"{place}/{name}") for name in left_over(place))


def digest(path):
    return hashlib.sha256(content(path)).hexdigest()


def test_ranks_give_the_bytes_of_one_process():
    if missing("test_ranks_give_the_bytes_of_one_process"):
        return
    with folder() as place:
        alone, _ = keel(*sweep(place, "a.csv"), status=3)
        once = digest(f"{place}/a.csv")
        for count in (1, 2, 3, 8):
            os.remove(f"{place}/a.csv")
            process = ranks(count, *sweep(place, "a.csv", "--force"))
            out, err = process.communicate(timeout=120)
            check(process.returncode == 3 and err.count("keel:") == 0, f"{process.returncode}: {err}")
            check([line for line in out.split("\n") if " in " not in line] ==
                  [line for line in alone.split("\n") if " in " not in line], out)
            check(digest(f"{place}/a.csv") == once, f"{count} ranks give other bytes")
            check(not left_over(place), os.listdir(place))


def children(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
        return [int(word) for word in file.read().split()]


def end_somebody(process, dice):
    """A rank, or mpirun itself, at once or with time to end."""
    try:
        mine = children(process)
        who = dice.choice(mine) if mine and dice.random() < 0.6 else process.pid
        os.kill(who, dice.choice((signal.SIGKILL, signal.SIGTERM)))
    except (ProcessLookupError, FileNotFoundError):
        pass


def free(place):
    """Nobody holds a lock any more."""
    end = time.time() + 20
    while time.time() < end:
        busy = subprocess.run(["pgrep", "-f", place], stdout=subprocess.DEVNULL).returncode == 0
        if not busy:
            return
        time.sleep(0.02)


def test_killed_ranks_lose_nothing_that_is_finished():
    if missing("test_killed_ranks_lose_nothing_that_is_finished"):
        return
    dice = random.Random(19)
    with folder() as place:
        keel(*sweep(place, "whole.csv"), status=3)
        words = sweep(place, "parts.csv")
        finished = 0
        for _ in range(20):
            process = ranks(dice.randint(2, 8), *words)
            time.sleep(dice.uniform(0.1, 0.4))
            end_somebody(process, dice)
            process.communicate(timeout=120)
            free(place)
            if os.path.exists(f"{place}/parts.csv"):
                break
            sizes = finished_bytes(place)
            check(sizes >= finished * 0.9, f"what was finished is gone: {finished} {sizes}")
            finished = sizes
            if finished:
                words = ("sweep", "--resume", f"{place}/parts.csv")
        err = ""
        for _ in range(3):  # a rank may outlive its launcher for a while, and write then
            if finished_bytes(place):
                words = ("sweep", "--resume", f"{place}/parts.csv")
            if os.path.exists(f"{place}/parts.csv"):
                break
            process = ranks(3, *words)
            out, err = process.communicate(timeout=120)
            check(process.returncode == 3 or "go on with --resume" in err, err)
            free(place)
        check(os.path.exists(f"{place}/parts.csv"), f"{words}: {err} {os.listdir(place)}")
        check(content(f"{place}/whole.csv") == content(f"{place}/parts.csv"), "resumed ranks have other results")
        check(not left_over(place), os.listdir(place))


def test_what_is_wrong_is_told_once():
    if missing("test_what_is_wrong_is_told_once"):
        return
    with folder() as place:
        for words, sentence in [(("sweep", example("kepler"), "--over", "e=0.1,0.2"), "--out"),
                                (("sweep", example("kepler"), "--over", "e=0.1,0.2", "--out", f"{place}/no/a.csv"), "a.csv"),
                                (("sweep", "--resume", f"{place}/none.csv"), "nothing to go on from")]:
            process = ranks(3, *words)
            _, err = process.communicate(timeout=120)
            check(process.returncode != 0 and err.count("keel: ") == 1 and sentence in err, err)


def test_a_launcher_without_mpi_is_told():
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    refused("sweep", example("kepler"), "--over", "e=0.1,0.2", env=dict(environment, PMI_SIZE="4", **LEAKS),
            words=("4 processes", "--task I/4"))


def test_tasks_and_gather():
    with folder() as place:
        keel(*sweep(place, "whole.csv"), status=3)
        for part in (3, 1):
            keel(*sweep(place, "a.csv", "--task", f"{part}/3"), status=3)
        refused("gather", f"{place}/a.csv", words=("2 of 7 blocks are missing", "--resume"))
        check(len(left_over(place)) == 2, os.listdir(place))
        slurm = dict(os.environ, SLURM_ARRAY_TASK_ID="12", SLURM_ARRAY_TASK_MIN="10", SLURM_ARRAY_TASK_STEP="2",
                     SLURM_ARRAY_TASK_COUNT="3")
        keel(*sweep(place, "a.csv", "--task", "slurm"), status=3, env=slurm)
        keel(*sweep(place, "a.csv", "--task", "2/3"), status=3)  # once more: it is done already
        os.mkdir(f"{place}/other")
        keel("gather", place, "--out", f"{place}/other/b.csv", status=3)
        check(content(f"{place}/other/b.csv") == content(f"{place}/whole.csv"))
        keel("gather", f"{place}/a.csv", status=3)
        check(content(f"{place}/a.csv") == content(f"{place}/whole.csv") and not left_over(place), os.listdir(place))
        refused("gather", f"{place}/a.csv", words=("no blocks",))
        refused(*sweep(place, "a.csv", "--task", "4/3"), status=2, words=("--task", "3/16"))
        refused(*sweep(place, "a.csv", "--task", "slurm"), status=2, words=("array job",))
        refused("sweep", example("kepler"), "--over", "e=0.1,0.2", "--task", "1/2", status=2, words=("--out",))


def test_the_rest_of_the_tasks_and_other_sweeps():
    with folder() as place:
        keel(*sweep(place, "whole.csv"), status=3)
        keel(*sweep(place, "a.csv", "--task", "1/2"), status=3)
        refused(*sweep(place, "a.csv", "--task", "1/2", "--seed", 2), words=("another sweep",))
        refused(*sweep(place, "a.csv"), words=("--resume", "--force"))
        shard = f"{place}/a.csv.keel-blocks-1"
        whole = content(shard)
        with open(shard, "wb") as file:  # one block in the middle is spoilt
            file.write(whole[:len(whole) // 2] + b"spoilt" + whole[len(whole) // 2 + 6:])
        _, err = keel("sweep", "--resume", f"{place}/a.csv", status=3)
        check("damaged" in err, err)
        check(content(f"{place}/a.csv") == content(f"{place}/whole.csv"))


if __name__ == "__main__":
    main(globals())
