"""What another thread of Python does while a call runs."""

import contextlib
import threading
import time


@contextlib.contextmanager
def counting():
    """A list whose number another thread counts up, once a millisecond, as long as it may run."""
    count, done = [0], threading.Event()

    def tick():
        while not done.is_set():
            count[0] += 1
            time.sleep(1e-3)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield count
    finally:
        done.set()
        thread.join()
