#!/usr/bin/env python3
"""Ranks whose transports differ understand each other's stamps: each rank makes its own set of
transports, and all messages arrive.

usage: mixed.py AM_RUN STRESS LIST... (of transports, one for each rank)
"""
import os
import subprocess
import sys

am_run, stress, *lists = sys.argv[1:]
choose = "; ".join(f'[ "$AM_JOB_RANK" = {rank} ] && export AM_TRANSPORT={one}'
                   for rank, one in enumerate(lists))
out = subprocess.run([am_run, "-n", str(len(lists)), "sh", "-c",
                      f"{choose}; exec {stress} --seconds 1"],
                     capture_output=True, text=True, timeout=100,
                     env={**os.environ, "AM_DIAL": "L=+5us"})
if out.returncode != 0 or " 0 lost" not in out.stdout:
    sys.exit(f"status {out.returncode}\n{out.stdout}{out.stderr}")
print(out.stdout, end="")
