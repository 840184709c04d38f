"""Monte-Carlo tree search: what players use; :mod:`.compiled` is the search itself."""
