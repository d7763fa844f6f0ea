"""keel steady: the table, its JSON, the picture, refusals."""
import json
import os

from tool import check, example, folder, keel, refused

HERE = folder()


def test_a_pendulum_hangs_and_stands():
    plot = os.path.join(HERE.name, "plane.svg")
    out, _ = keel("steady", example("pendulum"), "--set", "y=-0.9", "--plot", plot)
    check("swings with a period of 2.00607" in out and "undecided" in out and "<svg" in open(plot).read(), out)
    story = json.loads(keel("steady", example("pendulum"), "--set", "y=0.9", "--json")[0])
    check(story["stability"] == "unstable" and abs(story["state"]["y"] - 1) < 1e-12 and story["family"] == 0, story)
    check(abs(story["eigenvalues"][0]["real"] - 9.81 ** 0.5) < 1e-8, story["eigenvalues"])
    check("equilibrium" in keel("steady", example("pendulum"))[0])


def test_a_family_is_told():
    check("it is not isolated" in keel("steady", example("robertson"))[0])


def test_refusals():
    refused("steady", example("kepler"), words=("no equilibrium was found",))
    refused("steady", example("stick_slip"), words=("with modes",))
    refused("steady", example("lorenz"), "--hold", "w", status=2, words=("`w` cannot be held",))
    err = keel("steady", example("pendulum"), "--set", "y=2", status=1)[1]  # nobody asked for tangent vectors
    check("2 free start values" in err and "d/dy" not in err, err)
    check(keel("steady", example("lorenz"), "--quiet")[0] == "")


if __name__ == "__main__":
    import tool
    tool.main(globals())
