"""Readings of a text.  A run has one to itself, so that several threads may run one model."""

import threading

from . import _keel


class Readings:
    """Lends readings with values of parameters; each is (the object, the values that are set in it)."""

    def __init__(self, name, text, interpret, base=()):
        self.name, self.text, self.interpret, self.base = name, text, interpret, list(base)
        self._lock = threading.Lock()
        self._idle = []

    def take(self, words):
        """A reading with these values; it belongs to the caller until `give`."""
        words = self.base + list(words)
        with self._lock:
            for k, (reading, there) in enumerate(self._idle):
                if there == words:
                    return self._idle.pop(k)
            reading = self._idle.pop()[0] if self._idle else None
        if reading is None:
            return _keel.Model(self.name, self.text, words, self.interpret, False), words
        try:
            reading.set(words)
        except _keel.ModelError:
            reading = None  # it may have been left with other values: it is read again
            raise
        return reading, words

    def give(self, lent):
        with self._lock:
            self._idle.append(lent)
