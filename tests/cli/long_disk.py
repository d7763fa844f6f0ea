"""A hundred full disks."""
from disk import full_disks


def test_a_hundred_full_disks():
    full_disks(104, 2)


if __name__ == "__main__":
    import tool
    tool.main(globals())
