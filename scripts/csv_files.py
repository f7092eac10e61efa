"""Reads and writes the files of results for the other scripts, runs what they measure, and says why a script stops."""
import csv
import json
import pathlib
import statistics
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


def write_csv(path, columns, rows):
    """Writes rows, each {column: field}, and a line with the columns before them."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def in_turn(kinds, rounds, measure):
    """{kind: records}: measure(kind), a record of ./apsp, of each kind in turn, because the speed of a machine changes."""
    records = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind in kinds:
            records[kind].append(measure(kind))
    return records


def median_ms(records):
    """The median of the median times of some records."""
    return statistics.median(record["median_ms"] for record in records)


def disturbed(records):
    """What disturbed one of these records; "" if nothing did."""
    return next((record["disturbed"] for record in records if record["disturbed"]), "")
