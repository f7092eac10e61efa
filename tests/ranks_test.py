"""The program on several ranks: `python3 tests/ranks_test.py` starts ./apsp, or $APSP, by mpirun.

Distances must be those of one rank, to the byte. A rank that is killed or stopped ends the job within ten seconds.
Skips where there is no mpirun, or where the program was built without MPI.
"""
import csv, io, os, random, re, shutil, signal, subprocess, time, unittest
from pathlib import Path

from harness import APSP, CORES, CPU, DATA, GPU_REASON, Suite, words

# More ranks than cores, in a container, as root, on one machine without ssh: mpirun wants to be told all that.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_plm": "isolated"}
GPUS_ARE_CPUS = {"APSP_GPUS_ARE_CPUS": "1"}
NO_MPI = "built without MPI"
GIVES_UP = 10  # seconds


def why_no_ranks():
    """'' where the program runs on several ranks, else the reason that skipped tests state."""
    if not shutil.which("mpirun"):
        return "needs mpirun"
    run = subprocess.run(["mpirun", "-n", "2", APSP, "--version"], env={**os.environ, **MPI}, capture_output=True, text=True)
    return NO_MPI if "without MPI" in run.stderr else run.stderr if run.returncode else ""


NO_RANKS = why_no_ranks()


@unittest.skipIf(NO_RANKS, NO_RANKS)
class RanksSuite(Suite):
    env = {}

    def start(self, count, argv, launch=""):
        return subprocess.Popen(["mpirun", *words(launch), "-n", str(count), APSP, *words(argv)], cwd=self.dir,
                                env={**os.environ, **MPI, **self.env}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def mpirun(self, count, argv, code=0, launch=""):
        """Returns stdout, and our lines of stderr."""
        process = self.start(count, argv, launch)
        try:
            out, err = process.communicate()
        finally:
            process.kill()
        self.assertEqual(process.returncode, code, out + err)
        return out, re.findall(r"(?m)^apsp: (.*)$", err)

    def ranks_of(self, process, count):
        """The processes of the ranks in their order, once they compute."""
        while process.poll() is None:
            found = self.children_of(process)
            if len(found) == count and all(sum(map(int, self.stat(rank)[11:13])) > 50 for rank in found):  # clock ticks
                return found
            time.sleep(0.1)
        self.fail("the ranks do not compute")

    def children_of(self, process):
        return sorted(int(path.name) for path in Path("/proc").glob("[0-9]*")
                      if self.stat(path.name)[1] == str(process.pid))

    @staticmethod
    def stat(pid):
        """The fields of /proc/PID/stat from the state on; the parent is [1]."""
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return ["", ""]


    def expect_same(self, count, argv, file="npy", grid=""):
        with self.subTest(f"{count} ranks: {argv} {file} {grid}"):
            method = "" if "--method" in argv else "--method dense"
            self.apsp(f"{argv} {CPU} {method} --quiet -o one.{file}", left=None)
            self.mpirun(count, f"{argv} {CPU} --quiet -o all.{file} {grid}")
            self.assertEqual((self.dir / f"all.{file}").read_bytes(), (self.dir / f"one.{file}").read_bytes())

    def lose(self, process, victim, how):
        """Kills or stops one of the processes once they compute: all must end soon. Returns what they print as errors."""
        ranks = self.ranks_of(process, 3)
        os.kill(ranks[victim], how)
        began = time.monotonic()
        try:
            err = process.communicate()[1]
            took = time.monotonic() - began
        finally:
            process.kill()
            end = time.monotonic() + 5  # those that were told to end may take a moment; zombies have ended
            while (left := [rank for rank in ranks if self.stat(rank)[0] not in ("", "Z", "X")]) and time.monotonic() < end:
                time.sleep(0.1)
            for rank in left:
                os.kill(rank, signal.SIGKILL)
        self.assertEqual(left, [], f"left behind: {err}")
        self.assertLess(took, GIVES_UP, err)
        return err


class Ranks(RanksSuite):
    def test_predecessors_are_found_by_rank_0(self):
        for count, argv in ((2, "--n 60"), (3, "--n 300 --family grid"), (2, "--n 90 --dtype f32")):
            said, _ = self.mpirun(count, f"{argv} {CPU} -o d.npy --predecessors p.npy --verify")
            self.assertIn("p.npy, every row verified", said)
            self.apsp(f"{argv} {CPU} --quiet -o one.npy --predecessors q.npy", left=None)
            self.assertEqual((self.dir / "p.npy").stat().st_size, (self.dir / "q.npy").stat().st_size)

    def test_distances_are_those_of_one_rank(self):
        for count, argv in ((2, "--n 300"), (4, f"--n {random.randint(1, 500)} --family sparse --undirected"),
                            (5, "--n 130 --family grid"), (3, f"{DATA}/demo.bin"), (3, f"{DATA}/tiny.mtx"),
                            (2, "--n 200 --dtype f32"), (4, "--n 3")):
            self.expect_same(count, argv)
        for file in ("npy", "bin", "tsv"):
            self.expect_same(4, "--n 301", file, "--grid 2x2")

    def test_sparse_graphs_are_split_by_sources(self):
        """Every format of distances, more ranks than batches of sources, and a graph that rank 0 reads."""
        self.apsp("gen --n 300 --family grid -o g.gr", left=None)
        self.apsp("gen --n 100 --family uniform -o m.npy", left=None)
        for count, argv, file in ((4, "g.gr", "npy"), (3, "g.gr", "tsv"), (2, "--n 999 --family sparse", "bin"),
                                  (5, "--n 40 --family grid", "npy"), (3, "m.npy", "bin"), (2, "--n 60 --family uniform", "npy"),
                                  (3, "--n 300 --family grid --dtype f32", "npy"),
                                  (2, "--n 90 --family planted-arcs --negative", "npy")):
            self.expect_same(count, f"{argv} --method sparse", file)
        self.expect_same(2, "g.gr --method sparse --sources 250,0,17-19", "npy")
        self.apsp(f"g.gr {CPU} --method sparse --quiet --summary one.csv", left=None)
        self.mpirun(2, f"g.gr {CPU} --method sparse --quiet --summary all.csv")
        self.assertEqual((self.dir / "all.csv").read_text(), (self.dir / "one.csv").read_text())

    def test_small_distances_are_split_by_sources(self):
        """The files of one process, byte for byte, and all that they print but times."""
        self.apsp("gen --n 300 --family grid -o g.gr", left=None)
        for count, argv, file in ((2, "g.gr --limit 60", "npz"), (4, "g.gr --limit 60 --sources 250,0,17-19", "tsv"),
                                  (3, "g.gr --nearest 3 --targets 5,290,17,40", "csv"), (3, "--n 90 --family uniform --limit 20.5", "mtx"),
                                  (5, "g.gr --limit 0 --sources 1", "tsv")):
            with self.subTest(f"{count} ranks: {argv} {file}"):
                self.apsp(f"{argv} --device cpu --quiet -o one.{file}", left=None)
                said, errors = self.mpirun(count, f"{argv} --device cpu -o all.{file}")
                self.assertEqual((self.dir / f"all.{file}").read_bytes(), (self.dir / f"one.{file}").read_bytes())
                self.assertIn(f", on {count} ranks\n", said)
                self.assertEqual(errors, [])
        self.assertIn("Note: one process answers --farthest; the others wait", self.mpirun(2, "g.gr --farthest --device cpu")[0])
        self.assertEqual(self.mpirun(3, "g.gr --nearest 9 --targets 1,2 --device cpu", code=2)[1],
                         ["the nearest 9 of 2 targets are asked for: the number is from 0 to 2"])

    def test_equal_weights_are_split_by_sources(self):
        """Breadth-first searches: the distances of the dense method on one rank, all of them and those of a table."""
        self.apsp("gen --n 300 --family grid -o g.gr", left=None)
        self.apsp("gen --n 100 --family equal -o m.npy", left=None)
        for count, argv, file in ((4, "g.gr --hops", "npy"), (3, "g.gr --hops", "tsv"), (2, "--n 999 --family sparse --range 1", "bin"),
                                  (5, "--n 40 --family star --range 1 --undirected", "npy"), (3, "m.npy", "bin"),
                                  (2, "--n 60 --family zero", "npy"), (3, "--n 300 --family sparse --range 1 --dtype f64", "npy"),
                                  (2, "g.gr --hops --sources 250,0,17-19", "npy"),
                                  (3, "g.gr --hops --sources 250,0,17-19,100-220 --targets 3,290,17", "npy")):
            with self.subTest(f"{count} ranks: {argv} {file}"):
                self.apsp(f"{argv} {CPU} --method dense --quiet -o one.{file}", left=None)
                self.mpirun(count, f"{argv} {CPU} --method bfs --quiet -o all.{file}")
                self.assertEqual((self.dir / f"all.{file}").read_bytes(), (self.dir / f"one.{file}").read_bytes())
        self.apsp(f"g.gr {CPU} --hops --method bfs --quiet --summary one.csv", left=None)
        self.mpirun(2, f"g.gr {CPU} --hops --method bfs --quiet --summary all.csv")
        one, every = (list(csv.reader((self.dir / name).read_text().splitlines())) for name in ("one.csv", "all.csv"))
        self.assertEqual((one[0], len(one)), (every[0], len(every)))
        for row, other in zip(one[1:], every[1:]):  # sums of real numbers may be rounded in another order
            for number, same in zip(row, other):
                self.assertAlmostEqual(float(number), float(same), delta=1e-9 * abs(float(number)), msg=f"{row} {other}")
        self.env = {"OMP_NUM_THREADS": "1"}  # with many cores, the dense method takes as little time
        for method in ("--method bfs", ""):
            said, _ = self.mpirun(3, f"--n 3000 --family sparse --range 1 {CPU} {method} --verify=dijkstra --csv -")
            row, = csv.DictReader(io.StringIO(said))
            self.assertEqual((row["ranks"], row["solved_by"], row["verified"]), ("3", "bfs", "dijkstra:16"))
            self.assertGreater(float(row["arcs_per_s"]), 0)
        _, err = self.mpirun(2, f"g.gr {CPU} --method bfs", code=2)
        self.assertRegex(err[0], "method bfs.*equal weight")

    def test_ranks_filter_together(self):
        """The distances of the dense method on one rank, for every format of them, and for more ranks than blocks of rows."""
        self.apsp("gen --n 300 --family sparse -o g.gr", left=None)
        self.apsp("gen --n 201 --family uniform -o m.npy", left=None)
        for count, argv, file in ((2, "--n 300", "npy"), (4, f"--n {random.randint(1, 500)} --family sparse --undirected", "npy"),
                                  (5, "--n 130 --family uniform", "tsv"), (3, "g.gr", "bin"), (3, "m.npy --zero edge", "npy"),
                                  (3, "m.npy --zero no-edge", "npy"), (2, "--n 200 --dtype f32", "npy"), (4, "--n 20", "npy"),
                                  (3, "--n 200 --family disconnected", "npy"), (2, "--n 3", "npy"),
                                  (2, "--n 150 --family planted --negative", "npy")):
            with self.subTest(f"{count} ranks: {argv} {file}"):
                self.apsp(f"{argv} {CPU} --method dense --quiet -o one.{file}", left=None)
                self.mpirun(count, f"{argv} {CPU} --method filtered --quiet -o all.{file}")
                self.assertEqual((self.dir / f"all.{file}").read_bytes(), (self.dir / f"one.{file}").read_bytes())

    def test_the_record_of_ranks_that_filter(self):
        for options, method in (("--method filtered", "filtered"), ("", "filtered"), ("--grid 1x3", "dense"), ("--method dense", "dense")):
            said, _ = self.mpirun(3, f"--n 1200 --family uniform --threads 1 {CPU} {options} --verify --verbose --csv r.csv")
            row = list(csv.DictReader((self.dir / "r.csv").open()))[-1]
            self.assertEqual((row["ranks"], row["solved_by"], row["verified"]), ("3", method, "ref"))
            self.assertTrue(all(float(ms) > 0 for ms in row["rank_compute_ms"].split()), row)
            self.assertGreater(float(row["message_bytes"]), 0)
            self.assertEqual(len(re.findall(r"(?m)^  rank \d +computed", said)), 3)
            if method == "filtered":
                self.assertEqual(row["tier"], "uint16")
                for column in ("kept", "passes", "survey_ms", "filter_ms", "relax_ms"):
                    self.assertGreater(float(row[column]), 0, column)
                self.assertRegex(said, r"\n +filtered: \d+\.\d of 1199\.0 edges a vertex")

    def test_ranks_read_their_rows_of_a_matrix(self):
        self.apsp("gen --n 200 -o m.npy", left=None)
        self.apsp("gen --n 130 --to bin-dense -o m.bin", left=None)
        for count, argv in ((3, "m.npy"), (5, "m.bin"), (4, "m.npy --grid 2x2"), (2, "m.npy --dtype f32"),
                            (2, "m.npy --zero no-edge"), (3, "m.npy --undirected"), (2, "m.bin --negative")):
            argv, _, grid = argv.partition(" --grid")
            self.expect_same(count, argv, grid=grid and "--grid" + grid)
        for oracle in ("ref", "dijkstra", "bellman"):
            said, _ = self.mpirun(3, f"m.npy {CPU} --verify={oracle} --csv -")
            row, = csv.DictReader(io.StringIO(said))
            self.assertIn(oracle, row["verified"])
        one = self.apsp(f"m.npy {CPU} --csv -", left=None)
        self.assertEqual(row["hash"], next(csv.DictReader(io.StringIO(one)))["hash"])

    def test_a_wrong_element_is_told_as_by_one_rank(self):
        self.apsp("gen --n 100 -o m.npy", left=None)
        whole = (self.dir / "m.npy").read_bytes()
        for places in ((-8,), (130, -8), (-20000, -8)):
            broken = bytearray(whole)
            for at in places:
                broken[at:at + 4] = (-77).to_bytes(4, "little", signed=True)
            (self.dir / "broken.npy").write_bytes(broken)
            _, err = self.mpirun(3, f"broken.npy {CPU}", 3)
            self.assertEqual(len(err), 1, err)
            self.apsp(f"broken.npy {CPU}", 3, err=re.escape(err[0]))

    def test_rank_0_reads_what_another_rank_does_not_see(self):
        self.apsp("gen --n 100 -o m.npy", left=None)
        self.apsp(f"m.npy {CPU} --quiet -o one.npy", left=None)
        for other in ("empty", "full"):
            (self.dir / other).mkdir()
            if other == "full":
                self.apsp(f"gen --n 100 --seed 7 -o {other}/m.npy", left=None)
            argv = f"m.npy {CPU} --quiet -o all.npy"
            self.mpirun(1, f"{argv} : -n 1 --wdir {self.dir / other} {APSP} {argv}")
            self.assertEqual((self.dir / "all.npy").read_bytes(), (self.dir / "one.npy").read_bytes())

    def test_a_matrix_that_changes_is_refused(self):
        """Each call reads the file again, so this also shows that ranks read by themselves."""
        self.apsp("gen --n 1000 -o m.npy", left=None)
        process = self.start(3, "m.npy --device cpu --reps 100000 --quiet")
        try:
            self.ranks_of(process, 3)
            os.utime(self.dir / "m.npy", (1, 1))
            _, err = process.communicate()
        finally:
            process.kill()
        self.assertEqual(process.returncode, 3, err)
        changed = "(?m)^apsp: m.npy: the file was changed (or removed after it was checked|while it was read): "
        self.assertEqual(len(re.findall(changed, err)), 1, err)

    def test_the_record_of_a_split_by_sources(self):
        for options, method in (("--method sparse", "sparse"), ("", "sparse"), ("--grid 1x3", "dense")):
            said, _ = self.mpirun(3, f"--n 2500 --family grid {CPU} {options} --verify=dijkstra --verbose --csv r.csv")
            row = list(csv.DictReader((self.dir / "r.csv").open()))[-1]
            self.assertEqual((row["ranks"], row["solved_by"], row["verified"]), ("3", method, "dijkstra:16"))
            if method == "sparse":
                self.assertGreater(float(row["sweep_ms"]), 0)
                self.assertTrue(all(float(ms) > 0 for ms in row["rank_compute_ms"].split()), row)
                self.assertEqual(len(re.findall(r"(?m)^  rank \d +computed", said)), 3)

    def test_the_record_says_how_ranks_shared_the_work(self):
        for count, grid, options in ((3, "3x1", ""), (4, "2x2", "--grid 2x2"), (2, "1x2", "--grid 1x2")):
            said, _ = self.mpirun(count, f"--n 300 {CPU} {options} --verify --csv -")
            row, = csv.DictReader(io.StringIO(said))  # rank 0 alone prints
            self.assertEqual((row["ranks"], row["grid"], row["verified"]), (str(count), grid, "ref"))
            self.assertGreater(float(row["message_bytes"]), 0)
        said, _ = self.mpirun(2, f"--n 300,301 {CPU} --verify=dijkstra")
        self.assertEqual(len(re.findall(r"(?m)^ranks     2, the matrix is divided into 2 x 1 parts$", said)), 1)
        self.assertEqual(len(re.findall(r"dijkstra:16", said)), 2)

    def test_each_number_of_ranks_is_a_point_of_its_own(self):
        argv = f"--n 100 {CPU} --record r"
        for count in (2, 3, 2):
            self.mpirun(count, argv)
        self.apsp(f"{argv} --quiet", left=None)
        self.assertEqual(len(list((self.dir / "r").glob("*.csv"))), 3)
        said = self.apsp("report r", left=None)
        for line in ("2 ranks", "3 ranks"):
            self.assertEqual(len(re.findall(rf"(?m), {line}", said)), 1, said)
        for count in (2, 3):
            self.mpirun(count, f"--n 100 {CPU} --csv {count}.csv")
        self.apsp("compare 2.csv 3.csv", 3, left=None, err="2.csv and 3.csv have no point in common: ")

    def test_negative_weights(self):
        for count, argv in ((2, "--n 150 --family planted --negative"), (3, "--n 90 --family planted-arcs --negative"),
                            (3, "--n 90 --family planted-arcs --negative --dtype f32")):
            self.expect_same(count, argv)
        self.mpirun(2, f"--n 90 --family planted --negative --dtype f32 {CPU} --verify -o d.npy --predecessors p.npy")
        self.mpirun(2, "--n 90 --family planted --negative --device cpu --verify --checkpoint c")
        self.put("cycle.el", "0 1 2\n1 2 -5\n2 1 3\n")
        _, err = self.mpirun(2, f"cycle.el --negative {CPU}", code=3)
        self.assertRegex(err[0], "negative cycle 2 -> 1")

    def test_a_distance_that_is_too_large_is_refused(self):
        self.put("long.el", "0 1 1000000000\n1 2 1000000000\n")
        _, err = self.mpirun(2, f"long.el {CPU}", code=3)
        self.assertRegex(err[0], "1 pair is reachable only over a distance of")

    def test_mistakes_are_one_line_of_rank_0(self):
        for argv, code, line in (
                (f"--n 9 {CPU} --grid 2x2", 2, r"a grid of 2x2 has 4 places, but there are 3 ranks"),
                (f"--n 9 {CPU} --kernel ref", 2, r"kernel ref \(cpu\) runs on one rank, not on 3: start one, or "),
                (f"--n 9 {CPU} --method filtered --grid 1x3", 2, "several ranks filter only with a grid of one column: take the grid 3x1, or "),
                ("--n 9 --device cpu --method filtered --checkpoint c", 2, r"checkpoints save the matrix of the dense method: "),
                (f"--n 9 {CPU} --method sparse --grid 1x3", 2, r"the sparse method runs on one rank, or with a grid of "),
                ("--n 9 --device cpu --method sparse --checkpoint c", 2, r"checkpoints save the matrix of the dense method: "),
                (f"{DATA}/tiny.mtx {CPU} --method sparse --vary", 2, "a matrix in several parts cannot be renumbered: "),
                ("nowhere.bin", 3, r"nowhere\.bin: cannot be read: "),
                ("--n 9 --grid 3", 2, r"--grid: '3': expected PxQ")):
            with self.subTest(argv):
                _, err = self.mpirun(3, argv, code)
                self.assertEqual(len(err), 1, err)
                self.assertRegex(err[0], line)
        self.apsp(f"--n 9 {CPU} --grid 2x2", 2, err=r"--grid 2x2 needs 4 ranks: mpirun -n 4 ")

    def test_gpus_are_not_cpus(self):
        self.apsp(f"--n 9 {CPU} --gpus 2", 2, err=r"--gpus 2 needs GPUs: leave it out, or start ranks by mpirun -n 2")
        self.apsp(f"--n 9 {CPU} --verbose", 2, err=r"--verbose is about several ranks: ")
        _, err = self.mpirun(2, f"--n 9 {CPU} --gpus 2", 2)
        self.assertEqual(err, ["--gpus 2 needs GPUs: leave it out, or start ranks by mpirun -n 4"])

    def test_verbose_says_what_each_rank_did(self):
        said, _ = self.mpirun(3, f"--n 300 {CPU} --verbose --csv r.csv")
        times = re.findall(r"(?m)^  rank (\d) +computed [\d.]+ ms, waited [\d.]+ ms, \S+ kB of messages$", said)
        self.assertEqual(times, ["0", "1", "2"], said)
        row, = csv.DictReader((self.dir / "r.csv").open())
        for column in ("rank_compute_ms", "rank_wait_ms"):
            self.assertEqual(len(row[column].split()), 3)

    def test_the_benchmark_of_several_ranks(self):
        self.script("bench_scale.sh", "-o r --device cpu --gpus 1,2,99 --sizes 100,130", **MPI)
        rows = list(csv.DictReader((self.dir / "r/scale.csv").open()))
        self.assertEqual([(row["n"], row["ranks"], row["verified"]) for row in rows],
                         [(n, ranks, "bellman:16") for n in ("100", "130") for ranks in ("1", "2")[:CORES]])  # no more than cores
        self.script("bench_scale.sh", "--gpus two", 2, err="expected numbers with commas")
        self.script("bench_scale.sh", "--wrong", 2, err="unknown argument '--wrong'")

    def test_different_arguments_are_refused(self):
        _, err = self.mpirun(1, f"--n 9 {CPU} : -n 1 {APSP} --n 10 {CPU}", 2)
        self.assertEqual(err, ["rank 1: another program or other arguments than those of rank 0: "
                               "start all ranks with one command and one build"])

    def test_other_commands_run_on_one_rank(self):
        said, err = self.mpirun(3, f"info {DATA}/demo.bin")
        self.assertEqual(len(re.findall("(?m)^vertices +300$", said)), 1, said)
        self.assertEqual(err, ["info runs on one rank; 2 other ranks wait"])


class LostRanks(RanksSuite):
    env = GPUS_ARE_CPUS

    def test_a_lost_rank_ends_the_job(self):
        sparse = "--n 3000 --family grid --method sparse"
        for how, victim, argv in ((signal.SIGKILL, 2, "--n 3000"), (signal.SIGSTOP, 1, "--n 3000"),
                                  (signal.SIGSTOP, 0, "--n 3000"), (signal.SIGKILL, 1, sparse), (signal.SIGSTOP, 2, sparse)):
            with self.subTest(f"{how.name} for rank {victim}: {argv}"):
                process = self.start(3, f"{argv} --device cpu --reps 100000 --quiet")
                err = self.lose(process, victim, how)
                if how == signal.SIGSTOP:
                    self.assertEqual(process.returncode, 7, err)
                    self.assertRegex(err, rf"(?m)^apsp: rank {victim} on \S+ does not answer: the job ends\.")
                else:  # mpirun notices it first, and says so
                    self.assertNotEqual(process.returncode, 0, err)
                    self.assertRegex(err, rf"rank {victim} ")

    def test_a_lost_process_has_several_ranks(self):
        """mpirun --enable-recovery leaves it to the other processes to notice that one was killed."""
        for how, victim, launch in ((signal.SIGSTOP, 0, ""), (signal.SIGKILL, 2, ""), (signal.SIGKILL, 1, "--enable-recovery")):
            with self.subTest(f"{how.name} for process {victim} {launch}"):
                process = self.start(3, "--n 3000 --device cpu --gpus 2 --reps 100000 --quiet", launch)
                err = self.lose(process, victim, how)
                if how == signal.SIGSTOP:
                    self.assertEqual(process.returncode, 7, err)
                if how == signal.SIGSTOP or launch:
                    self.assertRegex(err, rf"(?m)^apsp: ranks {2 * victim} to {2 * victim + 1} on \S+ do not answer: the job ends\.")
                else:  # mpirun notices it first, and says so
                    self.assertNotEqual(process.returncode, 0, err)
                    self.assertRegex(err, rf"process rank {victim} ")


class ThreadsOfProcesses(RanksSuite):
    """mpirun -n 2 ./apsp --gpus 3, where CPUs stand in for GPUs."""
    env = GPUS_ARE_CPUS

    def test_distances_are_those_of_one_rank(self):
        self.apsp("gen --n 200 -o m.npy", left=None)
        self.apsp("gen --n 100 --family grid -o g.gr", left=None)
        for count, argv, grid in ((2, "--n 200", "--gpus 2"), (2, "--n 1", "--gpus 2"), (3, "--n 3", "--gpus 2"),
                                  (2, f"--n {random.randint(1, 500)} --family sparse --undirected", "--gpus 3 --grid 2x3"),
                                  (3, "--n 330 --dtype f32", "--gpus 2 --grid 3x2"), (2, "m.npy", "--gpus 2 --grid 1x4"),
                                  (2, "--n 331 --dtype i64 --range 1000000000000", "--gpus 2 --grid 2x2"),
                                  (1, "--n 130", "--gpus 3"), (2, "m.npy --method filtered", "--gpus 2"),
                                  (3, "g.gr --method sparse", "--gpus 2"),
                                  (2, "--n 90 --family planted --negative", "--gpus 2")):
            self.expect_same(count, argv, "npy", grid)
        for file in ("bin", "tsv"):
            self.expect_same(2, "--n 201", file, "--gpus 2 --grid 2x2")
        self.apsp(f"--n 201 {CPU} --quiet --gpus 3 -o three.bin", env=self.env, left=None)  # without mpirun
        self.assertEqual((self.dir / "three.bin").read_bytes(), (self.dir / "one.bin").read_bytes())

    def test_rank_0_verifies_and_records(self):
        said, _ = self.mpirun(2, f"--n 300,301 {CPU} --gpus 3 --verify --verbose --csv r.csv --record r")
        self.assertEqual(re.findall("(?m)^ranks .*", said),
                         ["ranks     6, 3 in each of 2 processes, the matrix is divided into 6 x 1 parts"])
        self.assertEqual(re.findall(r"(?m)^  rank (\d) +computed", said), list("012345") * 2)
        for row in csv.DictReader((self.dir / "r.csv").open()):
            self.assertEqual((row["ranks"], row["grid"], row["verified"]), ("6", "6x1", "ref"))
            self.assertEqual(len(row["rank_compute_ms"].split()), 6)
        self.assertEqual(len(list((self.dir / "r").glob("*.csv"))), 2)

    def test_saved_parts_go_on_with_other_ranks(self):
        argv = "--n 1500 --family permuted-ring --device cpu --quiet"
        self.mpirun(2, f"{argv} --gpus 2 --checkpoint whole --every 0 -o whole.npy")
        process = self.start(2, f"{argv} --gpus 2 --checkpoint saved --every 0 -o all.npy")
        self.wait_until(lambda: len(list(self.dir.glob("saved/*.part"))) == 4, process)
        os.kill(self.children_of(process)[1], signal.SIGKILL)
        process.communicate()
        self.assertEqual(len(list(self.dir.glob("saved/*.part"))), 4, "it was not killed while it solved")
        self.mpirun(3, f"{argv} --gpus 2 --checkpoint saved --resume -o all.npy")
        self.assertEqual((self.dir / "all.npy").read_bytes(), (self.dir / "whole.npy").read_bytes())

    def test_mistakes_are_one_line_of_rank_0(self):
        for argv, code, line in (
                (f"--n 9 {CPU} --gpus 2 --grid 2x3", 2, "a grid of 2x3 has 6 places, but there are 4 ranks"),
                (f"--n 9 {CPU} --gpus 2 --kernel ref", 2, r"kernel ref \(cpu\) runs on one rank, not on 4: "),
                (f"nowhere.bin {CPU} --gpus 2", 3, r"nowhere\.bin: cannot be read: "),
                (f"--n 9 {CPU} --gpus 2 -o no/d.npy", 6, r"no/d\.npy: ")):
            with self.subTest(argv):
                _, err = self.mpirun(2, argv, code)
                self.assertEqual(len(err), 1, err)
                self.assertRegex(err[0], line)

    def test_mpi_must_let_threads_send(self):
        self.put("one_thread.c", """int PMPI_Init_thread(int *, char ***, int, int *);
                                 int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given) {
                                   (void)wanted;
                                   return PMPI_Init_thread(argc, argv, 2 /* MPI_THREAD_SERIALIZED */, given);
                                 }""")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "one_thread.c", "-o", "one_thread.so"], cwd=self.dir,
                       check=True)
        one_thread = f"-x LD_PRELOAD={self.dir}/one_thread.so"
        self.mpirun(2, f"--n 9 {CPU}", launch=one_thread)
        _, err = self.mpirun(2, f"--n 9 {CPU} --gpus 2", 2, one_thread)
        self.assertEqual(err, ["this MPI library lets only one thread of a process send messages: start a "
                               "process for each GPU, and none for several"])


class Checkpoints(RanksSuite):
    def test_killed_at_random_moments_it_goes_on(self):
        """Also with other numbers of ranks. The distances are those of a run that nobody killed."""
        argv = "--n 1500 --family permuted-ring --device cpu --quiet"
        began = time.monotonic()
        self.mpirun(3, f"{argv} --checkpoint whole --every 0 -o whole.npy")
        whole = time.monotonic() - began  # it is longer while others compute
        resumed = 0
        parts = lambda: any((self.dir / "saved").glob("*.part"))
        for attempt in range(20):
            process = self.start(random.choice((2, 3, 4)), f"{argv} --checkpoint saved --every 0 --resume -o all.npy")
            if attempt % 2:  # as soon as something is saved, because solving takes a small part of the time
                while process.poll() is None and not parts():
                    time.sleep(0.002)
            else:
                time.sleep(random.uniform(0.3, 1.0) * whole)
            ranks = self.children_of(process)
            if ranks:
                os.kill(random.choice(ranks), signal.SIGKILL)
            else:
                whole *= 0.8  # the machine is less busy than when `whole` was measured
            process.communicate()
            saved = parts()
            if ranks and not saved:
                whole *= 1.2  # it is busier
            resumed += saved
        self.assertGreater(resumed, 3, "it was hardly ever killed while it solved")
        self.mpirun(3, f"{argv} --checkpoint saved --resume -o all.npy")
        self.assertEqual((self.dir / "all.npy").read_bytes(), (self.dir / "whole.npy").read_bytes())
        self.assertEqual(list((self.dir / "saved").glob("*.part")), [])

    def test_checkpoints_want_ranks_and_one_solve(self):
        self.apsp(f"--n 9 --device cpu --checkpoint c", 2, err="--checkpoint works under mpirun, or with --gpus: ")
        for argv in (f"--n 9 {CPU} --checkpoint c", "--n 9,10 --device cpu --checkpoint c"):
            _, err = self.mpirun(2, argv, 2)
            self.assertRegex(err[0], "--checkpoint is for one solve of one graph")
        self.mpirun(1, "--n 100 --device cpu --checkpoint c --verify")
        (self.dir / "c").mkdir(exist_ok=True)
        (self.dir / "c/x.part").write_text("no part")
        _, err = self.mpirun(2, "--n 100 --device cpu --checkpoint c --resume", 3)
        self.assertRegex(err[0], r"rank 0: c/x\.part: not a saved part: ")


@unittest.skipIf(GPU_REASON, GPU_REASON)
class Gpus(Suite):
    def test_more_ranks_than_gpus_are_refused(self):
        self.apsp("--n 9 --method dense --gpus 64", 2, err=r"rank \d+: it has the same GPU as rank \d: start as many ranks on a machine as "
                                            "it has GPUs")

    def test_what_does_not_fit_streams(self):
        said = self.apsp("--n 6000 --method dense --verify --csv - --quiet", env={"APSP_GPU_MEMORY": str(100 << 20)})
        row, = csv.DictReader(io.StringIO(said))
        self.assertEqual((row["verified"], row["tier"]), ("ref", "int32"))
        self.assertGreater(float(row["rank_compute_ms"]), 0)


class SeveralGpus(RanksSuite):
    def setUp(self):
        super().setUp()
        if GPU_REASON:  # run.py runs such a test again, where it sees the GPUs
            self.skipTest(GPU_REASON)
        self.gpus = len(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.splitlines())
        if self.gpus < 2:
            self.skipTest("needs two GPUs")

    def test_threads_and_processes_solve_on_two(self):
        for options in ("--precision 32", "--precision 16 --range 100"):
            argv = f"--n 3000 --device gpu --method dense {options} --verify=bellman:50 --csv -"
            for said in (self.apsp(f"{argv} --gpus 2 --quiet"), self.mpirun(2, argv)[0]):
                row, = csv.DictReader(io.StringIO(said))
                self.assertEqual((row["ranks"], row["verified"]), ("2", "bellman:50"))

    def test_threads_of_processes_solve_on_four(self):
        if self.gpus < 4:
            self.skipTest("needs four GPUs")
        for options in ("", "--grid 2x2", "--grid 1x4", "--precision 16 --range 100", "--method filtered"):
            method = "" if "--method" in options else "--method dense"
            argv = f"--n 3000 --device gpu --gpus 2 {method} {options} --verify=bellman:50 --csv -"
            row, = csv.DictReader(io.StringIO(self.mpirun(2, argv)[0]))
            self.assertEqual((row["ranks"], row["verified"]), ("4", "bellman:50"))


@unittest.skipIf(NO_RANKS != NO_MPI, "built with MPI")
class WithoutMpi(Suite):
    def test_says_so(self):
        self.apsp("--n 9", 2, env={"OMPI_COMM_WORLD_SIZE": "3"},
                  err=r"3 processes were started together, but this program was built without MPI: ")


if __name__ == "__main__":
    unittest.main()
