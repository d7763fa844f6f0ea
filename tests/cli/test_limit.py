"""The limit of steps: of the whole run, whatever it is cut into; fixed steps are as many as were asked for."""
import json
import os
import unittest

import cli

STIFF = """model stiff
var x, y
param e = 1e-6
x' = (cos(t) - x)/e
y' = x
init x = 1, y = 0
run 0 .. 1000
"""
HOPS = """model hops
var x, v
x' = v
v' = -1
init x = 1, v = 0
event hit: x falling -> v := -v
run 0 .. 1000
"""


class Limit(cli.Case):
    def setUp(self):
        super().setUp()
        for name, text in ("stiff", STIFF), ("hops", HOPS):
            with open(self.path(name + ".keel"), "w") as file:
                file.write(text)

    def run_json(self, *words, status=0):
        return json.loads(self.keel("run", *words, "--json", status=status).stdout)

    def test_steps_by_their_error_end_there(self):
        for more in [], ["--interpret"], ["--points", "5"]:
            said = self.run_json("stiff", "--method", "dopri5", "--max-steps", "3000", *more, status=1)
            self.assertEqual(said["steps"], 3000)
            for word in "3000 steps", "t = ", "--method radau", "--max-steps":
                self.assertIn(word, said["message"])
        said = self.run_json("stiff", "--method", "radau", "--max-steps", "5", status=1)
        self.assertNotIn("--method radau", said["message"])

    def test_events_do_not_begin_it_anew(self):
        said = self.run_json("hops", "--max-steps", "200", status=1)
        self.assertEqual(said["steps"], 200)
        self.assertGreater(said["events_total"], 2)

    def test_fixed_steps_have_one_where_it_is_given(self):
        said = self.run_json("hops", "--method", "rk4", "--step", "0.01", "--max-steps", "50", status=1)
        self.assertEqual(said["steps"], 50)

    def test_a_run_that_goes_on_has_taken_some(self):
        words = ["stiff", "--method", "dopri5", "--rtol", "1e-3", "--interpret", "--checkpoint", "state",
                 "--checkpoint-every", "0.01", "--max-steps", "100000"]
        said = self.run_json(*words, status=1)
        self.assertEqual(said["steps"], 100000)
        self.assertTrue(os.path.exists(self.path("state")))
        said = self.run_json(*words, "--resume", "state", status=1)
        self.assertEqual(said["steps"], 100000)

    def test_other_commands(self):
        done = self.keel("compare", "stiff", "--methods", "dopri5,radau", "--max-steps", "2000", "--json")
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual([row["status"] for row in rows], ["failed", "done"])
        self.assertIn("--max-steps", self.keel("converge", "hops", "--method", "rk4", "--step", "0.01", "--max-steps", "50",
                                               status=1).stderr.decode())

    def test_what_is_no_number_of_steps(self):
        for value in "0", "-1", "0.5", "1e300", "x":
            self.refused("run", "stiff", "--max-steps", value)


if __name__ == "__main__":
    unittest.main(verbosity=2)
