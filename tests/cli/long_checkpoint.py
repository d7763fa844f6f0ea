"""A thousand damaged checkpoints."""
import random

from damage import damage
from tool import folder


def test_a_thousand_damaged_checkpoints():
    with folder() as place:
        damage(random.Random(3), place, 1000)


if __name__ == "__main__":
    import tool
    tool.main(globals())
