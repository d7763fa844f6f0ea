"""solve_dae and mechanics: equations of any index from functions."""

import numpy as np
import pytest

import keel
from keel import mechanics, solve_dae, solve_ivp


def pendulum(t, u, up):
    x, y, vx, vy, force = u
    return [up[0] - vx, up[1] - vy, up[2] + force * x, up[3] + force * y + 9.81, x * x + y * y - 1]


def test_index_3():
    s = solve_dae(pendulum, (0, 10), [1, 0, 0, 0, 0], rtol=1e-9, t_eval=np.linspace(0, 10, 21))
    x, y, vx, vy, force = s.y
    assert s.success and np.abs(x**2 + y**2 - 1).max() < 1e-14 and np.abs(x * vx + y * vy).max() < 1e-13
    assert np.abs((vx**2 + vy**2) / 2 + 9.81 * y).max() < 1e-6
    assert np.allclose(force, vx**2 + vy**2 - 9.81 * y, rtol=1e-7, atol=1e-7)


def test_the_start_is_made_consistent():
    s = solve_dae(pendulum, (0, 1), [1.2, 0.1, 0.3, 0.1, 5.0], rtol=1e-8)
    x, y, vx, vy, force = s.y[:, 0]
    assert abs(x * x + y * y - 1) < 1e-14 and abs(x * vx + y * vy) < 1e-14
    s = solve_dae(pendulum, (0, 1), [1.2, 0.1, 0.3, 0.1, 5.0], fixed=[1], rtol=1e-8)
    assert s.y[1, 0] == 0.1


def test_a_mass_matrix_that_is_singular():
    f = lambda t, y: [-y[0] + y[1], y[0] + y[1] - np.cos(t)]
    s = solve_dae(f, (0, 2), [1.0, 0.0], mass=[[1, 0], [0, 0]], rtol=1e-9, fixed=[0], t_eval=[0, 1, 2])
    assert np.abs(s.y[0] + s.y[1] - np.cos(s.t)).max() < 1e-14
    other = solve_ivp(
        lambda t, y: -2 * y + np.cos(t), (0, 2), [1.0], "DOP853", rtol=1e-10, atol=1e-12, t_eval=[0, 1, 2]
    )
    assert np.allclose(s.y[0], other.y[0], rtol=1e-7)


def test_robertson():
    def f(t, u, up):
        a, b, c = u
        return [up[0] + 0.04 * a - 1e4 * b * c, up[1] - 0.04 * a + 1e4 * b * c + 3e7 * b * b, a + b + c - 1]

    s = solve_dae(f, (0, 1e5), [1, 0, 0], "radau", rtol=1e-7, atol=1e-13, fixed=[0, 1], t_eval=[40, 1e5])
    assert s.success and s.y[0, 0] == pytest.approx(0.7158271, rel=1e-5)
    assert s.y[0, 1] == pytest.approx(1.7861e-02, rel=1e-3) and abs(s.y[:, 1].sum() - 1) < 1e-14


def test_constraints_beside_residuals():
    f = lambda t, u, up: [up[0] - u[2], up[1] + u[2] * (u[0] + 1) - 1]
    s = solve_dae(f, (0, 1), [1.0, 0.0, 0.0], constraints=lambda t, u: u[0] + u[1] - 1, rtol=1e-8)
    assert np.abs(s.y[0] + s.y[1] - 1).max() < 1e-14 and s.y[0, -1] == pytest.approx(3**0.5, rel=1e-7)


def test_what_does_not_fit_is_told():
    with pytest.raises(keel.OptionError, match="3 unknowns need as many equations"):
        solve_dae(lambda t, y, yp: [yp[0] - y[0]], (0, 1), [1, 1, 1])
    with pytest.raises(keel.TraceError, match="branches"):
        solve_dae(lambda t, y, yp: [yp[0] - (1 if y[0] > 0 else -1)], (0, 1), [1.0], trace=True)
    with pytest.raises(keel.Error):
        solve_dae(lambda t, y, yp: [y[0] - 1, y[0] - 2], (0, 1), [1.0, 1.0])
    with pytest.raises(keel.ModelError, match="atol would count for nothing"):
        solve_dae(lambda t, y, yp: [yp[0] - y[1], y[0] + y[1]], (0, 1), [1.0, 1.0], atol=[1e-9, 1e-9])


def robertson(t, y, yp):
    return [
        yp[0] + 0.04 * y[0] - 1e4 * y[1] * y[2],
        yp[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] ** 2,
        y[0] + y[1] + y[2] - 1,
    ]


def test_residuals_that_cannot_be_traced_are_called():
    def branches(t, y, yp):
        return robertson(t, y, yp) if y[0] < 2 else [0, 0, 0]

    words = dict(rtol=1e-8, atol=1e-11)
    with pytest.warns(keel.TraceWarning, match="branches") as warned:
        called = solve_dae(branches, (0, 40), [1, 0, 0], **words)
    assert len(warned) == 1 and warned[0].filename == __file__
    traced = solve_dae(robertson, (0, 40), [1, 0, 0], **words)
    assert np.abs(called.y[:, -1] - traced.y[:, -1]).max() < 1e-6
    assert np.abs(called.y.sum(axis=0) - 1).max() < 1e-14


@pytest.mark.parametrize(
    "mass", [[[1, 1, 0], [1, -1, 0], [0, 0, 0]], [[0, 0, 0], [2, 0, 0], [0, 3, 0]], lambda t, y: np.diag([1, 2, 0])]
)  # fmt: skip
def test_matrices_of_functions_that_are_called(mass):
    order = [2, 0, 1] if np.ndim(mass) and not np.any(mass[0]) else [0, 1, 2]

    def f(t, y):
        return np.array([-y[0] + y[2], np.cos(t) - y[1], y[2] - y[0] * y[1]])[order]

    words = dict(mass=mass, rtol=1e-9, atol=1e-9, events=lambda t, y: y[0] - 0.6, dense_output=True)
    called = solve_dae(f, (0, 1), [1, 0.5, 0.5], trace=False, **words)
    traced = solve_dae(f, (0, 1), [1, 0.5, 0.5], fixed=(0, 1), **words)
    assert np.abs(called.y[:, -1] - traced.y[:, -1]).max() < 1e-7
    assert np.abs(called.y[2] - called.y[0] * called.y[1]).max() < 1e-14
    assert np.allclose(called.t_events[0], traced.t_events[0], atol=1e-7)
    assert np.allclose(called.sol(0.5), traced.sol(0.5), atol=1e-6)


@pytest.mark.parametrize(
    "f, n, sentence",
    [
        (lambda t, y, yp: [yp[0] * y[0] + 1], 1, "only a constant matrix"),
        (lambda t, y, yp: [yp[0] ** 2 - y[0]], 1, "not linear"),
        (lambda t, y, yp: [y[0] - 1], 1, "nothing in it is differentiated"),
        (lambda t, y, yp: [yp[0] - y[2], yp[2] - y[1], y[0]], 3, "the index may be 2 at most"),
    ],
)
def test_what_cannot_be_called_is_refused(f, n, sentence):
    with pytest.raises(keel.Error, match=sentence):
        solve_dae(f, (0, 1), [1.0] * n, trace=False)


def test_mechanics():
    L = lambda t, q, v: (v @ v) / 2 - 9.81 * q[1]
    m = mechanics(L, [1, 0], [0, 0], (0, 10), constraints={"rod": lambda t, q: q @ q - 1})
    assert m.check().index == 3
    r = m.run(rtol=1e-9, at=[1.0, 10.0])
    assert np.abs(r["q0"] ** 2 + r["q1"] ** 2 - 1).max() < 1e-14 and r.kept["energy"].units < 4
    text = keel.Model(
        "coord x, y\nlagrangian (x'^2 + y'^2)/2 - 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
        "invariant energy\nguess x = 1, y = 0, x' = 0, y' = 0\nrun 0 .. 10\n"
    ).run(rtol=1e-9, at=[1.0, 10.0])
    assert np.allclose(r["q0"], text["x"], atol=1e-7)


def test_friction_is_no_potential():
    L = lambda t, q, v: v[0] ** 2 / 2 - q[0] ** 2 / 2
    m = mechanics(L, [1.0], [0.0], (0, 20), forces=lambda t, q, v: -0.5 * v, energy=False, fixed=True)
    w = np.sqrt(1 - 1 / 16)
    exact = np.exp(-0.25 * 20) * (np.cos(w * 20) + 0.25 / w * np.sin(w * 20))
    assert m.run(rtol=1e-9, at=[20.0])["q0"][0] == pytest.approx(exact, rel=1e-5)


def test_momentum_of_a_spherical_pendulum():
    L = lambda t, q, v: np.dot(v, v) / 2 - 9.81 * q[2]
    m = mechanics(
        L,
        [1, 0, 0],
        [0, 1, 0],
        (0, 10),
        constraints={"sphere": lambda t, q: np.linalg.norm(q) ** 2 - 1},
        invariants={"spin": lambda t, q, v: q[0] * v[1] - q[1] * v[0]},
    )
    r = m.run(rtol=1e-8)
    assert r.kept["spin"].units < 4 and r.kept["spin"].start == pytest.approx(1)
