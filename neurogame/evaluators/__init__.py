"""States to values: C-IL2P goal networks, their baselines, and how states are valued."""
