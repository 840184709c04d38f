"""The five papers' tables and figures beside ours: declared, measured by commands, reported."""
