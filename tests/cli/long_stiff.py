"""The stiff problems of the literature by default, the ring modulator among them, at several tolerances."""
import stiff_set


def seconds(name, *options):
    return min(stiff_set.run(name, *options)["wall_s"] for _ in range(3))


def test_errors_at_several_tolerances():
    for name in (*stiff_set.CHEAP, "ring_modulator"):
        for rtol in ("1e-4", "1e-6", "1e-8"):
            found = stiff_set.run(name, "--rtol", rtol)
            known = stiff_set.run(name, "--rtol", rtol, "--method", "radau")
            error, other = (stiff_set.tolerances(name, one, float(rtol)) for one in (found, known))
            assert error < max(20, 2 * other), (name, rtol, error, other)
            if found["evaluations"] < 3 * known["evaluations"] + 1000:
                continue
            # evaluations of explicit steps are the cheap ones: then times decide, of two runs side by side
            times = [seconds(name, "--rtol", rtol, *method) for method in ((), ("--method", "radau"))]
            assert times[0] < 3 * times[1], (name, rtol, times)


if __name__ == "__main__":
    import tool
    tool.main(globals())
