"""What docs/results.md shows works as it stands there."""
import os
import re
import subprocess
import time

from tool import EXAMPLES, KEEL, check, content, example, folder, keel, start

PAGE = os.path.join(EXAMPLES, "..", "docs", "results.md")


def shown(word):
    """The indented lines of the page that begin with this word."""
    with open(PAGE) as file:
        return re.findall(rf"^    ({word} .*)$", file.read(), re.MULTILINE)


def test_commands():
    begin, go_on = shown("keel")
    with folder() as place:
        with open(f"{place}/long.keel", "wb") as file:
            file.write(content(example("kepler")))
        process = subprocess.run(["bash", "-c", begin.replace("keel ", f"'{KEEL}' ", 1)], cwd=place, capture_output=True)
        check(process.returncode == 0 and sorted(os.listdir(place)) == ["long.csv", "long.keel"], process.stderr)
        whole = content(f"{place}/long.csv")
        killed = start("run", "long.keel", "--out", "long.csv", "--checkpoint", "long.state", cwd=place)
        while not os.path.exists(f"{place}/long.state") and killed.poll() is None:
            time.sleep(0.001)
        killed.kill()
        killed.communicate()
        if os.path.exists(f"{place}/long.state"):
            process = subprocess.run(["bash", "-c", go_on.replace("keel ", f"'{KEEL}' ", 1)], cwd=place,
                                     capture_output=True)
            check(process.returncode == 0, process.stderr)
        check(content(f"{place}/long.csv") == whole)


def test_python():
    if os.environ.get("KEEL_HDF5") != "1":
        return
    with folder() as place:
        keel("run", example("kepler"), "--out", f"{place}/orbit.h5", "--points", 10)
        with open(PAGE) as file:
            code = re.search(r"^    import h5py\n(    .*\n)+", file.read(), re.MULTILINE).group(0)
        names = {}
        before = os.getcwd()
        os.chdir(place)
        exec("\n".join(line[4:] for line in code.splitlines()), names)
        os.chdir(before)
        check(len(names["x"]) >= 10 and names["x"][0] == 0.4)


if __name__ == "__main__":
    import tool
    tool.main(globals())
