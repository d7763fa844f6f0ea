"""Memory that runs out: every allocation of every command and model fails, alone and with all that follow."""
from starve import sweep


def test_each_allocation_fails():
    sweep("")


def test_all_fail_from_each_on():
    sweep("+")


if __name__ == "__main__":
    import tool
    tool.main(globals())
