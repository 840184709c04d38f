"""What learning changed: drift by rule and fluent, effect on play, and what of it matters."""
