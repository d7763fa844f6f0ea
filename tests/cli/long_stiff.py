"""The stiff problems of the literature by default, the ring modulator among them, at several tolerances."""
import stiff_set


def test_errors_at_several_tolerances():
    for name in (*stiff_set.CHEAP, "ring_modulator"):
        for rtol in ("1e-4", "1e-6", "1e-8"):
            found = stiff_set.run(name, "--rtol", rtol)
            known = stiff_set.run(name, "--rtol", rtol, "--method", "radau")
            error, other = (stiff_set.tolerances(name, one, float(rtol)) for one in (found, known))
            assert error < max(20, 2 * other), (name, rtol, error, other)
            assert found["evaluations"] < 3 * known["evaluations"] + 1000, (name, rtol)


if __name__ == "__main__":
    import tool
    tool.main(globals())
