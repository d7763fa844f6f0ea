"""A signal for a process that is at work, however busy the machine is."""
import os
import signal
import time

TICKS = os.sysconf("SC_CLK_TCK")


def interrupt(process, number=signal.SIGINT, work=0.3):
    """Once it catches the signal and has computed for so many seconds of its own."""
    while process.poll() is None and not (_catches(process.pid, number) and _worked(process.pid) >= work):
        time.sleep(0.01)
    process.send_signal(number)


def _catches(pid, number):
    with open(f"/proc/{pid}/status") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


def _worked(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
