"""What run.py is made of: the rows, the programs they run, and the report."""
