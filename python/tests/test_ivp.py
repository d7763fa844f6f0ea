"""solve_ivp: what scipy's own tests do not ask."""

import warnings

import numpy as np
import pytest

import keel
from keel import solve_ivp

START = [0.4, 0, 0, 2]


def kepler(t, u):
    x, y, vx, vy = u
    r3 = (x * x + y * y) ** 1.5
    return [vx, vy, -x / r3, -y / r3]


def energy(t, u):
    x, y, vx, vy = u
    return (vx * vx + vy * vy) / 2 - 1 / np.hypot(x, y)


def momentum(t, u):
    return u[0] * u[3] - u[1] * u[2]


@pytest.fixture(params=[False, None], ids=["called", "traced"])
def how(request):
    return {"trace": request.param}


def test_invariants_are_kept(how):
    s = solve_ivp(
        kepler,
        (0, 50),
        START,
        "DOP853",
        rtol=1e-8,
        invariants={"energy": energy, "momentum": momentum},
        dense_output=True,
        **how
    )
    assert s.success and s.kept["energy"].units < 4 and s.kept["momentum"].units < 4
    values = [energy(0, u) for u in s.y.T]
    assert np.ptp(values) < 3e-14
    assert "momentum" in s.certificate and s.method == "dop853"


def test_a_wrong_invariant_is_refused(how):
    with pytest.raises(keel.Error, match="not conserved"):
        solve_ivp(kepler, (0, 5), START, invariants={"x": lambda t, u: u[0]}, **how)


def test_constraints_hold_at_the_start(how):
    turn = lambda t, u: [-u[1], u[0]]
    circle = lambda t, u: u[0] ** 2 + u[1] ** 2 - 1
    s = solve_ivp(turn, (0, 100), [1, 0], constraints={"circle": circle}, **how)
    assert max(abs(circle(0, u)) for u in s.y.T) < 4e-15
    with pytest.raises(keel.Error, match="does not satisfy the constraint `circle`"):
        solve_ivp(turn, (0, 1), [2, 0], constraints={"circle": circle}, **how)


def test_keep_names_rows(how):
    rows = {"energy": energy, "momentum": momentum}
    s = solve_ivp(kepler, (0, 10), START, rtol=1e-6, invariants=rows, keep=["momentum"], **how)
    assert s.kept["energy"].treatment == "watched" and s.kept["momentum"].units < 4


@pytest.mark.parametrize("kind", [np.float32, np.float64, int, bool, complex])
def test_types_of_the_start(kind, how):
    s = solve_ivp(lambda t, y: -y, (0, 1), np.array([1, 0], dtype=kind), rtol=1e-9, atol=1e-12, **how)
    assert s.y.dtype == (complex if kind is complex else float)
    assert np.allclose(s.y[:, -1], [np.exp(-1), 0], rtol=1e-7)


def test_complex_numbers_turn():
    s = solve_ivp(lambda t, y: 1j * y, (0, 1), [1 + 0j], rtol=1e-9, atol=1e-12, dense_output=True)
    assert abs(s.y[0, -1] - np.exp(1j)) < 1e-7 and abs(s.sol(0.5)[0] - np.exp(0.5j)) < 1e-7


def test_arrays_that_are_not_contiguous(how):
    start = np.arange(8.0)[::2]
    times = np.linspace(0, 1, 21)[::4]
    s = solve_ivp(lambda t, y: -y[::-1][::-1], (0, 1), start, t_eval=times, rtol=1e-9, atol=1e-12, **how)
    assert np.array_equal(s.t, times) and np.allclose(s.y[:, -1], start * np.exp(-1), rtol=1e-7)


def test_what_functions_may_give():
    for give in (
        lambda y: -y,
        lambda y: (-y).tolist(),
        lambda y: tuple(-y),
        lambda y: (-y).astype(np.float32),
        lambda y: np.concatenate([-y, -y])[::2] * 0 - y,
    ):
        s = solve_ivp(lambda t, y: give(y), (0, 1), [1.0, 1.0], trace=False)
        assert s.y[0, -1] == pytest.approx(np.exp(-1), rel=1e-3)
    s = solve_ivp(lambda t, y: -y[0], (0, 1), [1.0], trace=False)
    assert s.y[0, -1] == pytest.approx(np.exp(-1), rel=1e-3)
    with pytest.raises(ValueError, match="must give 2 values"):
        solve_ivp(lambda t, y: [1.0], (0, 1), [1.0, 1.0], trace=False)
    with pytest.raises(ValueError, match="no array of numbers"):
        solve_ivp(lambda t, y: "x", (0, 1), [1.0], trace=False)


def test_functions_may_keep_their_argument():
    seen = []
    solve_ivp(lambda t, y: seen.append(y) or -y, (0, 1), [1.0], trace=False)
    assert len({id(y) for y in seen}) == len(seen) and len({float(y[0]) for y in seen}) > 3


def test_an_exception_passes_through():
    def fails(t, y):
        if t > 0.5:
            raise LookupError("beyond")
        return -y

    with pytest.raises(LookupError, match="beyond"):
        solve_ivp(fails, (0, 1), [1.0], trace=False)


def test_arithmetic_errors_shorten_steps():
    s = solve_ivp(
        lambda t, y: [1 / (2 - t) ** 0.5 if t <= 2 else 1 / 0],
        (0, 1.999),
        [0.0],
        first_step=1.9,
        rtol=1e-6,
        trace=False,
    )
    assert s.y[0, -1] == pytest.approx(2 * (2**0.5 - 0.001**0.5), rel=1e-3)


def test_tolerances_of_each_state(how):
    f = lambda t, y: [y[1], -y[0], 1e-8 * np.cos(t)]
    s = solve_ivp(f, (0, 10), [1, 0, 0], "DOP853", rtol=1e-10, atol=[1e-10, 1e-10, 1e-18], **how)
    assert s.y[2, -1] == pytest.approx(1e-8 * np.sin(10), rel=1e-7)


def test_events_are_counted(how):
    zero = lambda t, y: y[0]
    zero.terminal = 3
    s = solve_ivp(
        lambda t, y: [y[1], -y[0]], (0, 100), [0.0, 1.0], events=zero, rtol=1e-8, t_eval=[1, 2, 50], **how
    )
    assert s.status == 1 and len(s.t_events[0]) == 3
    assert np.array_equal(s.t, [1, 2])
    zero.terminal = -1
    with pytest.raises(ValueError, match="terminal"):
        solve_ivp(lambda t, y: [y[1], -y[0]], (0, 1), [0.0, 1.0], events=zero, **how)


def test_an_event_that_is_short_is_found(how):
    """Between two steps of an order-8 method the function goes through zero twice."""
    near = lambda t, y: y[0] - 0.9995
    s = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 10), [0.0, 1.0], "DOP853", events=near, rtol=1e-6, **how)
    width = np.arccos(0.9995)
    assert np.allclose(
        s.t_events[0],
        [np.pi / 2 - width, np.pi / 2 + width, 5 * np.pi / 2 - width, 5 * np.pi / 2 + width],
        atol=1e-3,
    )


def test_bands_and_patterns():
    n = 60
    f = (
        lambda t, y: np.concatenate(([-2 * y[0] + y[1]], y[:-2] - 2 * y[1:-1] + y[2:], [y[-2] - 2 * y[-1]]))
        * n
    )
    start = np.sin(np.linspace(0, np.pi, n))
    plain = solve_ivp(f, (0, 1), start, "Radau", rtol=1e-6, trace=False)
    for words in (
        {"jac_sparsity": np.abs(np.subtract.outer(range(n), range(n))) <= 1},
        {"lband": 1, "uband": 1},
    ):
        other = solve_ivp(f, (0, 1), start, "Radau", rtol=1e-6, trace=False, **words)
        assert np.allclose(other.y[:, -1], plain.y[:, -1], rtol=1e-5, atol=1e-9) and other.nfev < plain.nfev


def test_keywords_are_taken_or_refused():
    f = lambda t, y: -y
    with pytest.raises(TypeError, match="unexpected keyword"):
        solve_ivp(f, (0, 1), [1.0], tolerance=1e-3)
    with pytest.raises(ValueError, match="min_step"):
        solve_ivp(f, (0, 1), [1.0], min_step=1e-3)
    with pytest.raises(ValueError, match="method"):
        solve_ivp(f, (0, 1), [1.0], method="RK46")
    with pytest.raises(ValueError, match="1-dimensional"):
        solve_ivp(f, (0, 1), [[1.0]])
    with pytest.raises(ValueError, match="finite"):
        solve_ivp(f, (0, 1), [np.nan])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solve_ivp(f, (0, 1), [1.0], "rk4", step=0.1).t.size == 11


def test_a_run_that_fails_says_why():
    s = solve_ivp(lambda t, y: y * y, (0, 2), [1.0], rtol=1e-6)
    assert s.status == -1 and not s.success and s.t[-1] < 1.01 and "y[0]" in s.message


def test_rows_are_held_whatever_atol_is(how):
    """scipy's default of 1e-6 beside a small rtol says nothing about the size of states."""
    s = solve_ivp(kepler, (0, 20), START, "DOP853", rtol=1e-11, invariants={"energy": energy}, **how)
    assert s.kept["energy"].drift < 2e-14 and s.kept["energy"].units < 4


@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_an_event_ends_a_run_to_infinity(method, trace):
    """A body thrown up from the ground, where the event function is zero."""
    ground = lambda t, y: y[0]
    ground.terminal, ground.direction = True, -1
    fall = lambda t, y: [y[1], -10.0]
    s = solve_ivp(fall, (0, np.inf), [0, 50], method, events=ground, rtol=1e-6, trace=trace)
    assert s.status == 1 and s.t_events[0] == pytest.approx([10], rel=1e-6)
    s = solve_ivp(lambda t, y: -y, (0, np.inf), [1.0], method, max_steps=20, trace=trace)
    assert s.status == -1 and "max_steps" in s.message


@pytest.mark.parametrize("trace", [None, False])
def test_sentences_speak_of_y(trace):
    f = lambda t, y: [y[1], -y[0]]
    with pytest.raises(ValueError, match=r"`x` is not conserved.*y\[0\]`? = "):
        solve_ivp(f, (0, 1), [1, 0], invariants={"x": lambda t, y: y[0]}, trace=trace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(keel.RunError, match=r"y\[1\] is not finite"):
            solve_ivp(lambda t, y: [y[1], np.nan], (0, 1), [1, 0], trace=trace)


@pytest.mark.parametrize("trace", [True, False])
@pytest.mark.parametrize("way", [1, -1])
def test_sol_goes_on_as_a_cubic(trace, way):
    """Free fall by short steps, far beyond the event that ends the run."""
    ground = lambda t, y: y[0]
    ground.terminal = True
    s = solve_ivp(lambda t, y: [y[1], -10.0], (0, way), [0.0, way * 0.01], max_step=1e-5, events=ground,
                  dense_output=True, trace=trace)  # fmt: skip
    assert s.status == 1 and s.t[-1] == pytest.approx(way * 0.002)
    t = way * np.array([-0.01, 0.001, 0.01])
    assert np.allclose(s.sol(t), [way * 0.01 * t - 5 * t**2, way * 0.01 - 10 * t], rtol=1e-6, atol=1e-9)


def test_sol_does_not_go_on_from_a_sliver():
    """An event just behind a step leaves a step of one round-off."""
    from keel._dense import DenseSolution

    ends, nodes = np.array([0, 1, 1 + 2**-52]), (1 - np.cos(np.pi * np.arange(8) / 7)) / 2
    times = (ends[:-1, None] + nodes * np.diff(ends)[:, None]).ravel()
    sol = DenseSolution(ends, np.stack([times**2, np.sin(times)], axis=1), 8)
    assert sol(2.0)[0] == pytest.approx(4, rel=1e-12) and abs(sol(1.2)[1] - np.sin(1.2)) < 0.01
    assert np.allclose(sol(-0.5), [0.25, np.sin(-0.5)], atol=0.02)
