"""Memory that runs out: a sample of the allocations of every command and model fails; long_starve.py takes all."""
from starve import sample


def test_one_allocation_fails():
    sample("", 4)


def test_all_fail_from_one_on():
    sample("+", 2)


if __name__ == "__main__":
    import tool
    tool.main(globals())
