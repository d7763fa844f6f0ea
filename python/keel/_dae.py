"""solve_dae: differential-algebraic equations of any index, from functions."""

import warnings

import numpy as np

from . import _keel
from ._dae_called import called
from ._ivp import _NODES, TraceWarning, _result, _with_method
from ._problem import Problem
from ._symbols import TraceError
from ._trace import call, call_with, named
from ._traced import Traced


def _residuals(fun, mass, constraints, fixed, args):
    """The equations 0 = F(t, y, y'), or M y' = F(t, y), and 0 = g(t, y) beside them."""

    def equations(problem):
        n = problem.n
        y, slope = named([f"u{k}" for k in range(n)]), named([f"u{k}'" for k in range(n)])
        if mass is None:
            nodes = call_with(fun, (y, slope, *args), problem.start())
        else:
            matrix = mass if callable(mass) else lambda t, y, *args: mass
            nodes = call_with(
                lambda t, y, slope, *args: matrix(t, y, *args) @ slope - fun(t, y, *args),
                (y, slope, *args),
                problem.start(),
            )
        for g in constraints:
            nodes = nodes + call(g, n, args, problem.start())
        if len(nodes) != n:
            raise _keel.OptionError(f"{n} unknowns need as many equations, these are {len(nodes)}")
        return nodes, lambda texts: [f"0 = {text}" for text in texts], {k for k in range(n) if k not in fixed}

    return equations


def _trace(problem, equations):
    """The model that the equations are; None: the functions are called."""
    if problem.trace is False:
        return None
    try:
        return Traced(problem, equations)
    except TraceError as error:
        if problem.trace:
            raise
        name = getattr(problem.source, "__name__", "the function")
        warnings.warn(f"{name} is called from Python, more slowly: {error}", TraceWarning, stacklevel=3)
        return None


def solve_dae(
    fun,
    t_span,
    y0,
    method="",
    t_eval=None,
    dense_output=False,
    events=None,
    args=None,
    *,
    mass=None,
    constraints=None,
    fixed=(),
    **options,
):
    """Solve 0 = fun(t, y, y'), or mass y' = fun(t, y), for y, whatever the index.

    The functions are traced (see solve_ivp): keel differentiates the equations, finds hidden constraints and
    a start that satisfies all of them, as near to y0 as it can be, and keeps them to round-off.  Functions
    that cannot be traced are called, and a TraceWarning says why: then the matrix before y' must be constant,
    and the algebraic equations must determine what is not differentiated (index 1 or 2).

    Parameters
    ----------
    fun : callable
        ``fun(t, y, yp)``: as many residuals as there are unknowns; with ``mass``, ``fun(t, y)``.
    mass : array_like or callable, optional
        M or M(t, y), which may be singular.
    constraints : callable or list of callables, optional
        ``g(t, y)``: further equations 0 = g, in the place of as many residuals.
    fixed : sequence of int, optional
        Numbers of the start values that are meant; the others are guesses.

    The rest is as in solve_ivp, and so is the result.

    >>> def pendulum(t, u, up):  # index 3: y[4] is the force of the rod
    ...     x, y, vx, vy, f = u
    ...     return [up[0] - vx, up[1] - vy, up[2] + f*x, up[3] + f*y + 9.81, x*x + y*y - 1]
    >>> s = solve_dae(pendulum, (0, 10), [1, 0, 0, 0, 0], rtol=1e-8)
    >>> bool(abs(s.y[0]**2 + s.y[1]**2 - 1).max() < 1e-14)
    True
    """
    rows = [] if constraints is None else [constraints] if callable(constraints) else list(constraints)
    options.setdefault("rtol", 1e-6)
    options.setdefault("atol", 1e-3 * float(np.min(options["rtol"])))
    problem = Problem(fun, t_span, y0, method or "DOP853", t_eval, dense_output, events, False, args, options)
    fixed = {int(k) % problem.n for k in fixed}
    if not method:
        problem.method = "auto"
    traced = _trace(problem, _residuals(fun, mass, rows, fixed, problem.args))
    if traced is None:
        return called(problem, fun, mass, rows)
    nodes = _NODES if problem.dense_output else 0
    plan = dict(problem.plan)
    made = _with_method(problem, plan, lambda: traced.run(plan, nodes))
    return _result(problem, made, traced.compiled)
