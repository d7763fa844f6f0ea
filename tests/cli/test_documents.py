"""The examples of the pages: commands are run in one folder, in order; C programs are compiled and run."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile

SOURCE, KEEL, BUILD = os.environ["KEEL_SOURCE"], os.environ["KEEL"], os.environ["KEEL_BUILD"]


def blocks(page, language):
    with open(os.path.join(SOURCE, page)) as text:
        return re.findall(r"^```%s\n(.*?)^```" % language, text.read(), re.M | re.S)


def commands():
    for page in ["docs/start.md", "docs/command-line.md", "docs/ensembles.md"]:
        found = [line.split("#")[0].strip() for block in blocks(page, "sh") for line in block.splitlines()]
        found = [shlex.split(line) for line in found if line.startswith("keel ")]
        assert len(found) >= 4, page
        with tempfile.TemporaryDirectory() as place:
            for words in found:
                if any(".svg" in word or word in ("--plot", "--report") for word in words) and not shutil.which("gnuplot"):
                    continue
                done = subprocess.run([KEEL] + words[1:], cwd=place, capture_output=True, timeout=100, stdin=subprocess.DEVNULL)
                assert done.returncode == 0, (page, words, done.stdout, done.stderr)
        print("ok", page, len(found))


def programs():
    for page in ["README.md", "docs/c-api.md"]:
        found = [block for block in blocks(page, "c") if "int main" in block]
        assert found, page
        with tempfile.TemporaryDirectory() as place:
            for program in found:
                with open(f"{place}/a.c", "w") as text:
                    text.write(program)
                sanitized = ["-fsanitize=address,undefined"] if "asan" in BUILD else []
                subprocess.run(["cc", "-std=c11", *sanitized, f"-I{SOURCE}/include", f"{place}/a.c", f"{BUILD}/libkeel.a",
                                "-lm", "-ldl", "-o", f"{place}/a"], check=True, timeout=100)
                done = subprocess.run([f"{place}/a"], cwd=SOURCE, capture_output=True, timeout=100)
                assert done.returncode == 0 and done.stdout and not done.stderr, (page, done)
        print("ok", page, len(found))


def read(page):
    with open(os.path.join(SOURCE, page)) as text:
        return text.read()


def anchors(page):
    """What its headings are called in links."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def links():
    """Every page that another one names is there, and so is the heading in it."""
    pages = [name for name in os.listdir(SOURCE) if name.endswith(".md")]
    pages += ["docs/" + name for name in os.listdir(f"{SOURCE}/docs") if name.endswith(".md")]
    for page in sorted(pages):
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", read(page)):
            path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
            assert os.path.exists(os.path.join(SOURCE, path)), (page, target)
            assert not anchor or anchor in anchors(path), (page, target, anchor)


links()
commands()
programs()
