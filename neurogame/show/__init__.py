"""How states look: boards found by structure, as text and as pictures."""
