"""Game servers and their players: the GGP protocol over HTTP, a player and a game manager."""
