"""Invariants that nobody stated."""

import html
from typing import NamedTuple


class Found(NamedTuple):
    """An invariant, as text of the language."""

    name: str
    text: str
    degree: int
    terms: int
    independent: bool  # False: a function of those before it
    relation: object  # then the equation between them, or None
    parameters: str  # "all" values; "these"; "unknown": others have other coefficients
    held: object  # the parameters that must keep their values, or None
    known: object  # the invariant of the model that it is; "": it follows from several; None: new
    doubt: object  # why the model does not accept it, or None


class Discovery(list):
    """What `Model.discover` found: a list of `Found`, with what was searched.

    `degree` and `monomials` say how far, `functions` of what; `unwritten` counts those whose coefficients are no
    plain fractions; `between_events`: events act, and may change what was found; `odd_numbers` counts numbers of the
    model that are no plain fractions, between which no relation is seen.  `lines` is text that a model may end with.
    """

    def __init__(self, degree, monomials, functions, found, unwritten, between_events, odd_numbers):
        super().__init__(Found(*one) for one in found)
        self.degree, self.monomials, self.functions, self.unwritten = degree, monomials, functions, unwritten
        self.between_events, self.odd_numbers = bool(between_events), odd_numbers

    @property
    def lines(self):
        return "".join(f"invariant {one.name} = {one.text}\n" for one in self if one.doubt is None)

    def __repr__(self):
        searched = f"{self.monomials} monomials up to degree {self.degree} of {', '.join(self.functions)}"
        return f"# {searched}\n{self.lines or '# no invariant'}".rstrip()

    def _repr_html_(self):
        rows = "".join(
            f"<tr><td>{html.escape(one.name)}</td><td><code>{html.escape(one.text)}</code></td></tr>"
            for one in self
        )
        return f"<table>{rows}</table>"
