"""Alpha-beta and max^n: what players use; :mod:`.compiled` is the search itself."""
