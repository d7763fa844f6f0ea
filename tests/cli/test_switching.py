"""What the certificate, JSON and report say of modes, jumps of kept rows, switches and sliding."""
import json
import subprocess
import tempfile
import unittest

import cli
from tool import KEEL, example

FRICTION = "var x, v\nx' = v\nv' = -%g*sign(v) + %g*sin(t)\ninit x = 0, v = 1\nrun 0 .. 12\n"


def run(*words, text=None):
    done = subprocess.run([KEEL, "run", *words, "--interpret"], input=text, capture_output=True, text=True, timeout=120)
    return done.stdout


class Switching(cli.Case):
    def test_jumps_of_the_energy(self):
        """A ball that bounces with restitution e loses 1 - e^2 of what is not its sidewards motion."""
        for e in (0.5, 0.6, 0.7, 0.8, 0.9):
            said = json.loads(run(example("bounce"), "--json", "--set", f"e={e}", "--tend", "1.2"))
            jumps = [one for one in said["jumps"] if one["row"] == "energy"]
            self.assertTrue(jumps and said["jumps_total"] == len(said["jumps"]))
            for one in jumps:
                self.assertEqual(one["event"], "hit")
                self.assertAlmostEqual((one["after"] - 0.5) / (one["before"] - 0.5), e * e, delta=1e-6)
            kept, = [row for row in said["kept"] if row["name"] == "energy"]
            self.assertAlmostEqual(kept["start"], jumps[0]["before"], delta=1e-6)
        self.assertIn("jumps", run(example("bounce")))

    def test_sliding_is_named(self):
        """Dry friction holds the mass while |force| is below it; each stop is a slide along sign(v)."""
        for mu, force in ((0.5, 1), (0.7, 1), (0.9, 1), (1.2, 2), (0.3, 0.5)):
            text = FRICTION % (mu, force)
            said = json.loads(run("-", "--json", text=text))
            surface, = said["surfaces"]
            self.assertGreater(surface["slides"], 0)
            self.assertTrue(0 < surface["slid"] < 12)
            self.assertRegex(run("-", text=text), r"(?m)^  sliding    sign\(.*slid along (once|\d+ times) for ")

    def test_modes_and_report(self):
        said = json.loads(run(example("stick_slip"), "--json"))
        self.assertAlmostEqual(sum(one["time"] for one in said["modes"]), said["t"] - said["t0"], delta=1e-9)
        with tempfile.TemporaryDirectory() as place:
            run(example("bounce"), "--report", f"{place}/a.html")
            with open(f"{place}/a.html") as page:
                self.assertIn('id="jumps"', page.read())


if __name__ == "__main__":
    unittest.main()
