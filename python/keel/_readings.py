"""Readings of a text.  A run has one to itself, so that several threads may run one model."""

import threading

from . import _keel


class Readings:
    """Lends readings; each is (the object, the values that are set in it).

    Values are {name: number or text}.  Runs with other numbers than a reading has need not read them into it
    where the model allows that (`vary` in keel/ensemble.h): they have the same bits, and begin sooner.
    """

    def __init__(self, name, text, interpret, base=(), to=None, sensitivity=None):
        self.name, self.text, self.interpret, self.base = name, text, interpret, list(base)
        self.to, self.sensitivity = to, sensitivity
        self._lock = threading.Lock()
        self._idle = []

    def take(self, words):
        """A reading with these values; it belongs to the caller until `give`."""
        words = self.base + words if words else self.base
        with self._lock:
            for k, (_, there) in enumerate(self._idle):
                if there is words or there == words:
                    return self._idle.pop(k)
            reading = self._idle.pop()[0] if self._idle else None
        try:
            if reading is not None:
                reading.set(words)
                return reading, words
        except _keel.ModelError:
            pass  # it may have been left with other values; and reading the text tells more
        try:
            read = _keel.Model(self.name, self.text, words, self.interpret, False, self.to, self.sensitivity)
            return read, words
        except _keel.ModelError as error:  # the command's word for values
            raise _keel.ModelError(str(error).replace("error: --set ", "error: ")) from None

    def give(self, lent):
        with self._lock:
            self._idle.append(lent)

    def use(self, values, work, *more):
        """`work(reading, names, numbers, *more)` by a reading that has the values, or that goes on from its
        own with these names and numbers; there the work gives None if that cannot be."""
        names, numbers = tuple(values), tuple(values.values())
        if not names or all(type(number) is float for number in numbers):
            lent = self._near()
            made = self._work(lent, work, names, numbers, *more) if lent else None
            if made is not None:
                return made
        words = [f"{name}={number}" for name, number in values.items()]
        return self._work(self.take(words), work, (), (), *more)

    def _near(self):
        """A reading to go on from, whose other values are those of the text; or None."""
        return self.take(())

    def _work(self, lent, work, *args):
        try:
            return work(lent[0], *args)
        finally:
            self.give(lent)


class CompleteReadings(Readings):
    """Of a text in which every run gives a number to every parameter: any reading will do to go on from."""

    def _near(self):
        with self._lock:
            return self._idle.pop() if self._idle else None
