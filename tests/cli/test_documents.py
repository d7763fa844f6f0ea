"""The examples of the pages: commands are run in one folder, in order; C programs are compiled and run.  No block of a page is
forgotten, and no link leads nowhere."""
import os
import re
import subprocess
import tempfile

import documents
from documents import SOURCE, blocks, pages, read

BUILD = os.environ["KEEL_BUILD"]
COMMANDS = ("docs/start.md", "docs/command-line.md", "docs/ensembles.md")
PROGRAMS = ("README.md", "docs/c-api.md")
# Who runs the blocks of a page: by language, the test.  Blocks without a language are what a program printed, or formulas.
RUN_BY = {
    "sh": {**dict.fromkeys(COMMANDS, "here"), "docs/analysis.md": "long_documents", "docs/gallery.md": "test_site", "docs/tutorial.md": "test_site"},
    "draw": {"docs/ensembles.md": "long_documents"},
    "c": dict.fromkeys(PROGRAMS, "here"),
    "keel": {"README.md": "tests/lang", "docs/language.md": "tests/lang", "docs/tutorial.md": "test_site", "docs/coming-from.md": "test_site",
             "docs/ensembles.md": "long_documents"},
    "python": {"docs/python.md": "python/tests", "docs/python-gallery.md": "python/tests", "docs/coming-from.md": "python/tests"},
    "text": {"docs/python-gallery.md": "python/tests"},
}
# Rows for the project's own tables, and a sketch of a loop: they are no programs.
SKETCHES = ("docs/adding-a-method.md", "docs/adding-a-stabilizer.md")


def commands():
    for page in COMMANDS:
        found = [line for line in documents.lines(page) if line.startswith("keel ")]
        assert len(found) >= 4, page
        documents.run(page, found)


def words_of_dev():
    """Every `./dev WORD` of a page is a command that its help tells of."""
    done = subprocess.run([SOURCE + "/dev", "help"], capture_output=True, text=True, check=True)
    known = set(re.findall(r"^  (\w+)", done.stdout, re.M)) | {"asan", "tsan", "help"}
    for page in pages():
        for word in re.findall(r"\./dev (\w+)", read(page)):
            assert word in known, (page, word)


def no_block_is_forgotten():
    for page in pages():
        for language in re.findall(r"^ *```(\w+)", read(page), re.M):
            if page in SKETCHES or page in RUN_BY.get(language, {}):
                continue
            assert language == "sh", (page, language)
            for line in documents.lines(page):  # building, testing, installing: what ./dev does, and pip
                assert re.match(r"(\w+=\w+ )?\./dev \w|pip (install|wheel) \.", line), (page, line)


def assembled(page):
    """One program of the pieces of C that a page has: what stands above an empty line after #include goes before main.  What
    stands in for the dots is a harmonic oscillator."""
    rate = "{ (void)t, (void)user; du[0] = u[1], du[1] = -u[0], du[2] = du[3] = 0; return 0; }"
    heads, bodies = [], []
    for piece in blocks(page, "c"):
        if "int main" not in piece:
            head, _, body = piece.rpartition("\n\n") if piece.startswith("#") else ("", "", piece)
            heads.append(head.replace("{ ... }", rate))
            bodies.append("{\n%s}" % body)
    return """%s
#include <keel.h>
#include <stdio.h>
int main(void) {
    double u0[] = {1, 0, 0, 0}, x[] = {1, 0, 0, 0}, f[] = {0, -1, 0, 0}, t = 0, h = 0.1;
    long steps = 10;
    keel_problem oscillator = {.n = 4, .u0 = u0, .f = {4, gravity}};
    keel_solver *s = keel_open(&oscillator, NULL);
    %s
    keel_close(s);
    return 0;
}
""" % ("\n".join(heads), "\n".join(bodies))


def programs():
    for page in PROGRAMS:
        found = [block for block in blocks(page, "c") if "int main" in block]
        assert found, page
        if len(found) < len(blocks(page, "c")):
            found.append(assembled(page))
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


def anchors(page):
    """What its headings are called in links."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def links():
    """Every page that another one names is there, and so is the heading in it."""
    for page in pages():
        for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", read(page)):
            path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
            assert os.path.exists(os.path.join(SOURCE, path)), (page, target)
            assert not anchor or anchor in anchors(path), (page, target, anchor)


links()
words_of_dev()
no_block_is_forgotten()
commands()
programs()
