"""Two hundred kills."""
from test_kill import HDF5, killed_again_and_again
from tool import check


def test_two_hundred_kills():
    both = [".h5" if HDF5 else ".csv", ".events.csv"]
    runs = (("kepler", ("--step", "5e-5", "--tend", 100, "--every", 0.02), 20, [".csv"]),
            ("slack_rod", ("--step", "2e-4", "--every", 0.003, "--accuracy", "yes"), 10, both),
            ("bounce", ("--step", "1e-5", "--every", 0.01, "--accuracy", "yes"), 10, both),
            ("lotka_volterra", ("--rtol", "1e-10", "--max-step", "5e-4", "--t0", 300, "--tend", 0), 10, [".csv"]))
    killed = seed = 0
    while killed < 200 and seed < 100:
        model, options, kills, outputs = runs[seed % len(runs)]
        killed += killed_again_and_again(model, options, kills, outputs, 100 + seed)
        seed += 1
    print(f"{killed} kills in {seed} runs")
    check(killed >= 200, f"killed only {killed} times")


if __name__ == "__main__":
    import tool
    tool.main(globals())
