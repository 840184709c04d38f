"""How words are dealt to programs."""

BLOCK = 32
"""Words of a program, one per thread: a block is one warp, so that asking whether any lane is set
takes no barrier, and every thread reads only those cells that it wrote itself."""

MOST_PROGRAMS = 4096
"""Programs of the interpreting kernel, which have scratch memory each."""


def padded(words: int) -> int:
    """Return the number of words of whole blocks, at least one block."""
    return max(-(-words // BLOCK), 1) * BLOCK
