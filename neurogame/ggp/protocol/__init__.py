"""What game managers and players say to each other, and how it travels over HTTP."""
