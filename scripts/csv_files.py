"""Reads the files of results for the other scripts, and says why a script stops."""
import csv
import json
import pathlib
import sys

# Columns that earlier versions of ./apsp wrote under another name; src/harness/io/csv.cpp has the same table.
RENAMED = {"pct_of_wall": "pct_of_peak"}


def stop(code, message):
    """Ends the script with that exit code and a message on standard error."""
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(code)


def read_csv(path):
    """The rows of a CSV file, each {column: field} in the order of the columns, by their present names.

    Stops with exit code 3 if the file cannot be read.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            reader.fieldnames = [RENAMED.get(name, name) for name in reader.fieldnames or ()]
            return list(reader)
    except OSError as error:
        stop(3, f"{path}: {error.strerror}")
    except (UnicodeDecodeError, csv.Error):
        stop(3, f"{path}: not a CSV file")


def read_benchmarks(path):
    """The benchmarks in a file of Google Benchmark, by their names. Stops with exit code 3 if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return {each["name"]: each for each in json.load(file)["benchmarks"]}
    except OSError as error:
        stop(3, f"{path}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        stop(3, f"{path}: not a file of benchmarks")
