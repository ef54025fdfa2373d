"""Run by Classroom 50 in the student's checkout, with run_autograder beside this file; leaves result.json there."""
import pathlib
import subprocess
import sys

sys.exit(subprocess.call(["sh", str(pathlib.Path(__file__).with_name("run_autograder"))]))
