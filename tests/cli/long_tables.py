#!/usr/bin/env python3
"""Tables of a million rows: what the five interpolations integrate to, against closed forms."""
import json
import math
import unittest

import cli

ROWS, STEP = 1000000, 1e-5


class LongTables(cli.Case):
    def test_million_rows(self):
        """hold and mean: the sum of the rows; linear: trapezoids; pchip and spline: the integral of the sine itself."""
        rows = [math.sin(i * 1e-4) for i in range(ROWS + 1)]
        with open(self.path("load.csv"), "w") as file:
            file.write("t,v\n" + "".join(f"{i * STEP!r},{row!r}\n" for i, row in enumerate(rows)))
        steps = math.fsum(rows[:-1]) * STEP
        smooth = (1 - math.cos(100)) / 10
        for by, exact, bound in (("hold", steps, 1e-13), ("mean", steps, 1e-13), ("linear", steps + rows[-1] * STEP / 2, 1e-13),
                                 ("pchip", smooth, 1e-12), ("spline", smooth, 1e-13)):
            with open(self.path("own.keel"), "w") as file:
                file.write(f'table f = "load.csv", column = "v", by = {by}\nvar x\nx\' = f(t)\ninit x = 0\nrun 0 .. 10\n')
            run = json.loads(self.keel("run", "own.keel", "--method", "dop853", "--json", "--accuracy", "no").stdout)
            self.assertGreaterEqual(run["steps"], ROWS, by)
            self.assertAlmostEqual(run["state"]["x"], exact, delta=bound, msg=by)


if __name__ == "__main__":
    unittest.main()
