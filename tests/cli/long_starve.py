"""Memory that runs out: allocations of every command and model fail, alone and with all that follow; every one of
them with KEEL_STARVE_EACH=0 in the environment."""
from starve import sweep


def test_each_allocation_fails():
    sweep("")


def test_all_fail_from_each_on():
    sweep("+")


if __name__ == "__main__":
    import tool
    tool.main(globals())
