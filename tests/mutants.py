#!/usr/bin/env python3
"""Shows that the tests of docs/faults.md, and of solvers that prove their results, can fail: `make mutants`.

Each mutant is this program with one line of it broken on purpose. It is built without CUDA in a copy of the files that
git knows, and the tests of the row that it belongs to are run until one of them fails; `make test` must pass before.
As many are tested at once as there are cores. Prints a line a mutant: its row, where it is, the test that killed it,
and the seconds. Exits 1 where a mutant survives, or a row has none.

  tests/mutants.py [--share K/N] [WORD...]    WORD: only of the rows whose names contain one; K/N: one of N shares
                                              of the mutants, K from 0 on

All mutants take hours. So a run goes on where one was ended: a mutant that was killed is counted, and not tested again,
as long as the program, what all tests share and the file of the test that killed it stay as they were. What is not
committed has no such past. All that is asked for is tested if words are given, or if all of that was killed.
"""
import argparse, concurrent.futures, hashlib, itertools, json, os, shutil, subprocess, sys, time, unittest
from pathlib import Path

from run import LIMIT, share_of  # seconds for the unit tests of a mutant, which may never end
from soak import Past, version_of

ROOT = Path(__file__).resolve().parent.parent
BUILD, NO_MUTANT = "build/nocuda", "DOES NOT COMPILE"
BIN, NPY, GR, MTX, EL, METIS = (f"src/harness/io/formats/{name}.cpp" for name in ("bin", "npy", "gr", "mtx", "edge_list", "metis"))
GAP, NPZ, GRAPHML, NODE_LINK = (f"src/harness/io/formats/{name}.cpp" for name in ("gap", "npz", "graphml", "node_link"))
TREE_OF = "src/harness/system/process_tree.cpp"
PREDECESSORS, TREE = "src/engine/paths/predecessors.cpp", "src/harness/verify/tree.cpp"
CSV, UTF8 = "src/harness/io/csv.cpp", "src/harness/system/utf8.cpp"
INPUT, RECOGNISE = "src/harness/io/input.cpp", "src/harness/io/formats/recognise.cpp"
OUTPUT, DISTINCT, INTERRUPT = (f"src/harness/io/{name}.cpp" for name in ("output", "distinct", "interrupt"))
PART, ROUNDS = (f"src/engine/several/{name}.cpp" for name in ("part_cpu", "rounds"))
MIXED = "src/engine/ranks/threads_of_processes.cpp"
BELLMAN, TOLERANCE = "src/harness/verify/bellman.cpp", "src/engine/base/tolerance.h"
WEIGHTS, SHIFT, POTENTIALS = "src/harness/io/weights.h", "src/engine/negative/shift.h", "src/engine/negative/potentials.cpp"
SUMMING = "src/engine/solver/summing.cpp"
SIGNED = "src/harness/verify/signed.cpp"
STORE = "src/harness/measure/result_store.cpp"
GRADE, HAND_INS, GRADES, SUPERVISOR = (
    f"src/course/grade/{name}.cpp" for name in ("grade", "hand_ins", "store", "supervisor"))
ARCHIVE, NEAR_COPIES, STUDENTS, FEEDBACK = (
    f"src/course/grade/{name}.cpp" for name in ("archive", "near_copies", "students", "feedback"))
FAMILIES = "src/harness/generate/families.h"
CUSTOMISE, DESCENT, RECORDS, SWEEP, TABLE, CPU_ROUNDS = (
    f"src/engine/sparse/{name}.cpp" for name in ("customise", "descent", "records", "sweep", "restrict", "cpu_rounds"))
ARCS, ENTERING = (f"src/harness/verify/{name}.cpp" for name in ("bellman_arcs", "entering"))
ORDER = "src/harness/results/order_file.cpp"
NARROWING = "src/engine/solver/narrowing.cpp"
NEAR, NEAR_PATHS, PAIRS, BETWEENNESS, EXTREMES, ECCENTRICITIES = (
    f"src/engine/search/{name}.cpp" for name in ("near", "near_paths", "pairs", "betweenness", "extremes", "eccentricities"))
NEAR_ROWS, BITS = "src/engine/several/near_rows.cpp", "src/engine/search/bit_search.h"
BOUNDED, CLIMBING, UNPACKING = (
    "src/engine/search/bounded_search.h", "src/engine/sparse/pair_query.cpp", "src/engine/sparse/pair_paths.cpp")
SMALL_ROWS = "src/engine/solver/small_rows.cpp"
FRONTIER, SHAPE, LEVELS, WIDEN = (f"src/engine/bfs/{name}.cpp" for name in ("frontier", "shape", "level_search", "widen"))
FILTER, SETTLE, FILTERED = (f"src/engine/filtered/{name}.cpp" for name in ("filter_cpu", "settle_cpu", "filtered_cpu"))

# Rows of docs/faults.md → (file, what it says once, what it says instead).
MUTANTS = {
    "binary file of another size than its header says": [
        (BIN, "in.size() == edgesSize", "in.size() >= edgesSize"),
        (BIN, "in.size() == denseSize", "true"),
        (NPY, "in.size() != expected", "in.size() < expected")],
    "negative or absurd n or E, more or fewer lines than the header announces": [
        (BIN, "header[i] < 0", "header[i] < -9"),
        ("src/harness/io/formats/announced.h", "found != announced", "found > announced"),
        (GR, "edges.size() == asSize(arcs)", "false"),
        ("src/harness/io/text.cpp", "value < 0 || value > INT_MAX", "value < 0")],
    "GAP or `.npz` file whose numbers are no graph; GraphML or JSON without what its format wants": [
        (GAP, "offsets[v] < least || ", ""),
        (GAP, "e.to < 0 || e.to >= header.n", "e.to < 0"),
        (GAP, "bytes[0] != 0 && bytes[0] != 1", "false"),
        (GAP, "if (const std::optional<OneWay> found = findOneWay(n, edges))",
         "if (const std::optional<OneWay> found = findOneWay(n, edges); n < 0)"),
        (NPZ, "found < least || found > most", "found < least"),
        (NPZ, "if (rows != columns)", "if (false)"),
        (NPZ, "count_ != count", "count_ < count"),
        (GRAPHML, 'value != "true" && value != "false"', "false"),
        (GRAPHML, 'if (kind != "node")', "if (false)"),
        (GRAPHML, "if (graph) fail(child", "if (false) fail(child"),
        (NODE_LINK, "if (number < 0)", "if (false)"),
        (NODE_LINK, "kind.is_array() && isList()", "isList()"),
        (NODE_LINK, "if (!there)", "if (!there && key == nullptr)")],
    "`--predecessors` of distances that a wrong kernel found": [
        (PREDECESSORS, "distances[j] - shiftOf(j) != distances[k] - shiftOf(k))", "false)"),
        (PREDECESSORS, "if (someRows(first, count, distances, predecessors)) return;",
         "if (someRows(first, count, distances, predecessors) || count > 0) return;"),
        (TREE, "SumOf<T>{tail} + SumOf<T>{weight} == distances[vertex]", "true"),
        (TREE, "tolerance(edges + 1, graph_.dtype(), 2)", "tolerance(graph_.n, graph_.dtype(), 2)"),
        (TREE, "const bool circle = of(end) == kOnTheWay;", "const bool circle = false;"),
        (TREE, "if (weight >= kInfinity<T>)", "if (false)")],
    "mistyped option, kernel, family or other name": [
        ("src/harness/system/nearest.cpp", "return least > most || several ?", "return true ?"),
        ("src/harness/system/nearest.cpp", "several = true;", "")],
    "option without effect, for example `--base` with a `.gr` file": [
        ("src/harness/io/formats/formats.cpp", "if (takers.empty()) return;", "return;"),
        ("src/harness/generate/generate.cpp", "if (family.*option.has ||", "if (true ||"),
        ("src/program/commands/solve.cpp", "if (!each.given || ", "if (true || "),
        ("src/program/cli/groups.cpp", "refuse(graph.read.given, kFile, kGenerated);", "")],
    "more than 2³¹ entries (n ≥ 46341)": [
        ("src/engine/base/graph.h", "asSize(n) * asSize(n)) * sizeOf(dtype)",
         "asSize(static_cast<unsigned>(n) * static_cast<unsigned>(n))) * sizeOf(dtype)"),
        (BIN, "n * n * sizeof(int)", "static_cast<unsigned>(n * n) * sizeof(int)")],
    "vertex id out of range, or 0 where ids begin at 1": [
        (BIN, "vertex >= n", "vertex > n"),
        ("src/harness/io/text.h", "id < first || id > last", "id > last"),
        ("src/harness/io/text.h", "id < first || id > last", "id < first")],
    "edge list of unclear n: `N M` in the first line, or `# Nodes: N` below the largest id": [
        (EL, "if (pair_) requireEdgeFirst();", ""),
        (EL, "comment_->n >= needed", "true"),
        (EL, "more && options_.skipLines < 0", "more"),
        (EL, "most_ = given.n;", "")],
    "edge list of words, of large ids, with two separators, or whose first line may be a header": [
        (EL, "isWord(field) ", "false "),
        (EL, "if (twoWords_) requireWordsAgain();", ""),
        (EL, "if (!three) failHeaderOrEdge(text_.line(), \"the line\");", ""),
        (EL, "digits && !most_ &&", "false &&"),
        (EL, "if (!options_.labels) return true;\n    const bool three", "return true;\n    const bool three"),
        (EL, "if (header_ != 0 && lines_ == 0)", "if (false)"),
        (EL, "blank && !(options_.labels && table_)", "false"),
        ("src/harness/io/fields.cpp", "found != ' ' && found != c", "false")],
    "header that names the target before the source, a third column that is no weight, or other columns than a line has": [
        (EL, "!namesReversed(names[0].text, names[1].text)", "true"),
        (EL, "if (namesOther(weightName_))", "if (false)"),
        (EL, "columns_.empty() && found != named_", "false")],
    "text that names its format, under another extension; files of KONECT and LGL as edge lists": [
        (RECOGNISE, "format != nullptr && format->marked", "false"),
        (EL, "if (line[0] == '%' && text_.line() == 1) requireKonect(word);", ""),
        (EL, "if (wholeNumber(word, 0, INT_MAX)) failLgl();", "")],
    "file that has the name of a vertex, after `--sources`; a word behind `#` in a list of vertices or pairs": [
        ("src/harness/results/names.cpp", "if (fromFile && names.has(text))", "if (false)"),
        ("src/harness/results/names.cpp", "if (names_.empty() || word.size() == 1 || word[1] == ' ') return true;", "return true;")],
    "NaN, −Inf, a fraction among integers, too long a number, stray text": [
        ("src/harness/io/text.cpp", "value_or(NAN)", "value_or(1)"),
        ("src/harness/io/text.h", "if (!field().empty()) failEndOfLine();", "field();"),
        ("src/harness/io/text.h", "kMostDigits = 18", "kMostDigits = 99")],
    "negative weight without `--negative`": [
        (WEIGHTS, "negative ? -std::int64_t{kInfinity<T>} : -1", "-std::int64_t{kInfinity<T>}"),
        (WEIGHTS, "negative ? number == number : number >= 0", "number == number")],
    "negative cycle, self-loop or undirected edge of negative weight": [
        (POTENTIALS, "std::reverse(cycle.begin(), cycle.end());", ""),
        (POTENTIALS, "if (through >= at(v)) return;", "if (through > at(v)) return;"),
        ("src/harness/io/formats/matrices.cpp", "if (entry < lightest)", "if (entry < lightest - 9)"),
        ("src/engine/base/graph.cpp", "T lightestLoop = 0;", "T lightestLoop = -9;"),
        ("src/engine/base/negative_cycle.cpp", "sum += weight;", "sum = weight;"),
        ("src/engine/base/negative_cycle.cpp", "-sum <= rounding", "-sum < 0"),
        ("src/engine/base/graph.cpp", "if (e.weight < lightestLoop)",
         "if (e.weight < 0 && (lightestLoop == 0 || e.weight > lightestLoop))")],
    "shortest distance of minus infinity of its type or less, of int32 −1073741823": [
        (POTENTIALS, "Sum>(found, kLeast, ", "Sum>(found, kLeast - 1, "),
        ("src/engine/negative/negative.cpp", "if (least == -infinity || (", "if ((least == -infinity && passes > 1000) || (")],
    "weight out of the range, or an oracle other than Bellman's equation, with `--negative`": [
        (WEIGHTS, "number >= -most && ", ""),
        (NODE_LINK, "json.get<std::uint64_t>() > INT64_MAX", "false"),
        ("src/harness/generate/generate.cpp", "spec.range > exact", "spec.range > kInf"),
        (WEIGHTS, "&& number != HUGE_VAL;", "&& number > 0 && number != HUGE_VAL;")],
    "`--limit` below 0 or no number, `--nearest` above the number of targets, a target twice, or an option of kernels beside such a question": [
        ("src/program/commands/questions.cpp", "!(value >= 0))", "value == -9)"),
        ("src/program/commands/questions.cpp", '      {"--method", options.method != Method::kAuto},\n', ""),
        *(("src/program/commands/questions.cpp", line, "") for line in (
            '      {"--out-dtype", o.narrow != Narrow::kNo},\n', '      {"--histogram", !o.histogram.empty()},\n',
            '      {"--order", !o.order.empty()},\n', "  refuseIdleOptions(o.kernels);\n")),
        ("src/program/commands/centrality.cpp", "if (edges && o.centrality.size() > 1)", "if (false)"),
        ("src/program/commands/centrality.cpp", "    checkRangeOf(run->distances(), solver, graph);\n", ""),
        ("src/program/commands/centrality.cpp", "if ((o.samples || o.error) && !edges && !asksFor(o, kOfVertices))", "if (false)"),
        ("src/program/commands/questions.cpp", "if (!isStandardOutput(path) && std::find(others.begin(), others.end(), end) != others.end())", "if (false)"),
        (NEAR, "*asked.nearest > targets)", "*asked.nearest > targets + 1)"),
        (NEAR, "if (column >= 0)", "if (column > 0)")],
    "real weight of 0 with `--centrality`": [
        (BETWEENNESS, "} else if (zero != edges.end()) {", "} else if (false) {")],
    "line of `--queries` that is no pair": [
        ("src/program/commands/path_queries.cpp", "if (errors_ > 0)", "if (false)"),
        ("src/program/commands/path_queries.cpp", "if (errors_++ == 0) firstError_ = line_;", "++errors_;")],
    "shortest distance of infinity of its type or more, of int32 1073741823 (kInf)": [
        ("src/engine/solver/range.cpp", "if (reachable <= output.edges) return;", "return;"),
        ("src/engine/solver/range.cpp", "if (lacks[at] != 0 && ", "if ("),
        ("main.cpp", "tooFarText(error, shortNames(source_->report.names))", "std::string(error.what())"),
         (WEIGHTS, "number < kInfinity<T> &&", "number < INT64_MAX &&"),
         ("src/engine/solver/range.cpp", "unreachable == 0 || !mayReachInfinity", "unreachable <= 6 || !mayReachInfinity")],
    "parallel edges, self-loops": [
        ("src/engine/base/graph.cpp", "std::min(kept[-1].weight, e.weight)", "e.weight"),
        ("src/engine/base/graph.cpp", "++dropped.selfLoops;", "++dropped.duplicates;")],
    "zeros off the diagonal of a `.npy` or `.mtx` matrix": [
        ("src/harness/io/formats/zeros.cpp", "if (meaning_ == Zero::kNoEdge)", "if (false)"),
        ("src/harness/io/formats/zeros.cpp", "zeros - (line[i] == 0)", "zeros"),
        ("src/harness/io/formats/zeros.h", "Zero::kUnclear && infinities_ > 0", "Zero::kUnclear && infinities_ > 9"),
        ("src/harness/io/formats/formats.cpp", ".zerosUnclear || !complete", ".zerosUnclear"),
        ("src/program/commands/convert.cpp", "  sayUnclearZeros(output, o.to, graph, o.format);", ""),
        (BIN, "options.zero == Zero::kUnclear ? Zero::kEdge : options.zero", "options.zero"),
        ("src/harness/io/formats/formats.cpp", "options.zero != Zero::kUnclear && !graph.dense()", "false"),
        ("src/program/commands/solve.cpp", "(graph.report);\n  warnOfZeros(o.file, report);", "(graph.report);"),
        ("src/program/cli/groups.cpp", '(graph.read.zero == Zero::kNoEdge ? " zero=no-edge" : "")', '""')],
    "undirected graph in a list that has each edge once": [
        ("src/harness/io/formats/formats.cpp", "if (options.undirected) report.reversed = addReverses(graph);", ""),
        ("src/engine/base/graph.cpp", "one = other = std::min(one, other);", "one = std::min(one, other);"),
        ("src/engine/base/graph.cpp", "dropped.otherWeights += kept[-1].weight != e.weight;", "++dropped.otherWeights;"),
        ("src/engine/base/graph.cpp", "if (index.contains(edges[k].to, edges[k].from)) found = true;", ""),
        ("src/program/cli/groups.cpp", "!flags.saysDirections() && isOneWay(*graph) &&", "false &&"),
        ("src/program/cli/groups.cpp", "!flags.saysDirections() && isOneWay(*graph)", "isOneWay(*graph)"),
        ("src/program/cli/groups.cpp", "  if (output.onlyErrors) return;\n  std::vector<std::string> notes;", "  std::vector<std::string> notes;"),
        ("src/program/cli/groups.cpp", '(graph.read.undirected ? " undirected" : "")', '""')],
    "n = 0, n = 1": [
        ("src/harness/measure/session.h", "!graph_.seeded() && graph_.n() > 1", "!graph_.seeded()"),
        ("src/harness/measure/session.cpp", "std::max(1, record.n - measuring_.warmup)", "record.n - measuring_.warmup")],
    "n beside a multiple of a tile, or of 4": [
        ("src/engine/dense/blocked_cpu.cpp", "std::min(kTile, n_ - i * kTile)", "std::min(kTile, (n_ - i * kTile) / 4 * 4)"),
        ("src/engine/dense/blocked_cpu.cpp", "count_((n + kTile - 1) / kTile)", "count_((n + kTile - 2) / kTile)")],
    "distance that does not fit into the elements of `--out-dtype`": [
        ("src/harness/io/formats/matrices.cpp", "(number < 0 || number > most)", "number < 0"),
        ("src/harness/io/formats/matrices.cpp", "(form.unreached ? 0 : 1)", "0"),
        ("src/harness/io/formats/formats.cpp", ": farthest + 1;", ": farthest;"),
        ("src/program/commands/solve.cpp", "if (!o.unreached && o.narrow == Narrow::k8)", "if (o.narrow == Narrow::k8)"),
        ("main.cpp", "doesNotFitText(error, shortNames(source_->report.names))", "std::string(error.what())")],
    "file of `--order` that is for another graph, is cut short or is no order": [
        (ORDER, "text.rest() != secondLine(pattern)", "false"),
        (ORDER, "order.size() < asSize(n)", "false"),
        (ORDER, "std::exchange(seen[asSize(vertex)], 1) != 0", "false")],
    "`path --distances` with the distances of another graph": [
        ("src/harness/results/stored.cpp", "if (found_.graph && !same)", "if (false)"),
        ("src/program/commands/path.cpp", "if (given && !stored->saysGraph())", "if (false)"),
        ("src/engine/paths/path.cpp", "distance - way > allowed", "distance - way < allowed"),
        ("src/program/commands/path.cpp", "if (toTarget[asSize(target)] != 0)", "if (false)")],
    "unreachable pairs": [
        ("src/harness/io/formats/matrices.cpp", "if (same != 0) failAsDistance", "if (false) failAsDistance"),
        ("src/harness/io/formats/formats.cpp", "farthest <= kExact ? Element::kFloat32", "true ? Element::kFloat32"),
        ("src/harness/io/formats/npy.cpp", "const int unreached = header.mark ? header.mark->unreached : 0;", "const int unreached = 0;"),
        ("src/harness/measure/session.cpp", "pairsOf(last_->distances()) - output.edges", "pairsOf(last_->distances()) + 1 - output.edges")],
    "`.mtx` rectangular, complex or skew-symmetric; `.npy` of objects": [
        (MTX, "rows != columns", "rows > columns"),
        (MTX, '{"general", "symmetric"}', '{"general", "symmetric", "skew-symmetric"}'),
        (NPY, "sides->at(0) != sides->at(1) ||", "")],
    "`.mtx` pattern or symmetric; `.npy` in Fortran order or big-endian": [
        (MTX, "banner.pattern ? type.one()", "banner.pattern ? zeroOf(type.dtype())"),
        (MTX, "banner.symmetric && from != to", "false"),
        ("src/harness/io/formats/matrices.h", "if (order.fortran) transpose(matrix);", ""),
        ("src/harness/io/formats/matrices.h", "if (order.bigEndian)", "if (false)")],
    "file missing, unreadable or empty; a directory, a device": [
        (INPUT, 'if (S_ISDIR(status.st_mode)) fail("is a directory");', ""),
        (INPUT, "!standard && !S_ISFIFO(status.st_mode)", "false"),
        (INPUT, " + std::strerror(errno)", "")],
    "graph on standard input, in a FIFO or from `<(command)`": [
        (INPUT, 'standard = path == "-"', 'standard = path == "--"'),
        (INPUT, "!standard && !S_ISFIFO(status.st_mode)", "!standard"),
        (GR, 'field == "c" || field == "p"', 'field == "p"'),
        (RECOGNISE, "path = withoutCompression(path);", ""),
        (RECOGNISE, "if (std::any_of(begin.begin(), begin.end(), isControl))", "if (false)")],
    "standard input or a file without extension is not of the format that its first bytes show": [
        (RECOGNISE, "if (isThreeByThree(in, begin))", "if (false)"),
        ("src/harness/io/formats/formats.cpp", "? readRecognised(in, path, options)",
         "? recogniseFormat(in, options.skipLines).read(in, options)")],
    "compressed file corrupt, cut short or followed by other bytes": [
        (INPUT, "if (!refillPacked())\n", "if (!refillPacked()) break;\n      if (false)\n"),
        (INPUT, "if (compression == nullptr && named != nullptr)", "if (false)"),
        ("src/harness/io/compression.cpp", "? Result::kCorrupt", "? Result::kEnd")],
    "compressed file of several members": [
        (INPUT, "p.unpacker.reset();", "break;"),
        (INPUT, "zeros > 0 && zeros % multiple != 0", "false"),
        (INPUT, "multiple > 0 && !p.unread.empty()", "false"),
        ("src/harness/io/compression.cpp", "return skippable ?", "return false ?")],
    "edge of a METIS file in one line only, or with two weights; directed graph written as METIS": [
        (METIS, "if (edges_.size() != header_.entries)", "if (false)"),
        (METIS, "if (!found) return;", "return;"),
        (METIS, "text_.line() != lineOf(places_.back(), vertex)", "false"),
        ("src/harness/io/formats/formats.cpp", "if (to.undirected)", "if (false)"),
        ("src/harness/io/formats/undirected.cpp", "if (edges[at].weight != e.weight)", "if (false)"),
        ("src/harness/io/formats/undirected.cpp", "if (there == back) continue;", "continue;")],
    "edge list in which only some edges have a weight": [
        (EL, "if (hasWeight_ == weighted_) return;", "return;"),
        (EL, "if (pair_ && pair_->n > 0 && lines_ == 1)", "if (false)")],
    "line of labels that begins with `#` or `%`": [
        (EL, "options_.labels && mayBeEdge(text_.rest())", "false"),
        (EL, "!isWord(fields[2].text)", "true")],
    "file of another program (GML, Pajek's `.net` and others), UTF-16 text, more than three columns": [
        ("src/harness/io/formats/formats.cpp", "if (!advice.empty()) throw", "if (false) throw"),
        ("src/harness/io/text.cpp", "if (isUtf16(bytesFrom(0)))", "if (false)"),
        (RECOGNISE, "if (isUtf16(begin))", "if (false)")],
    "−1 in a matrix": [
        ("src/harness/io/formats/matrices.h", "if (!negative) minusOnes += countMinusOnes(stored, i);", ""),
        ("src/program/cli/groups.cpp", "if (report.minusOnes > 0)", "if (false)")],
    "table of two or three rows that may be a matrix": [
        (EL, "format_ != Table::kNo && square", "false"),
        (EL, "(weighted_ ? 3 : 2)", "2"),
        ("src/harness/io/formats/text_matrix.cpp", "entries_.add(*entry);", "entries_.add(zeroOf(type_.dtype()));")],
    "GraphML, JSON or attributes of NetworkX without `weight`, but with other numbers; an edge without the one that was named": [
        (NODE_LINK, "given_.missing() ? given_.advice() : \"\"", "\"\""),
        (EL, "attributes_.missing() ? attributes_.advice() : \"\"", "\"\""),
        (NODE_LINK, "std::is_arithmetic_v<Value> && ", "false && "),
        (NODE_LINK, "if (json.is_string()) return", "if (false) return"),
        ("src/harness/io/formats/edge_weights.cpp", "if (!has && !options_.weight.empty() && !options_.unweighted)", "if (false)")],
    "file without weights": [
        (EL, "graph.report.unweighted = lines_ > 0 &&", "graph.report.unweighted = false &&"),
        (METIS, "!header_.weights;", "false;"),
        (GAP, "graph.report.unweighted = !weighted;", ""),
        (MTX, "graph.report.unweighted = banner.pattern;", ""),
        (NODE_LINK, "graph.report.unweighted = given_.missing() &&", "graph.report.unweighted = false &&"),
        ("src/harness/io/formats/matrices.h", "std::is_same_v<Stored, Truth>;", "false;")],
    "map of ids that an earlier run left beside the output, or another file of its name": [
        ("src/harness/io/ids.cpp", "exists && (force || isOurs(output))", "exists"),
        ("src/harness/io/ids.cpp", "exists && (force || isOurs(output))", "exists && isOurs(output)"),
        ("src/harness/io/ids.cpp", "if (!error) fs::last_write_time(path, written - kOlder, error);", ""),
        ("src/harness/io/ids.cpp", "foreign_ && !holds(path, names)", "foreign_"),
        ("src/harness/io/ids.cpp", "foreign_ && !holds(path, names)", "false"),
        ("src/program/cli/groups.cpp", "{output, idsFile(output)}", "{output}")],
    "compressed file whose library the program was built without, or that needs over 130 MiB to be unpacked": [
        ("src/harness/io/compression.cpp", ", Result::kTooLarge}};\n    return meaning(ZSTD",
         ", Result::kCorrupt}};\n    return meaning(ZSTD"),
        (INPUT, '" --format " + format', '""')],
    "CRLF, byte order mark, blank lines, no final newline": [
        ("src/harness/io/text.h", "if (length > 0 && lineEnd_[-1] == '\\r') --lineEnd_;", ""),
        ("src/harness/io/text.cpp", "if (startsWith(kByteOrderMark))", "if (false)"),
        ("src/harness/io/text.h", "if (!atEnd()) return true;", "return true;"),
        ("src/harness/io/text.h", "if (scanned > 0) return setLine(scanned, 0);", "")],
    "file name with blanks, or bytes that are not UTF-8": [
        ("src/harness/io/json.cpp", 'out += "\\\\udc";', 'out += "\\\\u00";')],
    "no GPU, or none visible": [
        ("src/program/cli/groups.cpp", 'if (name == "gpu")', "if (false)"),
        ("src/program/cli/groups.cpp", 'output.sayLater(fitted(fmt::format("No GPU ({}): solving on the CPU.\\n", why)));', ""),
        (HAND_INS, "!hasFor(DeviceKind::kGpu)", "true"),
        (HAND_INS, 'endsWith(name, ".so") || isArchive(name)', '(!gpu && endsWith(name, ".so")) || isArchive(name)'),
        (HAND_INS, 'endsWith(name, ".so") || isArchive(name)', 'endsWith(name, ".so") || (!gpu && isArchive(name))')],
    "driver too old, no code for this GPU": [
        ("src/engine/device/cuda_status.cpp", 'counted.name == "cudaErrorInsufficientDriver"', "false"),
        ("src/engine/device/cuda_status.cpp", 'loaded.name == "cudaErrorInvalidDeviceFunction"', "false"),
        ("src/engine/device/cuda_status.cpp", "machine.driver == 0", "false")],
    "host memory short": [
        ("src/harness/measure/session.cpp", "if (bytes <= free) return;", "return;"),
        ("src/engine/base/memory.cpp", ", addressSpaceFree()", "")],
    "fewer threads may be started than there are cores (ulimit, cgroup)": [
        ("src/program/cli/program.cpp", "startThreads(command.flags.threads);", ""),
        ("src/engine/base/threads.cpp", "can < most && wanted > 0", "false")],
    "file after `--kernel` that is neither source nor `.so`": [
        ("src/course/submission/submission.cpp", "if (language == nullptr && !endsWith(path, \".so\"))", "if (false)"),
        ("src/course/submission/compile.cpp", "fs::path(path).replace_extension(\".so\").string()", "path + \".so\"")],
    "submission on a machine that cannot confine it": [
        ("src/course/submission/submission.cpp", "if (limits.sandboxed) requireSandbox(path);", ""),
        ("src/course/submission/sandbox.cpp", "landlockVersion() > 0 || defences().bubblewrap;", "true;")],
    "submission on a graph that it can know, or that leaves out edges without proof": [
        ("src/program/commands/solve.cpp", "if (!chosen && !answers) o.measuring.vary = true;", ""),
        ("src/program/commands/solve.cpp", "if (!chosen && !answers)", "if (!answers)"),
        ("src/program/commands/solve.cpp", "if (!chosen && !answers)", "if (!chosen)"),
        ("src/harness/generate/generate.h", 'kTimedFamily[] = "necessary"', 'kTimedFamily[] = "uniform"'),
        ("src/harness/measure/record.cpp", 'version.empty() ? "same" : kPublic', '"same"'),
        ("src/harness/measure/tables.cpp", 'leaveOut(" seed=" + row.at("seed"));', "(void)leaveOut;"),
        ("src/harness/measure/tables.cpp", 'isVaried(row) ? "" : row.at("hash")', 'row.at("hash")'),
        ("src/harness/measure/compare.cpp", 'if (column == "hash" && isVaried(row))', "if (false)"),
        (FAMILIES, "leaves && enters ? least : rangeOf(s) - least + 1", "rangeOf(s) - least + 1"),
        (FAMILIES, "from != kTarget && from != kOther", "from != kTarget && from != kSource && from != kOther"),
        (FAMILIES, "lesser(s.range / 4, light)", "s.range / 4")],
    "submission that reaches for other files or processes, the network, or too much memory": [
        ("src/course/submission/worker.cpp", "if (task.sandboxed) confineFiles(options);", ""),
        ("src/course/submission/sandbox.cpp", "  forbidSystemCalls(who, heard);", ""),
        ("src/course/submission/denials.cpp", "    answer.error = -EPERM;", "    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;"),
        ("src/course/submission/sandbox.cpp", "    argv[0] = namelessProgram();\n", ""),
        ("src/course/submission/sandbox.cpp", "const Descriptor listener(", "const Descriptor& listener = *new Descriptor("),
        ("src/course/submission/denials.cpp", "    note(tried.what);", ""),
        ("src/course/submission/denials.cpp", 'path.empty() || beginsWith(path, "/proc/")', "true"),
        ("src/course/submission/channel.cpp", "environment = workerEnvironment();", ""),
        ("src/course/submission/landlock.cpp", "syscall(SYS_landlock_restrict_self, ruleset, 0) != 0", "false"),
        ("src/course/submission/system_calls.cpp", "return is(argument, 0xffffffff, value);", "return is(argument, ~0ull, value);"),
        ("src/course/submission/sandbox.cpp", "if (syscall(SYS_capset, &header, none) != 0)", "if (false)"),
        ("src/course/submission/sandbox.cpp", "prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);", ""),
        ("src/harness/system/process.cpp", "if (usage.bytes > mostBytes_)", "if (false)"),
        ("src/harness/system/process.cpp", "    killOrphans();", ""),
        ("src/harness/system/process.cpp", "  kill(-pid_, SIGSTOP);", ""),
        ("src/harness/system/process.cpp", "  kill(-pid_, SIGCONT);", ""),
        ("src/harness/system/process.cpp", "  if (seconds > 0) thaw();", ""),
        ("src/harness/system/process.cpp", "  setsid();", "  setpgid(0, 0);"),
        (TREE_OF, '"VmRSS:", "VmSwap:", "VmPTE:",', '"VmRSS:", "VmSwap:",'),
        (TREE_OF, "at < tasks.size() && bytes == 0", "at < 1"),
        (TREE_OF, "files[inode] += end - begin;", ""),
        (TREE_OF, "asSize(status.st_blocks) * kBlock", "std::size_t{0} * kBlock"),
        (TREE_OF, "for (const pid_t child : childrenOf(tree[at])) tree.push_back(child);", ""),
        ("src/course/submission/channel.cpp", "  taken_ = held() - before;\n  freeze();", "  taken_ = held() - before;"),
        ("src/course/submission/channel.cpp", "if (ran_ > kUnnoticed)", "if (ran_ > 1e9)"),
        ("src/course/submission/channel.cpp", "  if (after > std::max", "  if (false && after > std::max"),
        ("src/course/submission/system_calls.cpp", '"mmap",', '"mmap2",'),
        ("src/course/submission/compile.cpp", "!unknown && bytes > kMostBytes", "!unknown && bytes == 0"),
        ("src/course/submission/system_calls.cpp", '{"landlock_create_ruleset", "landlock_add_rule", ', "{"),
        ("src/course/submission/system_calls.cpp", '"landlock_restrict_self", "seccomp"}', '"landlock_restrict_self"}'),
        ("src/course/submission/system_calls.cpp", '"prctl", {isInt(0, PR_SET_SECCOMP)}', '"prctl", {isInt(0, 9999)}'),
        ("src/course/submission/system_calls.cpp", "{is(0, CLONE_THREAD | CLONE_FILES, CLONE_THREAD)}", "{is(0, CLONE_THREAD, 0)}"),
        ("src/course/submission/channel.cpp", "used <= most_", "true"),
        ("src/harness/system/process.cpp", "Clock::now() > deadline || (Clock::now() > look_ && looksExceeded())", "Clock::now() > deadline"),
        ("src/course/submission/sandbox.cpp", '{"/dev/zero", Access::kDevice, kGpu}', '{"/dev/zero", Access::kDevice, kWorker}'),
        ("src/course/submission/sandbox.cpp", '{"/proc/self", Access::kRead, kBoth}', '{"/proc/self", Access::kDevice, kBoth}'),
        ("src/course/submission/system_calls.cpp", '"prctl", {isInt(0, PR_SET_DUMPABLE)}', '"prctl", {isInt(0, 9999)}'),
        ("src/harness/measure/submitted.cpp", "solver.name != timed.name) submitted(solver).rest();", "solver.name != timed.name) continue;"),
        ("main.cpp", "    restOthers(kernels_.solvers, solver);\n", "")],
    "`grades.csv.d` that belongs to another user, or to which another user can write": [
        (GRADES, "status.st_uid != geteuid()", "false"),
        (GRADES, "(status.st_mode & (S_IWGRP | S_IWOTH)) != 0", "false"),
        (GRADES, "    requireOwn(descriptor, path);", ""),
        (GRADES, "  const WritableByUs mode;", ""),
        (GRADES, "return work(by);", "return work(path_);")],
    "source that includes a file outside its folder, or under a name with a control character": [
        (HAND_INS, " && !isCompilersHeader(name)", ""),
        ("src/course/submission/compile.cpp", 'if (hasControlCharacter(list, "\\n"))', "if (false)"),
        ("src/course/submission/compile.cpp", "require(isBelow(place, placeOf(*home_)) || isToolchain(place));", ""),
        ("src/course/submission/compile.cpp", "sandboxed_ ? copied() : source_.parent_path()", "source_.parent_path()"),
        ("src/course/submission/compile.cpp", "utimensat(AT_FDCWD, copy.c_str(), times, 0);", "(void)times;"),
        ("src/course/submission/compile.cpp", "for (const auto& words : {optionsIn(language_.flags), options_})", "for (const auto& words : {optionsIn(language_.flags)})")],
    "output that is a link of another user, in a folder to which everybody can write": [
        (OUTPUT, "    requireTrusted(path);", ""),
        (OUTPUT, "|| link.st_uid == folder.st_uid", ""),
        (OUTPUT, "status.st_uid == ::geteuid() ? 07777 : 0775", "07777")],
    "submission that holds up this program, or says that the machine failed": [
        ("src/course/submission/patience.h", "std::min(seconds - ours, theirs)", "seconds - ours + 0 * theirs"),
        ("src/course/submission/channel.cpp", "if (patience_.hindered > patience_.limit)", "if (false)"),
        ("src/course/submission/channel.cpp", "  last_ = now(used_);", ""),
        ("src/course/submission/channel.cpp", "  if (counts) patience_.waited += given();", ""),
        ("src/course/submission/channel.cpp", "_.left())));\n  patience_.waited += secondsSince(begin);", "_.left())));"),
        ("src/course/submission/channel.cpp", "  patience_.loaded = true;", ""),
        ("src/course/submission/channel.cpp", "  started_ = true;", ""),
        ("src/course/submission/submission.cpp", "    known = patience = ", "    patience = "),
        ("src/course/submission/submission.cpp", "leaksLeft_ > 0 && ", ""),
        ("src/course/submission/submission.cpp", "if (!failure.started)", "if (failure.kind != Kind::kNotLoaded)"),
        ("src/course/submission/submission.cpp", "std::min(kept, kMost)", "kept + 0 * kMost"),
        ("src/course/submission/protocol.cpp", "MSG_NOSIGNAL | MSG_DONTWAIT", "MSG_NOSIGNAL"),
        ("src/program/commands/check.cpp", "      loaded.trouble = exitOf(fault.code);", "      throw;"),
        ("src/harness/system/process.cpp", " && taken < most", " && taken < 99 * most")],
    "device memory short": [
        ("src/engine/device/cuda_status.cpp", "? ErrorCode::kMemory : ErrorCode::kGpu", "? ErrorCode::kGpu : ErrorCode::kGpu")],
    "one of several sizes cannot be solved (`--n 100,90000`)": [
        ("src/program/commands/solve.cpp", "if (!o.several() || !dependsOnSize) throw;", "if (!o.several() || dependsOnSize) throw;"),
        ("src/program/commands/solve.cpp", "  if (graphs.empty()) throw Error(ErrorCode::kMemory, why);",
         "  throw Error(ErrorCode::kMemory, why);"),
        ("main.cpp", "  Exit result = trouble_;", "  Exit result = ErrorCode::kOk;"),
        ("main.cpp", "if (complainIfWrong(record, o_.graph.several(),", "if (complainIfWrong(record, false,")],
    "a kernel fails on the GPU": [
        ("src/engine/device/cuda_status.cpp", '{"cudaErrorLaunchFailure", kFind},', ""),
        ("src/harness/measure/session.cpp", "record.fault = nameOf(fault.kind);", "throw;"),
        ("run.sh", '*) failed+=" $n (exit $code)" ;;', '*) exit "$code" ;;')],
    "solver under `check` wrong in a way that no diagnosis names": [
        ("src/course/check/diagnosis.cpp", "{kTiny, series.wrong.n, series.largest.n}", "{kTiny, series.wrong.n}"),
        ("src/course/check/diagnosis.cpp", "      if (!isRight(e, undirected(spec))) return std::nullopt;", ""),
        ("src/course/check/diagnosis.cpp", "    return found == *mark;", "    return true;"),
        ("src/course/check/mistakes.cpp", "k < below(steps, n, a.j)", "k < below(side, n, a.j)"),
        ("src/course/check/matrices.cpp", '(wrong ? "*" : " ")', '" "'),
        ("src/course/check/witness.cpp", "solver.failsAlone(spec)) return spec;", "false) return spec;"),
        ("src/course/check/oracle.cpp", "if (spec.undirected) return distances;", "")],
    "full disk": [
        (OUTPUT, "  requireRoom(1);", ""),
        ("src/program/commands/solve_output.cpp", "file_->requireRoom(", "static_cast<void>("),
        (OUTPUT, "  requireRoom(bytes);", ""),
        (OUTPUT, ": nullptr)) fail(path_", ": nullptr) && false) fail(path_"),
        (OUTPUT, "::ftruncate(file.number, status.st_size)", "0")],
    "directory missing or not writable": [
        (OUTPUT, "if (exists && ::access(path_.c_str(), W_OK) != 0)", "if (false)"),
        ("src/course/check/check.cpp", "if (!options.witnessDir.empty()) makeWitnessFolder(options.witnessDir);", ""),
        ("src/course/check/check.cpp", "check.witnessError = error.what();", "throw;"),
        (STORE, "if (error)\n    throw Error(ErrorCode::kOutput", "if (error)\n    throw Error(ErrorCode::kInput"),
        ("src/harness/io/unwritable.cpp", "error != EROFS && error != EACCES && error != EPERM", "true")],
    "standard output full": [
        ("src/program/cli/terminal.cpp", "std::fflush(stdout) != 0 || std::ferror(stdout) != 0", "false")],
    "standard input, output or error closed": [
        ("main.cpp", "  openStandardFiles();", "")],
    "closed pipe (`| head`)": [
        (INTERRUPT, "std::signal(number, SIG_DFL);\n  std::raise(number);", "::_exit(1);")],
    "SIGINT, SIGTERM": [
        ("src/harness/system/process.cpp", "{SIGUSR1, SIGINT, SIGTERM}", "{SIGUSR1}"),
        (INTERRUPT, "{SIGINT, SIGTERM, SIGHUP, SIGPIPE}", "{SIGPIPE}"),
        (INTERRUPT, "interruptedCode = code;", "(void)code;"),
        (INTERRUPT, "  ::alarm(kSeconds);", ""),
        ("main.cpp", "table_.sayPartial(*record);\n    table_.sayRemarks();\n    records_.finish();", ";"),
        ("src/harness/measure/session.cpp", "record->partial = true;", ""),
        ("src/course/check/check.cpp", "if (interrupted) interrupted(partial);", ""),
        ("src/course/check/summary.cpp", "if (check.partial)", "if (false)"),
        (GRADE, "if (interrupted) interrupted(ranked());", ""),
        ("run.sh", "if [[ $interrupted ]]; then", "if false; then"),
        ("run.sh", "trap 'interrupt 143' TERM", "")],
    "kill −9 in a sweep": [
        (STORE, "if (rows.size() == 1 &&", "if (rows.empty() ||")],
    "two runs of one point in one directory": [
        ("src/harness/io/lock.cpp", "flock(fd_, operationOf(mode)) != 0", "false"),
        (STORE, "else if (!again && (kept_ = doneIn(path_)))", "else if (false)")],
    "kill −9 in a grading": [
        (GRADE, "if (!grade.check) check = store_.findCheck(checkId(grade));", ""),
        ("src/course/grade/store.cpp", "  } catch (const Json::exception&) {\n    return std::nullopt;", "  } catch (const Json::exception&) {\n    throw;")],
    "the grader dies at a hand-in": [
        (SUPERVISOR, "isDeath(signal) && noteDeath(signal)", "false"),
        (SUPERVISOR, "  deaths[handIn] =\n", "  deaths[\"\"] =\n"),
        (SUPERVISOR, "kill(child, signal)", "kill(child, 0)"),
        (GRADE, " && !hasDied()", "")],
    "a hand-in takes too long, or is killed for memory, while others are checked": [
        (GRADE, "if (result.dependsOnOthers) result = examined(FileLock::kAlone);", ""),
        (GRADE, "examined(FileLock::kAlone)", "examined(FileLock::kShared)"),
        ("src/course/grade/examine.cpp", "SolveFault::kCrash, SolveFault::kExit})", "SolveFault::kExit})")],
    "two graders of one CSV file": [
        (GRADE, "  return claim.holder().empty();", "  return true;")],
    "hand-in with a link, a pipe or too much in it": [
        (HAND_INS, "O_RDONLY | O_NOFOLLOW | O_NONBLOCK", "O_RDONLY | O_NONBLOCK"),
        (HAND_INS, "if (files_.size() == kMostFiles)", "if (false)")],
    "hand-in whose name or message is a formula, or changes the direction of text": [
        (CSV, "return (isFormula(part) ?", "return (false ?"),
        (CSV, 'text.find_first_of(";\\t\\r\\n", begin)', 'text.npos'),
        (CSV, "part.substr(guarded ? 1 : 0)", "part"),
        (UTF8, "{0x2028, 0x202e}", "{0x2028, 0x2029}")],
    "name, vertex or message with escape sequences, line breaks, or characters that are invisible or change others": [
        ("src/harness/system/screen.cpp", 'part == "\\n" || (isShown(text, at, length) &&', 'part == "\\n" || (length > 0 &&'),
        ("src/harness/system/screen.cpp", "const std::string text = oneLine(whole);", "const std::string& text = whole;"),
        ("src/harness/system/screen.cpp", 'fmt::format("\\033{:08x}{:08x}[", random(), random())', '"\\033["'),
        (UTF8, "{0x300, 0x36f}", "{0x300, 0x300}"),
        (UTF8, "{0xe0000, 0xe0fff}", "{0xe0000, 0xe0000}"),
        ("src/harness/system/shell.cpp", "oneLine(word) == word", "true"),
        ("src/harness/io/json.cpp", "hiddenEscaped(unescaped(text))", "unescaped(text)"),
        (OUTPUT, "terminal_ = ::isatty(fd_) != 0;", ""),
        (OUTPUT, "isStandardOutput(path) ? forScreen(rows, false, true) : rows", "rows"),
        ("src/program/commands/gen.cpp", "oneLine(o.out)", "o.out")],
    "small compressed file that unpacks to a huge one": [
        (INPUT, "bytes > kAlways &&", "false &&"),
        (NODE_LINK, "if (base_ + at_ - token_ > kLongest)", "if (false)"),
        ("src/harness/io/formats/text_matrix.cpp", "longestLine()),", "SIZE_MAX),"),
        ("src/harness/io/formats/matrices.h", "in.size() > 0 ? count : std::min(count, some)", "count"),
        ("src/harness/io/text.cpp", "in_.holdBytes(room);", "")],
    "hand-in whose name or message is HTML, or would name its author": [
        ("scripts/page.py", "autoescape=True", "autoescape=False"),
        ("scripts/page.py", "default-src 'none'; ", ""),
        ("scripts/page/names.py", '("Cc", "Cf", "Cs", "Co", "Zl", "Zp")', '("Cc", "Cs", "Co", "Zl", "Zp")'),
        ("scripts/page/names.py", "return QUOTES if any(name in text.lower() for name in names) else text", "return text"),
        ("scripts/page/names.py", "while name in self.given:", "while False:"),
        ("scripts/page/documents.py", '"file": "", "digest": "", "reason"', '"digest": "", "reason"'),
        ("scripts/page/documents.py", 'host = "" if anonymous else', 'host ='),
        ("src/program/cli/page.cpp", 'arguments.push_back("--anonymous");', ";")],
    "page without Python, Jinja or matplotlib": [
        ("src/program/cli/page.cpp", '  runScript(kPageScript, {"--packages"}, {}, kSeconds, flags.html + ": no page is written");\n', ""),
        ("scripts/page.py", 'require("jinja2", "matplotlib")', 'require("matplotlib")')],
    "rubric that is no JSON, or has a wrong key or value": [
        ("src/course/grade/rubric.cpp", "json.get<double>() < 0", "false"),
        ("src/course/grade/rubric.cpp", "reader(place.at(key), value);", "")],
    "planned point of a sweep that is wrong, or was not measured": [
        (STORE, "if (row != nullptr && failed(*row)) wrong", "if (false) wrong"),
        (STORE, "if (found == nullptr || !failed(row)) found", "found"),
        ("src/harness/measure/command.cpp", 'if ((word == "seed=1" && !seeded) || word == "range=100000") continue;', "(void)seeded;"),
        ("src/program/commands/report.cpp", 'return row.at("time") < time;', "return false;"),
        ("src/harness/measure/tables.cpp", "verified = verified && entry.verified;", "verified = verified && (entry.verified || entry.ms == 0);"),
        ("run.sh", '1) wrong+=" $n" ;;', "1) ;;"),
        ("run.sh", '  "${report[@]}" 2> /dev/null || true', "  true")],
    "CUDA's Multi-Process Service (MPS) runs, and a submission is to be timed": [
        ("src/engine/device/mps.cpp", "if (connected || error == EAGAIN) return true;", "return true;"),
        ("src/harness/measure/doubt.cpp", "if (!now.mps) return \"\";", "return \"\";"),
        (GRADE, "throw Error(ErrorCode::kGpu, why);", ";")],
    "GPU throttled or shared": [
        ("src/harness/measure/tables.cpp", 'if (disturbed) line.back() += ", disturbed";', ""),
        ("src/engine/device/nvml.cpp", '{0x40, "hw-thermal"}', '{0x100, "hw-thermal"}'),
        ("src/harness/measure/clocks.cpp", "clocks.otherUsers - Process::running()", "clocks.otherUsers")],
    "output that is also an input, or another output": [
        ("src/program/cli/program.cpp", "    requireDistinctFiles(command.flags);", ""),
        (DISTINCT, "a.number == b.number && ", ""),
        (DISTINCT, "= resolvedLinks(path);", "= path;"),
        (DISTINCT, "if (a.standardOutput && b.standardOutput) return true;", ""),
        (DISTINCT, "|| a.device || b.device", ""),
        ("src/program/commands/check.cpp", 'requireNoWitness("--json", o.output.json, o.options);', "")],
    "time disturbed: machine busy, too many threads, calls that differ": [
        ("src/harness/measure/disturbance.cpp", "threadsOf(r) - (r.load.cores - r.load.others)", "r.load.others - r.load.cores"),
        ("src/harness/measure/disturbance.cpp", "threadsOf(r) > r.load.usable()", "false"),
        ("src/harness/measure/disturbance.cpp", "r.oneThread ? 1 : r.device.units", "r.device.units"),
        ("src/harness/measure/disturbance.cpp", "t.median > 1.5 * t.minimum", "t.median < t.minimum"),
        ("src/harness/measure/load.cpp", "irq + softIrq + steal;", "irq + softIrq;"),
        ("src/harness/measure/remarks.cpp", "if (remark->amount > most.amount) worst = &row;", ""),
        ("src/harness/measure/load.cpp", "- (end.own - begin.own)", ""),
        ("src/harness/measure/session.cpp", "record.load = meter.load();", ""),
        (STORE, "else if (!again && (kept_", "else if ((kept_"),
        ("src/program/commands/solve_output.cpp", "keptRow(*kept, baseline_", "keptRow(*kept, 0"),
        ("src/program/commands/solve.cpp", "!o.measuring.asked && ", ""),
        ("src/program/commands/solve.cpp", "o.measuring.warmup = 0;", "")],
    "output of a run that fails": [
        ("main.cpp", "  if (last.failed()) return;", ""),
        ("main.cpp", "error.what() + distances_.keptText()", "error.what()"),
        (OUTPUT, "  ::unlink(temporary_.c_str());\n}", "}")],
}

# Mistakes of solvers, and of what else no fault is → (tests, of which one must fail; mutants as above).
SOLVERS = {
    "a row and a column that prove that distances fit": (["Range.IsProvedByTheFirstRowAndColumn"], [
        ("src/engine/solver/range.cpp", "*from + *to + depth < limitOf", "*to + depth < limitOf"),
        ("src/engine/solver/range.cpp", "farthestOf(where, n, asSize(n), distances", "farthestOf(where, n, 1, distances")]),
    "filtered solver: wrong bound": (["Filter.", "Relaxation"], [
        (FILTER, "a[h] + b[h] < arc.weight", "a[h] + b[h] <= arc.weight"),
        (FILTER, "(a + reach[h]) * slack", "(a + reach[h] / 2) * slack"),
        (FILTER, "effort_.may16 && largest < kFar<std::uint16_t>;", "effort_.may16;"),
        (FILTER, "std::int64_t> && largest < static_cast<T>(kInfinity<int>);", "std::int64_t>;"),
        (FILTER, "kIsReal ? T(1 +", "kIsReal ? T(1 - 1000.0 *")]),
    "filtered solver: memory": (["Seam.WhatDoesNotFit"], [
        (FILTERED, "return asSize(blocks) * asSize(n)", "return asSize(1) * asSize(n)")]),
    "filtered solver: lost arc": (["Filter.", "Relaxation"], [
        (FILTER, "for (int i = 0; i < found; ++i) {", "for (int i = 1; i < found; ++i) {"),
        (SETTLE, "const auto* const end = arcs.end(static_cast<int>(u));",
         "const auto* const end = arcs.end(static_cast<int>(u)) - 1;")]),
    "filtered solver: early stop": (["Filter.", "Relaxation"], [
        (SETTLE, "for (std::uint64_t steps = 0; agenda.sweep(look); steps += n / 8) {",
         "for (std::uint64_t steps = 0; steps < 4 * n && agenda.sweep(look); steps += n) {"),
        (SETTLE, "      agenda.add(arc->head);", "      if (arc != last - 1) agenda.add(arc->head);"),
        (FILTERED, "if (settled.gaveUp || static_cast<double>(steps) > budget) gaveUp = true;", "")]),
    "filtered solver: given up too soon": (["Filter."], [
        (FILTER, "kTwice = 2;", "kTwice = 1;"),
        (FILTERED, "filtered.passes * static_cast<double>(kept.size())", "filtered.looks * static_cast<double>(kept.size())"),
        (FILTERED, "kOfCost = 0.5;", "kOfCost = 1;")]),
    "choice: many threads": (["SparseRun.Auto", "SparsePlan."], [
        ("src/engine/plan/ways_cpu.cpp", "depthsOf(wanted_).front()", "depthsOf(wanted_).back()"),
        ("src/engine/solver/costs.cpp", "kOfMore = 0.77;", "kOfMore = 1;")]),
    "sparse solver: arcs and their weights": (["Sparse", "Elimination.", "Customise."], [
        (CUSTOMISE, "(on > 0 || other > arc)", "true"),
        (CUSTOMISE, "downs.lower(down, j, i, back, margin_);", "downs.lower(down, j, i, there, margin_);"),
        (CUSTOMISE, "for (std::size_t a = arc + 1; a < end; ++a)", "for (std::size_t a = arc + 2; a < end; ++a)"),
        ("src/engine/sparse/elimination.cpp", "at(leaf, i) == -1 ? i : top(at(leaf, i))", "i")]),
    "sparse solver: parts for threads": (["Customise."], [
        (CUSTOMISE, "if (!tree_.top.empty()) takeTop(lists);", ""),
        (CUSTOMISE, "e < first[size(u) + 1]; ++e)", "e + 1 < first[size(u) + 1]; ++e)"),
        (CUSTOMISE, "for (int x = end - 1; x >= first; --x) look(x, *mine);", "for (int x = first; x < end; ++x) look(x, *mine);"),
        ("src/engine/sparse/subtrees.cpp", "result.top.push_back(v);", "")]),
    "sparse solver: rounds": (["CpuRounds."], [
        (CPU_ROUNDS, "if (theirs == degree && hashOf(static_cast<std::uint32_t>(other)) < hash) return false;", ""),
        (CPU_ROUNDS, "touched_[at(list_[at(v)][k].head)].store(round + 1, std::memory_order_relaxed);", ";"),
        (CPU_ROUNDS, "for (int k = 0; k < many; ++k) {", "for (int k = 0; k + 1 < many; ++k) {"),
        (CPU_ROUNDS, "in = theirs[k].in + over.in;", "in = theirs[k].in + over.out;"),
        (CPU_ROUNDS, "return place < count && list[place].head == head ? place : -1;", "return place < count ? place : -1;"),
        (CPU_ROUNDS, "if (gone_[at(v)] != kStays || degree_[at(arc.head)] == kFrozen) all.row(j)[i] = arc.in;",
         "if (degree_[at(arc.head)] == kFrozen) all.row(j)[i] = arc.in;"),
        (CPU_ROUNDS, "if (anyFrozen_) addFrozen(all, edges);", ""),
        (CPU_ROUNDS, "if (from.head != to.head) lower(from.head, to.head, from.in + to.out);", ";"),
        (CPU_ROUNDS, "if (isFrozen(edge.from) && isFrozen(edge.to)) lower(edge.from, edge.to, edge.weight);", ";"),
        (CPU_ROUNDS, "if (count > kMost && count > degree) {", "if (count > kMost) {"),
        (CPU_ROUNDS, "end -= size[at(*v)];", "end -= 1;"),
        (CPU_ROUNDS, "return isCore(best) || gone_[at(head)] < gone_[at(best)];", "return isCore(best);"),
        (CPU_ROUNDS, "if (edges[at(e)].weight != weights_[at(e)]) return differ.store(true);", ";"),
        (CUSTOMISE, "for (auto x = top.rbegin(); x != top.rend(); ++x) {", "for (auto x = top.begin(); x != top.end(); ++x) {"),
        (CUSTOMISE, "if (keepUp_[a] != 0) left.up.arcs[up++] = {head, all_.up[a]};", "left.up.arcs[up++] = {head, all_.up[a]};"),
        ("src/engine/sparse/prepared.cpp", "if (!isWhole(graph.dtype())) return", "if (false) return")]),
    "sparse solver: the sweep": (["Sparse"], [
        (SWEEP, "if (reached[x] != 0)", "if (false)"),
        (SWEEP, "if (graph_.coreSize() > 0) crossCore(count);", ""),
        (SWEEP, "lowest = std::min(lowest, sources[c]);", "lowest = sources[c];"),
        ("src/engine/sparse/prepared.cpp", "state.graph.source = position;\n      },", "      },")]),
    "sparse solver: records": (["Descent."], [
        (RECORDS, "record.from[k] = bytes(place);", "record.from[k] = 0;"),
        (RECORDS, "if (next == kNever) giveUp(place);", ""),
        (RECORDS, "next_[--time] = use.time;", "next_[--time] = kNever;"),
        (RECORDS, "if (a == end) {", "if (a >= end - 1) {"),
        (RECORDS, "if (use.position != position) use = {position, kNever};", "")]),
    "sparse solver: some rows": (["Descent."], [
        (DESCENT, "      needed[down.arcs[a].head] = 1;\n", "      {}\n"),
        (DESCENT, "for (const int position : positions) needed[asSize(position)] = 1;", ""),
        (DESCENT, "if (steps_.has(x)) positions[taken_++] = x;", "ranks[taken_++] = x;"),
        (DESCENT, "    if (cost == 0) {", "    if (cost <= 3) {")]),
    "sparse solver: tables": (["SparseTable.", "SparseRun.GivesTables", "SparseFaults.AWrongEntryOfATable"], [
        (TABLE, "(up[i] == 0 && !isDown)", "!isDown"),
        (TABLE, "for (const SweepArcs<T>* list : {&graph.arcs.up, &graph.arcs.down})",
         "for (const SweepArcs<T>* list : {&graph.arcs.up})"),
        (TABLE, "for (const bool isDown : {false, true})", "for (const bool isDown : {true, false})"),
        ("src/engine/solver/distances.cpp", "out[j] = row[target(j)]", "out[j] = row[j]"),
        ("src/engine/solver/distances.cpp", "pairs += width - columns", "pairs += width - 0 * columns"),
        ("src/harness/verify/verify.cpp", "nearestTo<T>(expected[asSize(target)]", "nearestTo<T>(expected[asSize(j)]")]),
    "every distance along the arcs": (["Bellman.", "BellmanOf", "SparseFaults."], [
        (ARCS, "note(rows[asSize(lane)], {1, sources[lane], j, expected, got});", ";"),
        (ARCS, "check(entering_.vertices[m], lane, T(0));", ";"),
        (ENTERING, "low_[size(v)] = std::min(low_[size(v)], order_[size(w)]);", ";"),
        (ARCS, "inRange &= isDistance(number);", ""),
        (ARCS, "if (doubtful.empty()) return verdict;", "return verdict;"),
        (ARCS, "right &= good;", "")]),
    "distributed solver: a block left out, or read too early": (["Distributed."], [
        (PART, "const bool next = i == k + 1 || j == k + 1;", "const bool next = i == k + 1;"),
        (PART, "(k % 2) * (1 + m + c)", "0"),
        (PART, "tiles::close(relax_, extent(k), tile(k, k));", "relax_(extent(k), extent(k), extent(k), tile(k, k), tile(k, k), tile(k, k));"),
        (ROUNDS, "compute([&] { part_.update(k, Which::kNext); });", ""),
        (ROUNDS, "send(Along::kRow, part_.columnPanel(k), column);", "send(Along::kRow, part_.columnPanel(k), 0);")]),
    "real distances: no more than the edges of their length explain": (["EveryRealType.", "Verifier.", "Devices", "GraphOf.", "Session."], [
        ("src/harness/measure/session.cpp", "return {record.n, record.dtype, 2, graph.leastPositive};",
         "return {record.n, record.dtype, 2, 0};"),
        (TOLERANCE, "return least(slope_ * distance);", "return least(slope_ * distance * 20);"),
        (TOLERANCE, "return least(slope_ * distance);", "return least(slope_ * distance / 4);"),
        (TOLERANCE, "least(edge_ * edges)", "most_"),
        (TOLERANCE, "std::expm1(errorOfEdge(dtype, solvers) * std::max(0, n - 1))",
         "errorOfEdge(dtype, solvers) * std::max(0, n - 1) / (1 - errorOfEdge(dtype, solvers) * std::max(0, n - 1))"),
        (TOLERANCE, "error < 1 && allowed < most_ ? allowed", "error < 1 ? allowed"),
        ("src/harness/verify/dijkstra.cpp", "edges[v] = edges[nearest] + 1;", "edges[v] = 300;"),
        ("src/harness/verify/dijkstra.cpp", "edges[asSize(e.to)] = edges[asSize(v)] + 1;", "edges[asSize(e.to)] = 300;"),
        (BELLMAN, "weights[at] > 0 && weights[at] < least", "weights[at] < least"),
        (ARCS, "Vec part = best * allowed.slope;", "Vec part = best + kInfinity<T>;"),
        ("src/engine/base/graph.cpp", "if (weights[c] > 0) leastPositive", "leastPositive"),
        ("src/engine/base/graph.h", "if (0 < number && number < leastPositive)", "if (number < leastPositive)")]),
    "Bellman's equation": (["Bellman.", "BellmanOf"], [
        (BELLMAN, "& static_cast<int>(weight[j] > 0)", "& 1"),
        (BELLMAN, "found.count == 0 && !groundAll(row)", "false"),
        (BELLMAN, "!agree(row.distance[j], through)", "false"),
        (BELLMAN, "if (doubtful.empty()) return verdict;", "return verdict;"),
        ("src/engine/solver/distances.cpp", "return Distances::rowsOn(device, begin, end, visit);\n  visit(begin, end - begin, row(begin));",
         "return Distances::rowsOn(device, begin, end, visit);\n  visit(begin, end - begin, row(0));")]),
    "predecessors: a circle, or none where there is a path": (["Predecessors.", "PredecessorFile"], [
        (PREDECESSORS, "const Mask nearer = from < here;", "const Mask nearer = from == from;"),
        (PREDECESSORS, "(least <= other) & ", ""),
        (PREDECESSORS, "const bool zero = kWhole && weight == 0;", "const bool zero = false;"),
        (PREDECESSORS, "predecessors[j] = k;\n      queue.push_back(j);", "predecessors[j] = k;"),
        (PREDECESSORS, "return agree(distance, weight, allowed_);", "return weight < distance;"),
        (PREDECESSORS, "if (reached[at(arc.from)] == 0 || !(sum < least)) continue;", "if (!(sum < least)) continue;"),
        (PREDECESSORS, "off < 2 * allowed_; off *= 2)", "off < 0;)")]),
    "paths: an edge that is not tight, or a circle": (["Paths."], [
        ("src/engine/paths/path.cpp", "return tolerance * distance;", "return tolerance * distance + 1;"),
        ("src/engine/base/graph.cpp", "std::swap(edge.from, edge.to)", "(void)edge"),
        ("src/engine/paths/path.cpp", "std::tie(error, toTarget) < ", "std::tie(toTarget, error) > "),
        ("src/harness/results/stored.cpp", "static_cast<std::uint64_t>(target);", "static_cast<std::uint64_t>(target + (i == 31));")]),
    "real negative weights: potentials, shifts and their verification": (["Negative", "RealCycles", "SignedCheck", "PredecessorFile"], [
        (POTENTIALS, "std::ceil(units)", "std::floor(units)"),
        (POTENTIALS, "std::ldexp(1.0, kBits + 1)", "std::ldexp(1.0, kBits - 60)"),
        (POTENTIALS, "exponent_ = weightBits + countBits - kBits;", "exponent_ = weightBits + countBits - 20;"),
        ("src/engine/negative/potentials.h", "shifted > 0 ? shifted : 0", "shifted"),
        ("src/engine/negative/potentials.h", "static_cast<T>(distance - (from - to)) + T{0}",
         "static_cast<T>(distance - (static_cast<T>(from) - static_cast<T>(to)))"),
        ("src/harness/verify/bellman_ford.cpp", "return relative * std::max(0.0, reweighted) + ", "return relative * std::abs(d) + "),
        ("src/harness/verify/bellman_ford.cpp", "+ rounding_ * std::abs(d)", "+ 0.01 * std::abs(d)"),
        (SIGNED, "apart <= allowed_(source, target, ", "apart <= 4 * allowed_(source, target, "),
        (TREE, "return apart <= signed_->along(", "return apart - 1 <= signed_->along("),
        ("src/engine/paths/trees.cpp", "if (plain_ == nullptr) return grow(first, count, known, predecessors);",
         "if (count > 0) return grow(first, count, known, predecessors);"),
        ("src/engine/paths/path.cpp", "real(vertex, target, distance) + ", "1 + "),
        (SUMMING, "shape_.target(j) != source && ", "")]),
    "negative weights: potentials, shifts and their verification": (["Negative", "SignedCheck"], [
        (SHIFT, "weight + from - to;", "weight + from + to;"),
        (SHIFT, "return shifted < kInfinity<T> ? static_cast<T>(shifted) : kInfinity<T>;", "return static_cast<T>(shifted);"),
        ("src/engine/negative/shift_cpu.cpp", "parent[v] = better ? u", "parent[v] = !better ? u"),
        ("src/engine/negative/shift_cpu.cpp", "better ? through : best[v]", "better ? through + 1 : best[v]"),
        ("src/engine/negative/negative.cpp", "if (done.passes > 0) done.milliseconds +=", "if (done.passes > 1) done.milliseconds +="),
        (POTENTIALS, ">= pass_ - 1", ">= pass_"),
        ("src/engine/negative/negative.cpp", "problem_.graph.onHost(), problem_.asked->sources", "problem_.graph.onHost(), {}"),
        ("src/engine/negative/reached.cpp", "    waiting.push_back(v);\n", ""),
        ("src/engine/paths/trees.cpp", "withEdgesFor(distances.asked(), onHost,", "withEdgesFor(nullptr, onHost,"),
        ("src/engine/solver/range.cpp", "depth = -leastPotential;", "depth = 0;"),
        (SIGNED, "row[u] + e.weight < row[e.to]", "false"),
        (SIGNED, "tooShort |= edge & (through < row[v]);", ""),
        (SIGNED, "if (missing(v)) return false;", "if (missing(v) && v > 900) return false;"),
        (SUMMING, "if (row.largest == Number(T(0))", "if (false && row.largest == Number(T(0))")]),
    "sums of rows and columns": (["Summing."], [
        (SUMMING, "some + __builtin_convertvector", "kGroup + __builtin_convertvector"),
        (SUMMING, "given & 0xffffffff", "given & 0xfffffff"),
        (SUMMING, "sums[i]->missing -= kLanes - rest;", ""),
        (SUMMING, "return kWhole<T> ||", "return true ||"),
        (SUMMING, "waiting_.find(taken_)", "waiting_.begin()")]),
    "distributed solver: rows of another rank": (["Distributed."], [
        ("src/engine/several/crew.cpp", "std::min(a.end(), b.end()) - first", "std::min(a.end(), b.end() - 1) - first"),
        ("src/engine/several/crew.cpp", "(product(first + at, share.n) + columns.first)", "product(first + at, share.n)"),
        ("src/harness/generate/generate.cpp", "e.to >= column && e.to < column + columns", "e.to > column && e.to < column + columns")]),
    "ranks that are threads of processes": (["RanksOfProcesses."], [
        (MIXED, "fromHere ? root - speaker : 0", "0"),
        (MIXED, "(group * threads_ + at(from).thread) * threads_ + at(to).thread", "group"),
        (MIXED, "const int group = number_ == 0 ? 0 : 1 + (number_ - 1) % others;", "const int group = others - others;"),
        (MIXED, "part->number_ = std::max(part->number_, theirs.groups);", ""),
        (MIXED, "place.host == at(rank_).host", "place.process == at(rank_).process"),
        (MIXED, "broadcast(&mark, 1, 0);", "")]),
    "ranks that filter together": (["RelaxationOnRanks.", "FilteredOnCpus."], [
        (FILTER, "takeLeastOfAll(team_, mended);", ""),
        (FILTER, "(kTried - all.first % kTried) % kTried", "0"),
        (FILTERED, "matrix.forEachPiece<To>(first + i, [&]", "matrix.forEachPiece<To>(first + i / 2 * 2, [&]"),
        (FILTERED, "return relax<T>({back, kept, matrix.rows, ", "return relax<T>({kept, back, matrix.rows, "),
        (PART, "rowBlocks_.count * kInTile};", "rowBlocks_.count * kInTile - kTile};"),
        ("src/engine/filtered/gather.cpp", "list.insert(list.end(), part.begin(), part.end());",
         "list.insert(list.end(), part.begin(), part.end() - (part.empty() ? 0 : 1));"),
        ("src/engine/several/distributed.cpp", "bytesOnCpus(n, dtype, *where.crew, true) <= where.device.freeBytes()", "true")]),
    "ranks that solve by sources": (["BySources."], [
        ("src/engine/several/crew.cpp", "all_.broadcast(&outcome_, sizeof outcome_, all_.size() - 1);", ""),
        ("src/engine/several/source_rows.cpp", "band.first - rows().first", "band.first"),
        ("src/engine/several/distributed.cpp", "if (distances_ && bySources == bySources_)", "if (distances_)"),
        ("src/engine/plan/decision.cpp", "freeFor(most) / sharers", "freeFor(most) / (sharers > 0 ? 1 : 2)")]),
    "ranks that find small distances": (["NearOnRanks."], [
        (NEAR_ROWS, "some.sources.push_back(asked.source(row));", "some.sources.push_back(row);"),
        (NEAR_ROWS, "Selection some{{}, asked.targets};", "Selection some{{}, {}};"),
        (NEAR_ROWS, "if (band.count == 0) {", "if (false) {"),
        (NEAR_ROWS, "shareList(all, question.asked.targets);", ""),
        (NEAR_ROWS, "putRow(rows, band.first + i, count,", "putRow(rows, band.first + first, count,"),
        (NEAR_ROWS, "      at += count;\n    }\n  });\n}\n\n}", "    }\n  });\n}\n\n}"),
        (NEAR_ROWS, "mine.code = error.code;", ""),
        ("src/engine/several/crew.cpp", "all_.broadcast(&mine.code, sizeof mine.code, owner);", ""),
        ("src/engine/several/crew.cpp", "if (asked.paths) near_.paths = pathsBySearch(problem, *near_.rows);", "")]),
    "a plan that is kept": (["SparsePlan.", "Api.APlan"], [
        ("src/engine/plan/edge_run.cpp", "sweeping(known_ ? decision_.survey : nullptr)", "sweeping(nullptr)"),
        ("src/engine/plan/edge_run.cpp", "sweeping(known_ ? decision_.survey : nullptr)", "sweeping(decision_.survey)"),
        ("src/engine/plan/edge_run.cpp", "known_((where.keepsPlan && !once_) ||", "known_(true ||"),
        ("src/engine/plan/edge_run.cpp", "known_((where.keepsPlan && !once_) ||", "known_(where.keepsPlan ||"),
        ("src/engine/api/solve.cpp", "structureOf(made) == plan->structure", "true"),
        ("src/engine/api/solve.cpp", "options != nullptr ? ofOneSolve(options) : plan->options", "plan->options"),
        ("src/engine/api/given_edges.cpp", "const bool loop = ends.from == ends.to;", "const bool loop = false;"),
        ("src/engine/api/given_edges.cpp", "std::min(all[place].weight, weight + T{0})", "weight + T{0}"),
        ("src/engine/api/solve.cpp", "                          made.asked,\n", "                          {},\n")]),
    "what the library takes and gives": (["Api."], [
        ("src/engine/api/marked.h", "  if (!handle->marked())\n", "  if (false)\n"),
        ("src/engine/api/results.cpp", "distance == kInfinity<T> || shape.target(j) == shape.source(row)", "distance == kInfinity<T>"),
        ("src/engine/api/results.cpp", "if (!result.asked.targets.empty()) return pathOf(wholeRows(result, row, 1), 0, to);", ""),
        ("src/engine/sparse/rates.cpp", "if (!isWhole(dtype)) rates.coreThreads = kCoreThreads;", ""),
        ("src/engine/api/solve.cpp", "made->spent.reading = reading;", "made->spent.reading = 0 * reading;"),
        ("src/engine/api/solve.cpp", "asked.result->spent.reading = reading;", "asked.result->spent.reading = 0 * reading;"),
        ("src/engine/api/solve.cpp", "asked.result->spent.planning =", "asked.result->spent.checking =")]),
    "memory that is taken before it is used": (["TakePages.", "Record.SaysWhat"], [
        ("src/harness/measure/tables.cpp", "kPart * r.timing.median", "0 * kPart * r.timing.median"),
        ("src/engine/base/memory.cpp", "at < last; at += kPage", "at < last; at += 3 * kPage"),
        ("src/engine/base/memory.cpp", "  if (bytes > 0) bytesOf[bytes - 1] = 0;", "  if (false) bytesOf[bytes - 1] = 0;")]),
    "relaxation along all edges": (["EdgeRelaxation."], [
        ("src/engine/sparse/relaxation.cpp", "return largest + heaviest_ < kFar<T>;", "return largest <= kFar<T>;"),
        ("src/engine/sparse/relaxation.cpp", "      store(blockOf<T>(number), known->second.get(), to, block.get());\n", ""),
        ("src/engine/sparse/relaxation.cpp", "        for (int i = 0; i < count; ++i) out[i] += some;\n", ""),
        ("src/engine/sparse/relaxation.cpp", "place * (kLanesOf<W> / kBatch)", "place"),
        ("src/engine/plan/ways_cpu.cpp", "vertex = vertex >= first ? vertex - first : vertex + n - first;", "vertex += 0;"),
        ("src/engine/plan/edge_run.cpp", "      if (hasNoMatrix()) found.relaxation->takeAnyTime();", ""),
        ("src/engine/plan/decision.cpp", "  decision.method = best.method;\n", "")]),
    "rows that are written as they are swept": (["SparseRun.GivesEachRow*", "Session.GivesRows*"], [
        ("src/harness/measure/session.cpp", "    where.sink = measuring.sink;\n", ""),
        ("src/engine/plan/edge_run.cpp", "    call.milliseconds -= sunk_;\n", ""),
        ("src/engine/plan/edge_run.cpp", "(sums != nullptr && !sink)", "sums != nullptr"),
        ("src/engine/plan/edge_run.cpp", "        if (sink) milliseconds +=", "        if (!sink) milliseconds +=")]),
    "threads of calls at the same time": (["ThreadTeam."], [
        ("src/engine/base/thread_team.cpp", "std::max(cores_, wanted) - working_", "std::max(cores_, wanted)"),
        ("src/engine/base/thread_team.cpp", "std::max(cores_, wanted) - working_", "cores_ - working_"),
        ("src/engine/base/thread_team.cpp", "    working_ -= share.threads;\n", "    working_ -= share.threads - 1;\n"),
        ("src/engine/base/thread_team.cpp", "    numberInBody = before;\n", "    numberInBody = before - 1;\n"),
        ("src/engine/base/thread_team.cpp", "job->work(number);", "job->work(0);"),
        ("src/engine/base/thread_team.cpp", "const Lease team(inside ? 1 : threads);", "const Lease team(threads);")]),
    "what a GPU's filter will gain": (["Outlook."], [
        ("src/engine/filtered/outlook.cpp", "    if (levelsFrom(leaving, first) > phasesOfDense(n)) return Outlook::kPoor;\n", ""),
        ("src/engine/filtered/outlook.cpp", "return edge.weight <= shortest[asSize(edge.to)];", "return true;"),
        ("src/engine/filtered/outlook.cpp", "if (!hasHub(leaving)) return Outlook::kGood;", "return Outlook::kGood;"),
        ("src/engine/filtered/outlook.cpp", "if (n < kLeast) return Outlook::kUnknown;", ""),
        ("src/engine/filtered/outlook.cpp", "sameDegrees && within == all", "sameDegrees && within > all"),
        ("src/engine/filtered/outlook.cpp", "sameDegrees && within == all", "sameDegrees"),
        ("src/engine/filtered/outlook.cpp", "within += near[asSize(edges[at].to)] != 0 ? 1 : 0;", "++within;"),
        ("src/engine/filtered/outlook.cpp", "n < kCheapToFilter && haveDifferentWeights(leaving.of(n / 7), edges) && hasCliques", "n < kCheapToFilter && hasCliques"),
        ("src/engine/filtered/outlook.cpp", "n < kCheapToFilter && haveDifferentWeights", "haveDifferentWeights")]),
    "bands of sources on a GPU": (["GpuRows."], [
        ("src/engine/solver/selection.h", "if (vertices[i] != vertices[i - 1] + 1) return false;", ""),
        ("src/engine/solver/gpu_rows.cpp", "source_->rows(numberOf(first), count, band.data());", "source_->rows(first, count, band.data());"),
        ("src/engine/solver/gpu_rows.h", "isBand_ ? source(row) : row", "source(row)"),
        ("src/engine/solver/gpu_rows.h", "asSize(row) * asSize(columns());", "asSize(row) * asSize(n());"),
        ("src/engine/solver/gpu_rows.cpp", "visit(begin, end - begin, kept(begin));", "visit(begin, end - begin, kept(0));")]),
    "rows in small elements": (["SmallRowsOn.", "GpuRows.", "BfsRun.", "Api.DistancesAreKeptInFewBytes"], [
        (SMALL_ROWS, "(number >= 0 && number < kNoDistance<Small>)", "number < kNoDistance<Small>"),
        (SMALL_ROWS, "number < kNoDistance<Small>)", "number <= kNoDistance<Small>)"),
        (SMALL_ROWS, "from[i] == kNoDistance<Small> ? kInfinity<T>", "false ? kInfinity<T>"),
        (SMALL_ROWS, "first = std::min(first, static_cast<std::size_t>(found));", "first = static_cast<std::size_t>(begin);"),
        (SMALL_ROWS, "shape.source(first + row)", "shape.source(row)"),
        (SMALL_ROWS, "shape.target(column)", "column"),
        ("src/engine/solver/gpu_rows.cpp", "if (small_) small_->keep(*this, first, count, rows);", ""),
        ("src/engine/solver/gpu_rows.cpp", "sizeOf(stored, dtype) * elementsOf(kept, columns)", "sizeOf(dtype) * elementsOf(kept, columns)"),
        ("src/engine/api/options.cpp", "return given.distance_bytes == 1 ?", "return true ?"),
        ("src/engine/api/options.cpp", "isWhole(dtype) && !given.negative && given.ranks <= 1", "isWhole(dtype) && given.ranks <= 1"),
        ("src/engine/api/options.cpp", "isWhole(dtype) && !given.negative && given.ranks <= 1", "!given.negative && given.ranks <= 1"),
        ("src/engine/api/options.cpp", "keepsDistances || all.distance_bytes == 0", "true"),
        ("src/engine/api/options.cpp", "all.distance_bytes >= 0 && all.distance_bytes <= 2", "all.distance_bytes >= 0"),
        ("src/engine/plan/decision.cpp", "(asksForLevels(where) || !fits)", "!fits"),
        ("src/engine/plan/decision.cpp", "(asksForLevels(where) || !fits)", "asksForLevels(where)"),
        ("src/engine/plan/edge_run.cpp", "small_ ? widen : make_, nullptr, visit);", "make_, nullptr, visit);")]),
    "breadth-first searches": (["Bfs/OfStructure", "LevelSearch.", "BfsRun.", "Shape.", "CommonWeight.", "ByLevels."], [
        ("src/engine/several/crew.cpp", "sum.passed += each.passed;", "sum.passed = each.passed;"),
        (LEVELS, "kFewSamples = 3;", "kFewSamples = 2;"),
        (FRONTIER, "next[v] &= ~seen[v];", ""),
        (FRONTIER, "if (marks[*head] == kFull) continue;", "if (marks[*head] != kClear) continue;"),
        (FRONTIER, "if (isEmpty(all & ~(seen[v] | words))) break;", "if (!isEmpty(words)) break;"),
        (FRONTIER, "done.tooDeep = done.levels + 3 >=", "done.tooDeep = done.levels >"),
        (WIDEN, "static_cast<Level>(to[c] + (to[c] != kUnseen<Level>))", "to[c]"),
        (WIDEN, "std::min<T>(most, (kInfinity<T> - 1) / weight)", "most"),
        (WIDEN, "kLane % kSide / 2 + kHalf", "kLane % kSide / 2 + 0 * kHalf"),
        (WIDEN, "begin + std::min(i + k, count - 1);", "begin + std::min(i + k, count - 2);"),
        (SHAPE, "(each.in == 1 && each.tail == each.head)", "each.in == 1"),
        (SHAPE, "if (one && kinds[asSize(each.head)] == kInterior) kinds[v] = kLeaf;", "if (one) kinds[v] = kLeaf;"),
        (LEVELS, "levels.extra[c] = row.extra;", "levels.extra[c] = 0;"),
        (LEVELS, "return in(wide->seen, 8);", "return in(wide->seen, 1);"),
        (LEVELS, "[&](int j) { to[c][j] = 0; }", "[](int) {}"),
        (LEVELS, "levels.adjacent &= levels.search[c] == levels.search[c - 1] + 1;", "{}"),
        (LEVELS, "if (weight < 0) return std::nullopt;", ""),
        (LEVELS, "kGatherMs * lookUps * apart", "0 * lookUps * apart"),
        ("src/engine/plan/edge_run.cpp", "    if (way.byLevels()) return way;\n", "    return way;\n")]),
    "searches from a few sources": (["Search.", "SearchOf."], [
        ("src/engine/search/search.cpp", "if (std::exchange(final_[at(u)], 1) != 0) continue;", "final_[at(u)] = 1;"),
        ("src/engine/search/search.cpp", "return a.first > b.first;", "return a.first < b.first;"),
        ("src/engine/search/search.cpp", "    heap_.clear();\n", ""),
        ("src/engine/search/search.cpp", ": static_cast<int>(std::count(isTarget_.begin()", ": 1 + 0 * static_cast<int>(std::count(isTarget_.begin()"),
        ("src/engine/search/search.cpp", "one->from(asked_.source(first + i));", "one->from(asked_.source(0 * first + i));"),
        ("src/engine/plan/decision.cpp", "      look.leaveSearchesOut();\n", "      {}\n"),
        ("src/engine/plan/decision.cpp", "!isSeparable(problem.graph.onHost(), look))\n", "true)\n"),
        ("src/engine/plan/choice.cpp", "if (together > all) return Searching::kNever;", "return Searching::kNever;"),
        ("src/engine/plan/choice.cpp", "looking > wanted.device.freeFor(looking) / 4 * 3 ? Searching::kWithoutLook", "false ? Searching::kWithoutLook")]),
    "the method for small graphs": (["SparseRun.AutoTakes", "SparseRun.AutoSearches", "SparsePlan.ExpectsOfReal"], [
        ("src/engine/plan/looks.cpp", "  if (isLikeTree(wanted)) return kOfTree;\n", ""),
        ("src/engine/plan/looks.cpp", "return first.banded ? kOfBand : 1;", "return 1;"),
        ("src/engine/sparse/rates.cpp", "kRealOnCpu * cpuCosts().real", "kRealOnCpu"),
        ("src/engine/sparse/elimination.cpp", "rates.product * rates.real", "rates.product"),
        ("src/engine/plan/ways_cpu.cpp", "(isSmall(wanted_) || survey <= least)", "survey < 0"),
        ("src/engine/plan/ways_cpu.cpp", "(isSmall(wanted_) && first_.banded) || ", ""),
        (LEVELS, "kShapeMs * std::log2(", "5 * kShapeMs * std::log2(")]),
    "many sources together": (["EdgeRelaxation."], [
        ("src/engine/plan/choice.cpp", "way.method() == Method::kAuto ? searchingIn(together) : way;", "searchingIn(together);"),
        ("src/engine/plan/decision.cpp", "look.best().method != Method::kFiltered)", "true)")]),
    "distances up to a limit, and the nearest targets": (["NearTest."], [
        (NEAR, "row[j] <= most && asked.limit >= 0", "row[j] < most && asked.limit >= 0"),
        (NEAR, "const std::size_t most = asked.most() + 1;", "const std::size_t most = asked.most();"),
        (NEAR, "distance > other.distance : target > other.target;", "distance > other.distance : target < other.target;"),
        (NEAR, "found.resize(std::min(found.size(), asSize(*nearest)));", ""),
        (NEAR, "if (all && one->found.size() < asked.most() && one->search.tooFar()) overflow = true;", ""),
        (BOUNDED, "if (next.distance > limit) break;", "if (next.distance >= limit) break;"),
        (BOUNDED, "if (found_.size() == most) limit = next.distance;", "if (found_.size() == most) break;"),
        (NEAR, "ways->add(label.vertex, label.target, label.next);", "ways->add(label.vertex, label.target, targets[asSize(label.target)]);"),
        (NEAR_PATHS, "std::vector<int> path = {vertex};", "std::vector<int> path = {vertex, vertex};"),
        ("src/engine/sparse/bounded_sweep.cpp", "if (leastOf(row) > limit) continue;", "if (leastOf(row) >= limit) continue;"),
        ("src/engine/sparse/bounded_sweep.cpp", "b.counts[c] = at;", "b.counts[c] = some;"),
        ("src/engine/sparse/bounded_sweep.cpp", "const int v = b.within[begin + k];", "const int v = b.within[k];")]),
    "small distances as arrays": (["Api.SmallAnswers"], [
        ("src/engine/api/questions.cpp", "for (int i = begin; i < end; ++i) {", "for (int i = begin; i + 1 < end; ++i) {"),
        ("src/engine/api/questions.cpp", "std::copy_n(rows.columnsOf(i), count, columns + at);", "std::copy_n(rows.columnsOf(i), count - 1, columns + at);")]),
    "distances and paths of single pairs": (["Pairs."], [
        (PAIRS, "wanted_[asSize(to)] = 0;", ""),
        (PAIRS, "order != nullptr", "false"),
        (PAIRS, "length = found;", "length = T(0);"),
        (PAIRS, "if (mayBeTooFar(list.n, edges)) {", "if (false) {"),
        (CLIMBING, "  clear(to_);\n", ""),
        (CLIMBING, "if (position >= graph_.core) climb.gates.push_back(position);", ""),
        (CLIMBING, "other = std::min(other, known + arcs.arcs[a].weight);", "other = known + arcs.arcs[a].weight;"),
        (PAIRS, "if (paths && !mayBeTooFar_) prepareForPaths", "if (paths) prepareForPaths"),
        (UNPACKING, "if (isOnPath_[asSize(vertex)] == 0) {", "if (true) {"),
        (UNPACKING, "isOnPath_[asSize(path_.back())] = 0;", "{}"),
        (UNPACKING, "for (const int vertex : path_) isOnPath_[asSize(vertex)] = 0;", ""),
        (UNPACKING, "for (const int x : climb->way) climb->reached[asSize(x)] = {};", ""),
        (UNPACKING, "if (length < distance) distance = length, top = x;", "if (length < kInfinity<T>) distance = length, top = x;"),
        (UNPACKING, "all.down[a] + all.up[b] == there)", "true)"),
        (UNPACKING, "all.down[b] + all.up[a] == back)", "true)"),
        (UNPACKING, "steps_.push_back({way.up, false, next.end});", ""),
        (UNPACKING, "static_cast<double>(asSize(full.vertices()) + edges))", "1e9 * static_cast<double>(asSize(full.vertices()) + edges))")]),
    "paths of single pairs in the library": (["Api.Paths", "Api.Pairs", "Api.APath"], [
        ("src/engine/api/questions.cpp", "Pairs(problem.onHost(), nullptr, paths)", "Pairs(problem.onHost(), nullptr, paths && false)"),
        ("src/engine/api/questions.cpp", "requireVertices(pairs->n, from, to);", ""),
        ("src/engine/api/questions.cpp", "std::copy_n(path.begin(), std::min(room, path.size()), vertices);", "std::copy_n(path.begin(), path.size(), vertices);"),
        ("include/apsp/apsp.hpp", "whole = count <= vertices.size();", "whole = true;")]),
    "betweenness of vertices and edges": (["Betweenness.", "Api.Betweenness", "Api.Paths", "Api.Samples"], [
        (BETWEENNESS, "if (length == distance_[v]) paths_[v] += paths_[u];", ""),
        (BETWEENNESS, "if (order_[i] != source) vertices[v] += sum;", "vertices[v] += sum;"),
        (BETWEENNESS, "(all.undirected ? 2 : 1);", "1;"),
        (BETWEENNESS, "other = found.edges[e] = found.edges[e] + other;", "other = found.edges[e];"),
        (BETWEENNESS, "edge.weight == 0 ? 1 : edge.weight * n;", "edge.weight == 0 ? 1 : edge.weight;"),
        (BETWEENNESS, "const double ending = counts.reaching[v], ", "const double ending = 0 * counts.reaching[v], "),
        ("src/engine/api/questions.cpp", "places.columns[e] = edges[first + e].to;", "places.columns[e] = edges[e].to;"),
        ("src/engine/api/questions.cpp", "if (edges != 0) values = ", "if (false) values = ")]),
    "diameter, radius, center and periphery": (["Extremes."], [
        (EXTREMES, "lower_[asSize(v)] <= least_;", "lower_[asSize(v)] < least_;"),
        (EXTREMES, "upper_[asSize(v)] >= largest_ &&", "upper_[asSize(v)] > largest_ &&"),
        (EXTREMES, "lower(v, distance + own);", "lower(v, distance + own - 1);"),
        (EXTREMES, "own > distance) raise(v, own - distance);", "own > distance) raise(v, own - distance + 1);"),
        (EXTREMES, "if (reachesAll(v)) least_ = ", "least_ = "),
        (EXTREMES, "plus(from[u], lists_.weights[e], upper_[head])", "plus(from[u], T(0), upper_[head])"),
        (EXTREMES, "std::exchange(entered[other], c) != c", "std::exchange(entered[other], c) < 0"),
        (EXTREMES, "each = std::max(3, threads);", "each = threads;"),
        (EXTREMES, "left &= ~met->sources;", "{}"),
        (EXTREMES, "lower(met.vertex, distance + own->first);", "lower(met.vertex, distance + own->first - 1);"),
        (EXTREMES, "raise(met.vertex, own->first - distance);", "raise(met.vertex, own->first - distance + 1);"),
        (EXTREMES, "return met.sources & begun[asSize(component_[asSize(met.vertex)])];", "return met.sources;"),
        (EXTREMES, "begun[asSize(component_[w])] |= ", "begun[0] |= "),
        (EXTREMES, "!std::is_integral_v<T> || mayBeTooFar(n, edges)) return std::nullopt;", "false) return std::nullopt;"),
        (BITS, "next_[asSize(v)] = 0;", ""),
        (BITS, "for (const Met& met : met_) seen_[asSize(met.vertex)] = 0;", ""),
        (EXTREMES, "if (reached == asSize(n() - 1)) root_", "if (reached < asSize(n())) root_")]),
    "eccentricities from a few rows at a time": (["Eccentricities."], [
        (ECCENTRICITIES, "row[j] < kInfinity<T> ? row[j] : T(0)", "row[j]"),
        (ECCENTRICITIES, "if (j != vertex && row[j] == 0) return j;", "if (row[j] == 0) return j;"),
        (ECCENTRICITIES, "if (std::none_of(some, some + count, asker.isOpen)) continue;", ""),
        (ECCENTRICITIES, "[this](int v) { return !asker_.isOpen(v); }", "[](int) { return false; }"),
        (ECCENTRICITIES, "const int* const some = vertices.data() + first;", "const int* const some = vertices.data();"),
        (ECCENTRICITIES, "tell(asked_.sources.data() + first, ", "tell(asked_.sources.data(), "),
        ("src/engine/plan/decision.cpp", "  decision.keeps = false;\n", "")]),
    "64-bit weights that are solved in int32": (["Narrowing."], [
        (NARROWING, "exponent = std::min(exponent, own);", "exponent = std::max(exponent, own);"),
        (NARROWING, "exponent = std::min(exponent, other.exponent);", "exponent = std::max(exponent, other.exponent);"),
        (NARROWING, "-exponent) < kInfinity<int>;", "-exponent) < 2.0 * kInf;"),
        (NARROWING, "if (negative) return 3 * sum;", "if (negative) return sum;"),
        (NARROWING, "return most < (std::is_floating_point_v<T> ? HUGE_VAL : 0x1p61);", "return most >= 0;"),
        (NARROWING, "in >= kInfinity<int> || out >= kInfinity<int> ? kUnbounded : std::int64_t{in} + out;",
         "in >= kInf ? kUnbounded : std::int64_t{in};")]),
    "ranks that read rows of a file": (["ReadTogether."], [
        ("src/harness/io/formats/matrix_file.cpp", "holds[type] = holds[type] && other.holds[type];", "holds[type] = other.holds[type];"),
        ("src/harness/io/formats/matrix_file.cpp", "if (matrix_.zero == Zero::kNoEdge)", "if (false)"),
        ("src/harness/io/formats/matrix_file.cpp", "0 && markOf(status) == matrix.mark", "0")]),
    "archives that no hand-in may be": (["sources_test.Archives.test_attacks_are_refused"], [
        (ARCHIVE, "if (bytes_ > kMostBytes)", "if (false)"),
        (ARCHIVE, "if (++members_ > kMostFiles)", "if (false)"),
        (ARCHIVE, "if (type == kLink) return", "if (false) return"),
        (ARCHIVE, "type == 0 || type == kRegular", "true || type == kRegular"),
        (ARCHIVE, "if (header.type == kHardLink)", "if (false)"),
        (ARCHIVE, "if (header.type == kLink)", "if (false)"),
        (ARCHIVE, 'std::find(parts.begin(), parts.end(), "..") != parts.end()', 'parts.front() == ".."'),
        (ARCHIVE, "member[0] == '/' || member[0] == '\\\\' || ", ""),
        (ARCHIVE, " || parts[0].find(':') != std::string::npos", ""),
        (ARCHIVE, "return c < ' ' || c == 127;", "return c == 127;"),
        (ARCHIVE, "if (parts.size() > kDeepest)", "if (false)"),
        (ARCHIVE, "if (!files_.emplace(path, std::move(content)).second)",
         "if (!files_.emplace(path, std::move(content)).second && false)"),
        (ARCHIVE, "if (files_.count(path.substr(0, at)) != 0)", "if (false)"),
        (ARCHIVE, "if (deeper == 0)", "if (deeper < 0)"),
        (ARCHIVE, "if (sum != numberIn(header.sum))", "if (sum == 0)"),
        (ARCHIVE, "if (packed.find_first_not_of('\\0') != std::string_view::npos)", "if (false)")]),
    "archives that hand-ins are": (["sources_test.Archives.test_are_unpacked"], [
        (ARCHIVE, "return unpackedTo(path, bytes, 1);", "return unpackedTo(path, bytes, 0);"),
        (ARCHIVE, "std::replace(path.begin(), path.end(), '\\\\', '/');", ""),
        (ARCHIVE, 'longName_ = valueIn(lines, "path");', ""),
        (ARCHIVE, 'parts.front() == "__MACOSX" || ', ""),
        (ARCHIVE, 'textIn(header.prefix) + "/"', '""')]),
    "memory that a submission has not set": (
        ["Submissions.FindFilledWhatTheyHaveNotSet", "Check.MemoryThatIsNotSetIsNamedIfTheResultsFollowItTwice"], [
            ("src/course/submission/worker.cpp", "if (fill_) fillStacks(*fill_);", ""),
            ("src/course/submission/worker.cpp", "if (argv[7] != std::string(kNotFilled))", "if (false)"),
            ("src/course/submission/fill_stacks.cpp", "#pragma omp parallel\n", ""),
            ("src/course/submission/fill_stacks.cpp", "std::size_t{4} << 20", "std::size_t{4} << 10"),
            ("src/course/submission/channel.cpp", "glibc.malloc.perturb={}", "glibc.malloc.check={}"),
            ("src/course/check/check.cpp", "catch (const Error&) {  // it is not loaded", "catch (const SolveFault&) {  // it is not loaded"),
            ("src/course/check/diagnosis.cpp", "predictions.held == 0 || !same(zeros, e.solveFilled(specs, kZeros)) ||", "predictions.held == 0 ||"),
            ("src/course/check/diagnosis.cpp", "if (predictions.held == 0 || ", "if (")]),
    "columns of wide characters": (["Screen."], [
        ("src/harness/system/screen.cpp", " && localeHasUtf8() ? 2 : 1", " ? 2 : 1"),
        ("src/harness/system/screen.cpp", "columns += colour > 0 ? 0 : columnsAt(text, at);", "columns += colour > 0 ? 0 : 1;"),
        ("src/harness/system/screen.cpp", "next = column + columnsAt(text, at);", "next = column + 1;"),
        (UTF8, "{0x3041, 0xa4cf}", "{0x3041, 0x4dff}")]),
    "near copies": (["class_test.Comparing.test_near_copies_are_listed"], [
        (NEAR_COPIES, ": kName);", ": kName + std::hash<std::string>()(word));"),
        (NEAR_COPIES, "if (std::isspace(static_cast<unsigned char>(text[at])) == 0)", "if (true)"),
        (NEAR_COPIES, "if (a < b) ++shared[{a, b}];", "if (a > b) ++shared[{b, b}];")]),
    "whose a hand-in is": (["class_test.Students"], [
        (STUDENTS, '{{"id", found[2]}, {"name", found[1]}}', '{{"name", found[1]}}'),
        (STUDENTS, "[^_]+(?:_LATE)?_", "[^_]+_"),
        (STUDENTS, 'keys.emplace_back("id", found[1]);', 'keys.emplace_back("name", found[1]);'),
        (STUDENTS, 'keys.emplace_back("submission", found[1]);', 'keys.emplace_back("id", found[1]);'),
        (STUDENTS, "? id.substr(kWord.size()) : id;", "? id : id;"),
        (STUDENTS, "std::regex(kOfCanvas)) ? found[2].str() : name;", "std::regex(kOfCanvas)) ? name : name;"),
        (STUDENTS, "name.find(',')", "name.find(';')")]),
    "what goes back to students and course systems": (["class_test.Students"], [
        (FEEDBACK, ".finish(feedbackOf(graded, grade));", ".finish(feedbackOf(graded, graded.grades.front()));"),
        (FEEDBACK, "(command.rfind(program, 0) == 0 ?", "(command.empty() ?"),
        (FEEDBACK, "(grade.student == nullptr ? name : nameBeforeExport(name))", "name"),
        (FEEDBACK, 'return {"0", "no hand-in"};', 'return {"", "no hand-in"};'),
        (FEEDBACK, "nullptr : all.back();", "nullptr : all.front();"),
        (FEEDBACK, 'const bool none = verdict == "left out" || ', "const bool none = "),
        (FEEDBACK, 'mark.points.empty() ? "Ungraded"', 'mark.comment.empty() ? "Ungraded"')]),
    "calls that are enough": (["Measuring.", "GradeTimes."], [
        ("src/course/grade/timing.cpp", "ours || n == largest", "n == largest"),
        ("src/course/grade/timing.cpp", "ours || n == largest", "ours"),
        ("src/harness/measure/timing.cpp", "shorter >= least && ", ""),
        ("src/harness/measure/timing.cpp", "measuring.warmup == 1 && ", ""),
        ("src/harness/measure/timing.cpp", "      both.warmup = 0;\n", "")]),
    "a page that is watched": (["page_test.Sources.test_a_page_that_is_watched_loads_itself_again"], [
        ("src/program/commands/grade.cpp", "  o.output.page.reloadSeconds = o.watch;\n", ""),
        ("scripts/page.py", "reload=reload, ", "reload=reload or 60, ")]),
}


class Killed(Past):
    """The mutants that were killed on a version, but those whose killer was changed since: its name, the seconds, and a
    hash of the files that it may stand in. A test of Python has its file's name first; one in C++ has its suite's."""
    def __init__(self, file, version):
        super().__init__(file, version)
        self.tests = [(path.name, path.read_bytes()) for path in sorted((ROOT / "tests").rglob("*_test.*"))]

    def hash_of(self, killer):
        first = killer.split(".")[0]
        files = [text for name, text in self.tests if name == f"{first}.py"] or [text for _, text in self.tests if first.encode() in text]
        return hashlib.sha1(b"".join(files)).hexdigest()

    def read(self):
        return {name: row for name, row in super().read().items() if row[2] == self.hash_of(row[0])}

    def add(self, name, row):
        super().add(name, [*row, self.hash_of(row[0])])


class Build:
    """The tracked files in a folder of their own, which keeps what is built of them for the next time."""
    def __init__(self, number):
        self.folder = ROOT / f"build/mutants/{number}"
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
        for name in listed.stdout.split("\0")[:-1]:
            copy = self.folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists() or copy.read_bytes() != (ROOT / name).read_bytes():
                shutil.copy2(ROOT / name, copy)
        self.run("make", "-s", "-j1", "CUDA=no", "DEPS_SHOWN=1", "UNITY=no", "REVISION=mutant", "DIRTY=", f"{BUILD}/apsp")

    def run(self, *argv):
        subprocess.run(argv, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def make(self, program):
        """With one job: there are as many processes as cores, and a mutant is mostly one file."""
        self.run("cmake", "--build", BUILD, "--parallel", "1", "--target", program)

    def killer(self, row):
        """The test of that row that fails, None where all pass."""
        from faults_test import parted, tests_of
        here, units = parted(SOLVERS[row][0]) if row in SOLVERS else tests_of(row)
        if here:
            self.make("apsp")
        for test in here:
            result = unittest.TestResult()
            test.run(result)
            if not result.wasSuccessful():
                return test.id()
        if units:
            self.make("run")
        for name in units:
            # Of a test of several types, a number or a name of each type follows the suite.
            names = f"*{name}*:*{name.replace('.', '/*.')}*"
            try:
                if subprocess.run([self.folder / BUILD / "tests/run", f"--gtest_filter={names}"], cwd=self.folder,
                                  capture_output=True, timeout=LIMIT).returncode:
                    return name
            except subprocess.TimeoutExpired:
                return name
        return None

    def killer_of(self, row, file, old, new):
        path = self.folder / file
        text = path.read_text()
        path.write_text(text.replace(old, new))
        try:
            return self.killer(row)
        finally:
            path.write_text(text)


def mutants_of():
    """The mutants of each row."""
    return {**MUTANTS, **{row: mutants for row, (_, mutants) in SOLVERS.items()}}


def outdated():
    """The mutants of what the files do not say, or more than once."""
    return [f"{file}: {old}" for file, old, _ in itertools.chain(*mutants_of().values())
            if (ROOT / file).read_text().count(old) != 1]


def chosen(args):
    """The rows that are asked for, and their mutants."""
    from faults_test import documented
    rows = [row for row in (*documented(), *SOLVERS) if not args.words or any(word in row for word in args.words)]
    return rows, [(row, mutant) for row in rows for mutant in mutants_of().get(row, ())][args.share(0)]


def work(args):
    """One of several processes: builds and tests the mutants whose numbers it reads, and prints what kills each."""
    build = Build(args.worker)
    os.environ["APSP"] = str(build.folder / BUILD / "apsp")
    sys.path.insert(0, str(build.folder / "tests"))  # whose scripts are the mutant's, too
    _, mutants = chosen(args)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what tests print is no answer
    for line in sys.stdin:
        row, mutant = mutants[int(line)]
        begin = time.monotonic()
        try:
            killer = build.killer_of(row, *mutant)
        except subprocess.CalledProcessError:
            killer = NO_MUTANT
        print(json.dumps([killer, round(time.monotonic() - begin)]), file=answers, flush=True)


def name_of(row, mutant):
    file, old, new = mutant
    return f"{row}: {file}: {old.strip()!r} -> {new.strip()!r}"


def tested(mutants, past):
    """Has a process a core test these, and prints a line for each. Returns how many were killed."""
    known = past.read()
    left = [number for number, (row, mutant) in enumerate(mutants) if name_of(row, mutant) not in known] or range(len(mutants))
    numbers, killed = iter(left), []
    def serve(worker):
        argv = [sys.executable, *sys.argv, "--worker", str(worker)]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            for number in numbers:
                row, mutant = mutants[number]
                process.stdin.write(f"{number}\n")
                process.stdin.flush()
                killer, seconds = json.loads(process.stdout.readline())
                print(f"{name_of(row, mutant)}: {killer or 'SURVIVED'} ({seconds} s)", flush=True)
                killed.append(killer not in (None, NO_MUTANT))
                if killed[-1]:
                    past.add(name_of(row, mutant), [killer, seconds])
            process.stdin.close()
    jobs = min(len(left), len(os.sched_getaffinity(0))) or 1
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(serve, range(jobs)))
    return len(mutants) - len(left) + sum(killed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", metavar="WORD", nargs="*", help="only of the rows whose names contain one")
    parser.add_argument("--share", metavar="K/N", type=share_of, default="0/1", help="one of N shares, K from 0 on")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker is not None:
        return work(args)
    if outdated():
        sys.exit("mutants.py: not said once: " + "; ".join(outdated()))
    rows, mutants = chosen(args)
    missing = [row for row in rows if row not in mutants_of()]
    (ROOT / "build/mutants").mkdir(parents=True, exist_ok=True)
    version = None if args.words else version_of(ROOT, "tests/mutants.py", "tests/*_test.*")
    killed = tested(mutants, Killed(ROOT / "build/mutants/killed", version))
    print(*(f"{row}: no mutant" for row in missing), sep="\n")
    print(f"{len(rows)} rows, {len(mutants)} mutants, {killed} killed")
    return 1 if missing or killed < len(mutants) else 0


if __name__ == "__main__":
    sys.exit(main())
