"""Independent pieces of work, done here, by local processes or by a cluster."""
