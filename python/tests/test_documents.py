"""The Python of the documents runs, from its first line to its last."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_page_runs(monkeypatch):
    pytest.importorskip("xarray")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert os.getcwd() == str(ROOT)


def test_coming_from_scipy():
    page = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.S)
    exec(compile(block, "docs/coming-from.md", "exec"), {})


def test_the_gallery_runs():
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    subprocess.run([sys.executable, ROOT / "tools" / "make_gallery_page", "--check"], check=True, timeout=200)
