"""Alpha-beta and max^n in compiled code: one block of lanes per node."""
