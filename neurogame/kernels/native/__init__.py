"""What compiled code is made with: compiling, calls by address, the clock."""
