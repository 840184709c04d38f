"""What judges of moves and of states are, and how compiled code calls them."""
