from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

class Error(Exception): ...
class ModelError(Error, ValueError): ...
class OptionError(Error, ValueError): ...

class RunError(Error, RuntimeError):
    result: Result

class TraceError(Error, TypeError): ...
class TraceWarning(UserWarning): ...

class Row(NamedTuple):
    name: str
    kind: str
    treatment: str
    verdict: str
    start: float
    drift: float
    units: float
    last: float
    unit: float

class Event(NamedTuple):
    t: float
    name: str
    values: dict[str, float]
    changed: bool

class Check:
    name: str
    index: int
    free_values: int
    degrees_of_freedom: int
    hidden: list[tuple[str, str]]
    modes: list[str]
    parameters: dict[str, float]
    start: dict[str, str]
    free: list[str]
    compiled: bool
    why_not: str
    message: str

class Found(NamedTuple):
    name: str
    text: str
    degree: int
    terms: int
    independent: bool
    relation: str | None
    parameters: str
    held: str | None
    known: str | None
    doubt: str | None

class Discovery(list[Found]):
    degree: int
    monomials: int
    functions: list[str]
    unwritten: int
    between_events: bool
    odd_numbers: int
    @property
    def lines(self) -> str: ...

class Result:
    model: Model
    begin: float
    end: float
    @property
    def t(self) -> NDArray[np.float64]: ...
    @property
    def y(self) -> NDArray[np.float64]: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def kept(self) -> dict[str, Row]: ...
    @property
    def events(self) -> list[Event]: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def method(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def certificate(self) -> str: ...
    def __getitem__(self, name: str) -> NDArray[np.float64]: ...
    def __contains__(self, name: str) -> bool: ...
    def keys(self) -> tuple[str, ...]: ...
    def sol(self, t: ArrayLike, name: str | None = None) -> Any: ...
    def accuracy(self) -> dict[str, float]: ...
    def to_xarray(self) -> Any: ...
    def plot(self, x: str = "t", *names: str, ax: Any = None) -> Any: ...

class Model:
    text: str
    name: str
    set: dict[str, Any]
    interpret: bool
    to: float | str | None
    sensitivity: str | None
    def __init__(
        self,
        source: str | PathLike[str],
        name: str | None = None,
        *,
        set: Mapping[str, Any] | None = None,
        interpret: bool = False,
        to: float | str | None = None,
        sensitivity: str | Sequence[str] | None = None
    ) -> None: ...
    @property
    def parameters(self) -> dict[str, float]: ...
    @property
    def columns(self) -> list[str]: ...
    @property
    def compiled(self) -> bool: ...
    def check(self) -> Check: ...
    def discover(
        self,
        degree: int | None = None,
        *,
        functions: str | Sequence[str] | None = None,
        seed: int = 1,
        limit: int | None = None
    ) -> Discovery: ...
    def run(
        self,
        to: float | str | None = None,
        *,
        at: ArrayLike | None = None,
        points: int | None = None,
        every: float | None = None,
        steps: bool = False,
        set: Mapping[str, Any] | None = None,
        **words: Any
    ) -> Result: ...
    def sweep(
        self,
        to: float | str | None = None,
        *,
        over: Mapping[str, ArrayLike | str] | Sequence[str] | str | None = None,
        zip: bool = False,
        draw: Mapping[str, str] | Sequence[str] | str | None = None,
        table: Any = None,
        count: int | None = None,
        seed: int = 1,
        sample: str = "random",
        times: ArrayLike | None = None,
        every: float | None = None,
        columns: Sequence[str] | str | None = None,
        extrema: bool = False,
        events: str | None = None,
        summary: str | Sequence[str] | None = None,
        keep_values: bool = True,
        workers: int | None = None,
        out: str | PathLike[str] | None = None,
        progress: bool | Callable[[int, int], Any] = False,
        set: Mapping[str, Any] | None = None,
        **words: Any
    ) -> Sweep: ...
    def sample(self, result: Result, times: ArrayLike) -> NDArray[np.float64]: ...
    def fit(
        self,
        data: Any,
        names: str | Sequence[str],
        *,
        sigma: Mapping[str, float] | None = None,
        bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
        experiment: str | None = None,
        columns: str | Sequence[str] | None = None,
        set: Mapping[str, Any] | None = None,
        **words: Any
    ) -> Fit: ...
    def orbit(
        self,
        period: float | None = None,
        *,
        hold: str | Sequence[str] | None = None,
        points: int = 1001,
        set: Mapping[str, Any] | None = None,
        **words: Any
    ) -> Orbit: ...
    def steady(
        self, *, hold: str | Sequence[str] | None = None, set: Mapping[str, Any] | None = None, **words: Any
    ) -> Steady: ...
    def lyapunov(
        self,
        to: float | None = None,
        *,
        transient: float | None = None,
        set: Mapping[str, Any] | None = None,
        **words: Any
    ) -> Lyapunov: ...
    def section(self, plane: str, to: float | str | None = None, **words: Any) -> Sweep: ...

class Fit:
    names: list[str]
    start: dict[str, float]
    values: dict[str, float]
    deviation: dict[str, float]
    interval: dict[str, tuple[float, float]]
    bound: dict[str, str | None]
    covariance: NDArray[np.float64]
    columns: dict[str, dict[str, float]]
    points: NDArray[np.float64]
    free: list[str]
    doubts: list[str]
    experiments: int
    missing: int
    freedom: int
    sigma_given: bool
    chi_square: float
    steps: int
    runs: int
    @property
    def correlation(self) -> NDArray[np.float64]: ...
    def __getitem__(self, name: str) -> float: ...

class Orbit:
    period: float
    guess: float
    defect: float
    closing: float
    error: float
    product: float
    steps: int
    family: int
    turns: int
    autonomous: bool
    start: dict[str, float]
    trivial: list[str]
    multipliers: NDArray[np.complex128]
    points: NDArray[np.float64]
    t: NDArray[np.float64]
    def __getitem__(self, name: str) -> NDArray[np.float64]: ...

class Steady:
    state: dict[str, float]
    eigenvalues: NDArray[np.complex128]
    stability: str
    family: int
    rate: float
    steps: int
    def __getitem__(self, name: str) -> float: ...

class Lyapunov:
    exponents: NDArray[np.float64]
    errors: NDArray[np.float64]
    sum: float
    sum_error: float
    left_out: list[str]

class Sweep:
    model: Model
    members: int
    names: list[str]
    columns: list[str]
    rows: list[str]
    axes: dict[str, int]
    shape: tuple[int, ...]
    method: str
    seed: int
    t: NDArray[np.float64] | None
    values: dict[str, NDArray[np.float64]]
    status: NDArray[np.int32]
    steps: NDArray[np.int64]
    drift: NDArray[np.float64]
    drift_row: NDArray[np.int32]
    correction: NDArray[np.float64]
    defect: NDArray[np.float64]
    t_end: NDArray[np.float64]
    failed: dict[int, str]
    extrema: dict[str, dict[str, NDArray[np.float64]]]
    events: dict[str, NDArray[Any]] | None
    summary: dict[str, dict[str, Any]]
    @property
    def certificate(self) -> str: ...
    def __getitem__(self, name: str) -> NDArray[np.float64]: ...
    def __contains__(self, name: str) -> bool: ...
    def __len__(self) -> int: ...
    def keys(self) -> tuple[str, ...]: ...
    def values_of(self, member: int) -> dict[str, float]: ...
    def run(self, member: int, **words: Any) -> Result: ...
    def rename(self, name_of: Callable[[str], str]) -> None: ...
    def to_xarray(self) -> Any: ...
    def save(self, path: str | PathLike[str]) -> None: ...

class IvpResult(dict[str, Any]):
    t: NDArray[np.float64]
    y: NDArray[Any]
    sol: Callable[[ArrayLike], NDArray[Any]] | None
    t_events: list[NDArray[np.float64]] | None
    y_events: list[NDArray[Any]] | None
    nfev: int
    njev: int
    nlu: int
    nfev_dense: int
    status: int
    message: str
    success: bool
    certificate: str
    kept: dict[str, Row]
    compiled: bool
    method: str

_Function = Callable[..., Any]

def solve_ivp(
    fun: _Function,
    t_span: Sequence[float],
    y0: ArrayLike,
    method: Any = "RK45",
    t_eval: ArrayLike | None = None,
    dense_output: bool = False,
    events: _Function | Iterable[_Function] | None = None,
    vectorized: bool = False,
    args: Sequence[Any] | None = None,
    **options: Any
) -> IvpResult: ...
def options() -> dict[str, str]: ...
def methods() -> dict[str, str]: ...
def trace(
    function: _Function,
    y0: ArrayLike | None = None,
    n: int | None = None,
    args: Sequence[Any] = (),
    invariants: Mapping[str, _Function] | None = None,
) -> str: ...
def solve_dae(
    fun: _Function,
    t_span: Sequence[float],
    y0: ArrayLike,
    method: str = "",
    t_eval: ArrayLike | None = None,
    dense_output: bool = False,
    events: _Function | Iterable[_Function] | None = None,
    args: Sequence[Any] | None = None,
    *,
    mass: Any = None,
    constraints: _Function | Iterable[_Function] | None = None,
    fixed: Sequence[int] = (),
    **options: Any
) -> IvpResult: ...
def sweep(
    fun: _Function,
    t_span: Sequence[float],
    y0: ArrayLike,
    *,
    args: Mapping[str, float] | None = None,
    invariants: Mapping[str, _Function] | None = None,
    **words: Any
) -> Sweep: ...
def mechanics(
    lagrangian: _Function,
    q0: ArrayLike,
    v0: ArrayLike,
    t_span: Sequence[float],
    *,
    constraints: Mapping[str, _Function] | None = None,
    forces: _Function | None = None,
    invariants: Mapping[str, _Function] | None = None,
    energy: bool = True,
    fixed: bool = False,
    args: Sequence[Any] = (),
    name: str = "mechanics"
) -> Model: ...
