"""scripts/*.sbatch in a real Slurm: `python3 tests/slurm_test.py` tests ./apsp, or $APSP, in three minutes.

A cluster of one node with three GPUs that are none, in a temporary folder and with ports of its own: munge, slurmctld
and slurmd, which end with the tests. Skips, saying why, where they are not installed or not started by root.
"""
import csv, json, os, shutil, socket, stat, subprocess, tempfile, time, unittest
from pathlib import Path

from harness import APSP, MEASURED, ROOT, SOLVE, library

PROGRAMS = "munged slurmctld slurmd sbatch scontrol squeue scancel".split()
GPUS = 3
SIZES = range(200, 208)  # of the sweep; the array has half as many tasks, which take two each
LATE = (300,)            # of another job, whose time will be over
ARGS = "--device cpu --threads 1"

CONFIGURATION = """
ClusterName=apsptest
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={dir}/run/munge.socket,cred_expire=8
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/run/slurmctld.pid
SlurmdPidFile={dir}/run/slurmd.pid
SlurmctldLogFile={dir}/log/slurmctld.log
SlurmdLogFile={dir}/log/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=5
MinJobAge=300
GresTypes=gpu
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
RequeueExit=75
NodeName=localhost NodeAddr=127.0.0.1 NodeHostname={host} CPUs={gpus} RealMemory=500 Gres=gpu:p100:{gpus} State=UNKNOWN
PartitionName=low Nodes=localhost Default=YES MaxTime=60 State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=5
PartitionName=high Nodes=localhost MaxTime=60 State=UP PriorityTier=10 PreemptMode=OFF
"""


def why_not():
    """'' where this machine can run a Slurm, else the reason that skipped tests state."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        return f"needs Slurm (slurm-wlm, munge): no {' '.join(missing)}"
    return "needs root, to start Slurm's daemons" if os.geteuid() else ""


def until(condition, what, seconds=60):
    """Waits for what condition() returns to be true, and returns it."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            queue = subprocess.run(["squeue", "--all", "--states=all"], capture_output=True, text=True).stdout
            raise AssertionError(f"not within {seconds} s: {what}\n{queue}")
        time.sleep(0.1)
    return found


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """The daemons, from start() to stop(). They and the commands know their folder by SLURM_CONF."""

    def start(self):
        self.dir, self.daemons = Path(tempfile.mkdtemp(prefix="apsp-slurm-")), []
        self.dir.chmod(0o755)
        for name in ("state", "spool", "log", "run"):
            (self.dir / name).mkdir()
        shutil.chown(self.dir / "run", "munge")
        for i in range(GPUS):  # only for a device file does Slurm set CUDA_VISIBLE_DEVICES
            try:
                os.mknod(self.dir / f"gpu{i}", stat.S_IFCHR | 0o666, os.makedev(195, i))
            except PermissionError:
                raise unittest.SkipTest("needs the right to make device files")
        host = socket.gethostname().split(".")[0]
        (self.dir / "gres.conf").write_text(f"Name=gpu Type=p100 File={self.dir}/gpu[0-{GPUS - 1}]\n")
        (self.dir / "slurm.conf").write_text(
            CONFIGURATION.format(dir=self.dir, host=host, ports=free_ports(2), gpus=GPUS))
        os.environ["SLURM_CONF"] = str(self.dir / "slurm.conf")
        run = self.dir / "run"
        self.daemon("munged", "--foreground", "--force", f"--socket={run}/munge.socket", f"--pid-file={run}/munged.pid",
                    f"--log-file={run}/munged.log", f"--seed-file={run}/munged.seed", user="munge", group="munge")
        until((run / "munge.socket").exists, "munged listens")
        self.daemon("slurmctld", "-D", "-c")
        until(lambda: call("scontrol", "ping", check=False).count("is UP"), "slurmctld is up")
        self.daemon("slurmd", "-D", "-N", "localhost")
        until(lambda: "idle" in call("sinfo", "-h", "-o", "%T"), "the node is up")

    def daemon(self, *argv, **kwargs):
        log = open(self.dir / "log" / f"{argv[0]}.out", "wb")
        self.daemons.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **kwargs))
        log.close()

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        os.environ.pop("SLURM_CONF", None)
        shutil.rmtree(self.dir)


def call(*argv, check=True, **env):
    run = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **env}, timeout=60)
    if check and run.returncode:
        raise AssertionError(f"{argv}: exit {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout


def state(job):
    """A job's or an array task's, as squeue names it."""
    return call("squeue", "--noheader", "--states=all", "--format=%T", f"--jobs={job}").strip()


def restarts(job):
    return int(call("scontrol", "show", "job", job).partition("Restarts=")[2].split()[0])


def cancel_jobs():
    call("scancel", "--user=root")
    until(lambda: not call("squeue", "--noheader"), "all jobs have ended")


class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if reason := why_not():
            raise unittest.SkipTest(reason)
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="apsp-test-"))
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.addCleanup(cancel_jobs)
        self.points = self.dir / "sweep" / "points"
        self.slow()
        (self.dir / "apsp").write_text(f"""#!/usr/bin/env bash
# ./apsp, which takes for ever at the sizes in the file `slow`.
reps=5
for n in $(< {self.dir}/slow); do [[ " $* " != *" --n $n "* ]] || reps=1000000; done
exec {APSP} "$@" --reps $reps
""")
        (self.dir / "apsp").chmod(0o755)

    def slow(self, *sizes):
        (self.dir / "slow").write_text(" ".join(map(str, sizes)))

    def submit(self, *options, sizes=SIZES, script=(str(ROOT / "scripts" / "sweep.sbatch"),), **env):
        """sbatch's job id."""
        return call("sbatch", "--parsable", f"--output={self.dir}/%A_%a.out", *options, *script,
                    SIZES=" ".join(map(str, sizes)), OUT=str(self.dir / "sweep"), APSP=str(self.dir / "apsp"),
                    ARGS=ARGS, **env).strip()

    def submit_array(self):
        return self.submit(f"--array=0-{len(SIZES) // 2 - 1}")

    def preempt(self):
        """A job of higher priority takes the whole node for a second."""
        urgent = self.submit("--partition=high", f"--ntasks={GPUS}", f"--gres=gpu:p100:{GPUS}",
                             script=("--wrap=sleep 1",))
        until(lambda: state(urgent) == "COMPLETED", "the urgent job is done")

    def report(self, code=0):
        """run.sh's: the points that are missing, {(n, kernel)}."""
        run = subprocess.run([ROOT / "run.sh", "--sizes", "", "--out", self.dir / "sweep"], capture_output=True,
                             text=True, env={**os.environ, "APSP": APSP})
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        listed = run.stdout.partition("Missing:\n")[2].partition("\n\n")[0]
        return {(int(line.split()[2]), line.split()[3]) for line in listed.splitlines()}

    def rows(self, directory):
        with open(self.dir / directory / "sweep.csv", newline="") as file:
            return [{key: row[key] for key in row if key not in MEASURED} for row in csv.DictReader(file)]

    def measured(self, n):
        """Whether a job has begun to measure the naive solver at n."""
        return any(path.read_text() for path in self.points.glob(f".locks/*-n{n}-ref-*"))

    def recorded(self, n):
        return len(list(self.points.glob(f"*-n{n}-*.csv"))) == 2

    def output(self, task):
        return (self.dir / f"{task}.out").read_text()

    def test_interrupted_in_every_way_every_point_is_there_once(self):
        quick, last = SIZES[:4], SIZES[4:]  # task i takes quick[i], then last[i]
        self.slow(*last, *LATE)
        array = self.submit_array()
        tasks = [f"{array}_{i}" for i in range(4)]

        # A job of higher priority takes the whole node: the three tasks that run are queued again.
        until(lambda: all(map(self.measured, last[:3])), "three tasks are at their second size")
        self.slow(*last[2:], *LATE)
        self.preempt()
        self.assertEqual([restarts(task) for task in tasks], [1, 1, 1, 0])
        self.assertEqual([self.recorded(n) for n in SIZES], [True] * 3 + [False] * 5)
        late = self.submit("--array=0", "--time=1", "--signal=CONT@1", sizes=LATE) + "_0"  # it is not warned

        # Of those that run now, one is cancelled, one is warned that its time is nearly over, two may end.
        until(lambda: self.measured(last[3]), "the fourth task is at its second size")
        call("scancel", tasks[3])
        until(lambda: self.output(tasks[2]).count(f"n = {last[2]}\n") == 2, "the third task is there again")
        call("scontrol", "update", f"JobId={tasks[2]}", "TimeLimit=1")
        until(lambda: restarts(tasks[2]) == 2, "the third task is queued again", 100)
        self.slow(*LATE)
        call("scontrol", "update", f"JobId={tasks[2]}", "TimeLimit=30")
        until(lambda: [state(task) for task in tasks] == ["COMPLETED"] * 3 + ["CANCELLED"], "the tasks have ended")
        until(lambda: restarts(late) == 1, "the late job's time is over", 150)
        self.slow()
        until(lambda: state(late) == "COMPLETED", "the late job has ended")
        self.assertIn("TIME LIMIT", self.output(late))
        for task in tasks:
            self.assertRegex(self.output(task), rf"job {task} on .*, start 1, GPU [0-{GPUS - 1}]\n")

        # What nobody came to is known, and measured when the array is submitted again.
        self.assertEqual(self.report(1), {(last[3], "ref"), (last[3], "apsp")})
        again = self.submit_array()
        until(lambda: [state(f"{again}_{i}") for i in range(4)] == ["COMPLETED"] * 4, "all have ended")
        self.assertEqual(self.report(), set())
        rows = self.rows("sweep")
        self.assertEqual([(int(row["n"]), row["kernel"]) for row in rows],
                         [(n, kernel) for n in (*SIZES, *LATE) for kernel in ("ref", "apsp")])
        self.assertLessEqual({row["verified"] for row in rows}, {"ref", "dijkstra:16"})

        call(str(ROOT / "run.sh"), "--sizes", " ".join(map(str, (*SIZES, *LATE))), "--out", str(self.dir / "undisturbed"),
             "--", *ARGS.split(), "--reps", "5", APSP=APSP)
        self.assertEqual(rows, self.rows("undisturbed"))

    def test_the_environment_chooses_the_type_of_gpu(self):
        for env, gres in (({}, "gpu:1"), ({"SBATCH_GRES": "gpu:p100:1"}, "gpu:p100:1")):
            job = self.submit("--array=0", "--hold", sizes=SIZES[:1], **env)
            self.assertRegex(call("scontrol", "show", "job", job), rf"TresPerNode=gres[:/]{gres}\n")

    def test_without_gres(self):
        for options, told in (((), False), (("--gres=none",), True)):
            job = self.submit("--array=0", *options, sizes=SIZES[:1]) + "_0"
            until(lambda: state(job) == "COMPLETED", "it is done")
            self.assertEqual("Slurm gave this job no GPU (--gres)" in self.output(job), told, self.output(job))

    def test_tasks_share_a_folder_of_hand_ins(self):
        hand_ins = self.dir / "hand-ins"
        hand_ins.mkdir()
        # One takes long to time, but not to check: Slurm takes up to ten seconds until it preempts a job.
        for i in range(5):
            library(hand_ins / f"s{i}.so", f"{SOLVE} if (n == 9) usleep({8000000 if i == 0 else 1000});")  # a shorter time may be refused
        array = call("sbatch", "--parsable", f"--output={self.dir}/%A_%a.out", "--array=0-1", "--cpus-per-task=1",
                     str(ROOT / "scripts" / "grade.sbatch"), FOLDER=str(hand_ins), CSV=str(self.dir / "g.csv"), APSP=APSP,
                     ARGS="--host --sizes 9").strip()
        tasks = [f"{array}_{i}" for i in range(2)]
        timing = self.dir / "g.csv.d" / ".locks"
        until(lambda: any(path.read_text() for path in timing.glob("times-s0-*")), "the slow one is being timed")
        self.preempt()
        until(lambda: [state(task) for task in tasks] == ["COMPLETED"] * 2, "the tasks have ended", 150)
        self.assertGreater(sum(restarts(task) for task in tasks), 0)  # preempted, and gone on
        with open(self.dir / "g.csv", newline="") as file:
            rows = {row["name"]: (row["verdict"], bool(row["rank"])) for row in csv.DictReader(file)}
        self.assertEqual(rows, {f"s{i}.so": ("pass", True) for i in range(5)})
        checked = [path.name for path in (self.dir / "g.csv.d").glob("check-*.json")]
        self.assertEqual(len(checked), 5)

    @unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
    def test_ranks_go_on_from_their_checkpoints(self):
        """scripts/multi.sbatch, preempted while it solves. It takes some seconds, and saves every second."""
        mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
        job = call("sbatch", "--parsable", f"--output={self.dir}/%j.out", f"--ntasks={GPUS}", "--cpus-per-task=1",
                   str(ROOT / "scripts" / "multi.sbatch"), APSP=APSP, SAVE=str(self.dir / "saved"), EVERY="0.02",
                   ARGS=f"--n 12000 --device cpu --verify=bellman:4 --json {self.dir}/r.json", **mpi).strip()
        until(lambda: any(self.dir.glob("saved/*.part")), "a part is saved")
        self.preempt()
        until(lambda: state(job) in ("COMPLETED", "FAILED"), "the job has ended", 150)
        self.assertEqual((state(job), restarts(job)), ("COMPLETED", 1), self.output(job))
        self.assertRegex(self.output(job), rf"start 1, {GPUS} processes\n(?s:.*)start 2, {GPUS} processes\n")
        record, = json.loads((self.dir / "r.json").read_text())
        self.assertEqual((record["ranks"], record["verified"]), (GPUS, "bellman:4"))
        self.assertEqual(list(self.dir.glob("saved/*.part")), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
