"""What makes and shows programs: the command line, and what a compiled program is made from."""
