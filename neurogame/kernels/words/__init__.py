"""Words of 64 bits: 64 games packed into one, states packed into a few, random ones by number."""
