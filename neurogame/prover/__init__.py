"""What the rules say of one state, asked for a question at a time: ready at once for any rules."""
