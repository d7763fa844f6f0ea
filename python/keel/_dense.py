"""The solution between the steps: a polynomial for each step, by its values at Chebyshev's nodes."""

import numpy as np


class DenseSolution:
    """``sol(t)``: the values at one time, shape (n,), or at many, shape (n, len(t)), as scipy's OdeSolution.

    Barycentric interpolation at the nodes (1 - cos(pi j/(K - 1)))/2, whose weights are +-1, halved at the
    ends.  Before the first time and behind the last one it is a cubic through four values of the step there:
    higher degrees grow without bounds.
    """

    def __init__(self, ends, values, nodes):
        self.ts = np.array(ends, dtype=float)
        self.t_min, self.t_max = float(self.ts.min()), float(self.ts.max())
        self._values = values.reshape(len(self.ts) - 1, nodes, -1) if len(self.ts) > 1 else values
        self._nodes = (1 - np.cos(np.pi * np.arange(nodes) / (nodes - 1))) / 2
        self._nodes[-1] = 1
        self._weights = np.where(np.arange(nodes) % 2, -1.0, 1.0)
        self._weights[[0, -1]] /= 2
        self.n = values.shape[-1]

    def __call__(self, t):
        times = np.atleast_1d(np.asarray(t, dtype=float))
        table = self._at(times) if len(self.ts) > 1 else np.repeat(self._values[-1:], len(times), axis=0)
        return table[0] if np.ndim(t) == 0 else table.T

    def _at(self, times):
        forward = self.ts[-1] >= self.ts[0]
        ordered = self.ts if forward else self.ts[::-1]
        place = np.searchsorted(ordered, times, side="left" if forward else "right") - 1
        step = np.clip(place, 0, len(ordered) - 2)
        step = step if forward else len(ordered) - 2 - step
        begin, end = self.ts[step], self.ts[step + 1]
        part = (times - begin) / (end - begin)
        part = np.where(times == end, 1.0, part)
        away = part[:, None] - self._nodes
        hit = away == 0
        factor = self._weights / np.where(hit, 1, away)
        factor = np.where(hit.any(axis=1)[:, None], hit, factor)
        values = self._values[step]
        table = np.einsum("tk,tkn->tn", factor, values) / factor.sum(axis=1)[:, None]
        outside = (part < 0) | (part > 1)
        if outside.any():
            table[outside] = self._beyond(times[outside], step[outside])
        return table

    def _beyond(self, times, step):
        """Newton's form at four of the nodes; an event may have left a sliver of the last step."""
        lengths = np.abs(np.diff(self.ts))
        inner = np.clip(np.where(step == 0, 1, step - 1), 0, len(lengths) - 1)
        step = np.where(lengths[step] < 1e-3 * lengths[inner], inner, step)
        part = (times - self.ts[step]) / (self.ts[step + 1] - self.ts[step])
        pick = np.linspace(0, len(self._nodes) - 1, 4).astype(int)
        nodes, slopes = self._nodes[pick], self._values[step][:, pick]
        for k in range(1, 4):
            slopes[:, k:] = (slopes[:, k:] - slopes[:, k - 1 : -1]) / (nodes[k:] - nodes[:-k])[:, None]
        found = slopes[:, 3]
        for k in (2, 1, 0):
            found = slopes[:, k] + found * (part - nodes[k])[:, None]
        return found


class ConstantSolution(DenseSolution):
    """Of a run that takes no step, or has no states."""

    def __init__(self, begin, end, value):
        super().__init__([begin], np.asarray(value, dtype=float)[None, :], 2)
        self.ts = np.array([begin, end], dtype=float)[:1]
