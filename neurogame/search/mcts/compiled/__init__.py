"""Monte-Carlo tree search in compiled code: whole blocks of simulations at once."""
