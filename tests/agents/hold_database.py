"""Holds the database of a data folder, as a backup or a viewer does, until its input ends."""

import sqlite3
import sys

connection = sqlite3.connect(f"{sys.argv[1]}/regie.db", isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
