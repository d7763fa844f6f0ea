"""The code blocks of the documents, and who runs them."""
import glob
import os
import re
import shutil
import subprocess
import tempfile

SOURCE, KEEL = os.environ["KEEL_SOURCE"], os.environ["KEEL"]


def pages():
    return sorted(os.path.relpath(one, SOURCE) for pattern in ("*.md", "docs/*.md") for one in glob.glob(os.path.join(SOURCE, pattern)))


def read(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return file.read()


def blocks(page, language):
    """Texts of the blocks in this language, without what else stands beside its name."""
    return re.findall(r"^ *```%s\b[^\n]*\n(.*?)^ *```" % language, read(page), re.M | re.S)


def lines(page, language="sh"):
    """Commands of a page: no comments, continued lines in one."""
    for block in blocks(page, language):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"(^|\s)#.*", "", line).strip()
            if line:
                yield line


def run(page, found):
    """Runs commands in one folder, in order, as a shell does.  Beside them lie the examples, and models that the page has."""
    with tempfile.TemporaryDirectory() as place:
        os.mkdir(place + "/bin")
        os.symlink(KEEL, place + "/bin/keel")
        os.symlink(SOURCE + "/examples", place + "/examples")
        shutil.copy(SOURCE + "/examples/toda.keel", place)
        for name, text in re.findall(r"^```keel (\w+)\n(.*?)^```", read(page), re.M | re.S):
            with open("%s/%s.keel" % (place, name), "w", encoding="utf-8") as file:
                file.write(text)
        for line in found:
            if (".svg" in line or "--plot" in line or "--report" in line) and not shutil.which("gnuplot"):
                continue
            done = subprocess.run(line, shell=True, cwd=place, capture_output=True, timeout=600, stdin=subprocess.DEVNULL,
                                  env=dict(os.environ, PATH=place + "/bin:" + os.environ["PATH"]))
            assert done.returncode == 0, (page, line, done.stdout, done.stderr)
    print("ok", page, len(found))
