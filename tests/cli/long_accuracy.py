"""The accuracy line on 1200 problems."""
from accuracy import check


def test_claims_on_twelve_hundred_problems():
    wrong, large, silent = check(1200, seed=2)
    assert not wrong, "\n".join(wrong)
    assert len(large) <= 120 and len(silent) <= 120, "\n".join(large + silent)


if __name__ == "__main__":
    import tool
    tool.main(globals())
