"""``python -m neurogame`` is the command ``neurogame``."""

from __future__ import annotations

import sys

from neurogame.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
