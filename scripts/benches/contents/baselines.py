"""Other programs that copy files from one place to another of this machine."""
import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from benches.node import free_port, wait_for

PROGRAMS = {"rsync": "rsync", "sshd": "openssh-server"}


def program(name):
    """The path of a program, which Debian may have installed where only root looks; None if there is none."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def check(arguments):
    """Ends the run where something is missing, before the first measurement, so that no line is left out silently."""
    missing = [
        f"{path} is not built: 'make release' builds it"
        for path in (os.path.join(arguments.bin, name) for name in ("kairand", "kairan"))
        if not os.access(path, os.X_OK)
    ]
    if {"fetch", "files"} & set(arguments.parts):
        missing += [
            f"{name} is not installed: 'apt-get install --no-install-recommends {package}' as root"
            for name, package in PROGRAMS.items()
            if program(name) is None
        ]
    need, free = 8 * (arguments.mebibytes << 20), shutil.disk_usage("/var/tmp").free
    if need > free:
        missing.append(f"{arguments.mebibytes:,} MiB need {need >> 30} GiB under /var/tmp at times, where {free >> 30} GiB are free")
    if missing:
        sys.exit("bench-assets: " + "\n       ".join([*missing, "Or select measurements with --only."]))


def tcp_seconds(folder, path):
    """A file over one connection on loopback into another file, which is synced at the end."""
    copy = os.path.join(folder, "tcp-copy")
    with socket.create_server(("127.0.0.1", 0)) as server:
        receiver = os.fork()
        if receiver == 0:
            connection, _ = server.accept()
            with open(copy, "wb", buffering=0) as file:
                while piece := connection.recv(1 << 20):
                    file.write(piece)
                os.fdatasync(file.fileno())
            os._exit(0)
        begun = time.perf_counter()
        with socket.create_connection(server.getsockname()) as connection, open(path, "rb") as file:
            connection.sendfile(file)
        os.waitpid(receiver, 0)
        seconds = time.perf_counter() - begun
    os.unlink(copy)
    return seconds


@contextlib.contextmanager
def _process(arguments, ready):
    """A server within the block."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        try:
            wait_for(f"{arguments[0]} to listen", ready, seconds=20)
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _timed(arguments):
    begun = time.perf_counter()
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments[0]} failed: {done.stdout[-300:]}")
    return time.perf_counter() - begun


def rsync_seconds(folder, source):
    """A file or a folder from an rsync daemon, each file synced (--fsync)."""
    port = free_port()
    with tempfile.TemporaryDirectory(dir=folder) as work:
        settings = os.path.join(work, "rsyncd.conf")
        identity = f"uid = {getpass.getuser()}\ngid = {os.getgid()}\n" if os.getuid() == 0 else ""
        with open(settings, "w") as file:
            file.write(f"use chroot = no\n{identity}pid file = {work}/pid\n[all]\npath = {os.path.dirname(source)}\nread only = yes\n")
        server = [program("rsync"), "--daemon", "--no-detach", "--address=127.0.0.1", f"--port={port}", f"--config={settings}"]
        with _process(server, lambda: _listens(port)):
            url = f"rsync://127.0.0.1:{port}/all/{os.path.basename(source)}"
            return _timed([program("rsync"), "--archive", "--fsync", url, os.path.join(work, "copy")])


def scp_seconds(folder, source):
    """A file by scp from an sshd of our own; it is not synced."""
    port = free_port()
    with tempfile.TemporaryDirectory(dir=folder) as work:
        for key in ("host", "user"):
            _timed(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(work, key)])
        shutil.copy(os.path.join(work, "user.pub"), os.path.join(work, "authorized"))
        settings = os.path.join(work, "sshd_config")
        with open(settings, "w") as file:
            file.write(
                f"Port {port}\nListenAddress 127.0.0.1\nHostKey {work}/host\nAuthorizedKeysFile {work}/authorized\nStrictModes no\n"
                f"PasswordAuthentication no\nUsePAM no\nPidFile {work}/pid\nPermitRootLogin prohibit-password\nSubsystem sftp internal-sftp\n"
            )
        os.makedirs("/run/sshd", exist_ok=True) if os.getuid() == 0 else None
        with _process([program("sshd"), "-D", "-e", "-f", settings], lambda: _listens(port)):
            options = ["-q", "-P", str(port), "-i", os.path.join(work, "user")]
            for option in ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "BatchMode=yes"):
                options += ["-o", option]
            return _timed(["scp", *options, f"{getpass.getuser()}@127.0.0.1:{source}", os.path.join(work, "copy")])
