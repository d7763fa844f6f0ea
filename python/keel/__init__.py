"""keel integrates ODEs and DAEs without losing what the true solution keeps.

>>> import keel
>>> m = keel.Model('''
... param g = 9.81, l = 1
... coord x, y
... lagrangian (x'^2 + y'^2)/2 - g*y
... constraint rod: x^2 + y^2 = l^2
... invariant energy
... init y = 0, y' = 0
... guess x = l
... run 0 .. 10
... ''')
>>> r = m.run(rtol=1e-9, at=[0, 5, 10], l=2)
>>> r.t
array([ 0.,  5., 10.])
>>> bool(r.kept["rod"].units < 4)
True
"""

import sysconfig as _sysconfig

if _sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise ImportError(
        "keel needs a Python with the global interpreter lock: free-threaded ones have another ABI"
    )

from ._keel import Error, ModelError, OptionError, RunError
from ._keel import version as __version__
from ._analysis import Fit, Lyapunov, Orbit, Steady
from ._dae import solve_dae
from ._discover import Discovery, Found
from ._function import sweep
from ._ivp import TraceWarning, solve_ivp
from ._mechanics import mechanics
from ._model import Check, Model, methods, options
from ._result import Event, IvpResult, Result, Row
from ._sweep import Sweep
from ._symbols import TraceError
from ._trace import trace

__all__ = [
    "Check",
    "Discovery",
    "Error",
    "Event",
    "Fit",
    "Found",
    "IvpResult",
    "Lyapunov",
    "Model",
    "ModelError",
    "OptionError",
    "Orbit",
    "Result",
    "Row",
    "RunError",
    "Steady",
    "Sweep",
    "TraceError",
    "TraceWarning",
    "mechanics",
    "methods",
    "options",
    "solve_dae",
    "solve_ivp",
    "sweep",
    "trace",
]
