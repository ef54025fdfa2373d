"""Passes on the results that run_autograder left for a testcase."""
import json
import pathlib

testcase = json.loads(pathlib.Path("custom_validator_input.json").read_text())["testcase_prefix"]
results = pathlib.Path(testcase) / "validation_results.json"
text = (
    results.read_text()
    if results.is_file()
    else json.dumps({"status": "failure", "message": "run_autograder left no results: see STDERR.txt"})
)
pathlib.Path("validation_results.json").write_text(text)
