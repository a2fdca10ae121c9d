"""Programs and libraries that the measurements need."""
import os
import shutil
import subprocess
import sys

from benches.command import ROOT
from benches.relay import BYTES
from benches.relay.run import say

REQUIREMENTS = os.path.join(ROOT, "Benchmarks", "Relay", "requirements.txt")
NATS_SERVER = os.path.join(ROOT, ".build-nats", "bin", "nats-server")
PYTHON_FOLDER = os.path.join(ROOT, ".build-bench-relay")


def mosquitto_program():
    """Debian installs it in a folder that only root has in PATH."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def check(arguments):
    """Lists all missing prerequisites before the first measurement, so that no line is left out silently."""
    missing = []
    if "jetstream" in arguments.parts and not os.access(NATS_SERVER, os.X_OK):
        missing.append(f"{NATS_SERVER} does not exist: 'scripts/setup' makes it")
    if "mosquitto" in arguments.parts and mosquitto_program() is None:
        missing.append(
            "mosquitto is not installed: 'apt-get install --no-install-recommends mosquitto' as root (it need not run; where packages start\n"
            "       their services, 'systemctl disable --now mosquitto' afterwards)"
        )
    if "idle" in arguments.parts and not os.access(os.path.join(arguments.bin, "kairand"), os.X_OK):
        missing.append(f"{os.path.join(arguments.bin, 'kairand')} is not built: 'make release' builds it")
    # For three servers with their logs of the consensus, and SQLite's write-ahead log between two checkpoints.
    each = 6 * (BYTES + 1_500) if "jetstream" in arguments.parts else 2 * (BYTES + 1_000)
    need, free = arguments.count * each, shutil.disk_usage("/var/tmp").free
    if need > free:
        missing.append(f"{arguments.count:,} parcels need {need >> 30} GiB under /var/tmp at times, where {free >> 30} GiB are free")
    if missing:
        sys.exit("bench-relay: " + "\n       ".join([*missing, "Or select measurements with --only."]))


def enter_python_folder():
    """Runs this program again in a Python environment with the third-party clients, which is made if it is missing."""
    python = os.path.join(PYTHON_FOLDER, "bin", "python")
    installed = os.path.join(PYTHON_FOLDER, "installed.txt")
    with open(REQUIREMENTS) as file:
        wanted = file.read()
    if not os.access(python, os.X_OK) or not os.path.exists(installed) or open(installed).read() != wanted:
        make_python_folder(python)
        with open(installed, "w") as file:
            file.write(wanted)
    if os.path.realpath(sys.prefix) != os.path.realpath(PYTHON_FOLDER):
        os.execv(python, [python, os.path.abspath(sys.argv[0]), *sys.argv[1:]])


def make_python_folder(python):
    say(f"making {PYTHON_FOLDER} for the clients of NATS and MQTT")
    shutil.rmtree(PYTHON_FOLDER, ignore_errors=True)
    install = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--requirement", REQUIREMENTS]
    for command in ([sys.executable, "-m", "venv", PYTHON_FOLDER], [python, *install]):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            shutil.rmtree(PYTHON_FOLDER, ignore_errors=True)
            sys.exit(f"bench-relay: {' '.join(command)} failed\n{done.stdout}")
