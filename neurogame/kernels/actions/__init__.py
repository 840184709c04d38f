"""Action heuristics in compiled code: all gates of a role for sixteen states at a time."""
