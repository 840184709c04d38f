"""The game manager: runs matches of players that are reached over HTTP."""
