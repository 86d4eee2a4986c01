"""Appends a record of time and host to a log each millisecond: the work of lock_deaths.py."""
import os
import struct
import sys
import time

file = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
while True:
    os.write(file, struct.pack("<QI", time.monotonic_ns(), int(sys.argv[2])))
    time.sleep(0.001)
