"""The commands of `hopstop`, one a file. Each imports what it needs when it runs."""
