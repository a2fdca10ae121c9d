"""Many small files, and files through a mount."""
import os
import random
import subprocess
import time

from benches.contents.baselines import rsync_seconds
from benches.contents.run import ZONE
from benches.node import wait_for

BYTES = 4_000


def files(run):
    """The import of a folder of small files on one device, and the time from its beginning until all contents are on another one: seconds. Baseline:
    an rsync daemon that syncs each file."""
    folder = make_files(run)
    rsync = rsync_seconds(run.folder, folder)
    with run.group(2) as (a, b):
        begun = time.perf_counter()
        tool(run, a, "asset", "import", folder, ZONE, "--metadata", "none")
        imported = time.perf_counter() - begun
        there = wait_for("all contents on the other device", lambda: present(b) >= run.file_count, seconds=900, pause=0.2) - begun
        begun = time.perf_counter()
        tool(run, a, "asset", "import", folder, ZONE, "--metadata", "none")
        again = time.perf_counter() - begun
    run.table.add(
        f"{run.file_count:,} files of {BYTES:,} bytes imported", f"{imported:.1f} s", f"{imported / rsync:.2f} x rsync daemon", "at most 15 s",
        import_s=imported, rsync_files_s=rsync,
    )
    run.table.add("  on the other device, from the beginning", f"{there:.1f} s", f"{there / rsync:.2f} x rsync daemon", "", files_there_s=there)
    run.table.add("  imported again without changes", f"{again:.1f} s", "", "", import_again_s=again)


def mount(run):
    """`tar` over the mount of a zone with small files and the large one, all of them here: seconds. Baseline: `tar` over the plain files."""
    folder = make_files(run)
    with run.group(1) as (a,):
        tool(run, a, "asset", "import", folder, ZONE, "--metadata", "none")
        tool(run, a, "put", ZONE, "large", "path=large", f"content=@{run.large}", "--type", "File")
        point = os.path.join(run.folder, "mount")
        os.makedirs(point, exist_ok=True)
        tool(run, a, "mount", ZONE, point)
        try:
            mounted = tar_seconds(point)
        finally:
            subprocess.run(["fusermount3", "-u", point], check=True)
        plain = tar_seconds(folder, run.large)
    run.table.add("tar over the mount of all of them", f"{mounted:.2f} s", f"{mounted / plain:.1f} x the plain files", "at most 1.5 x", mount_s=mounted, plain_s=plain)


def make_files(run):
    """A folder with the small files, a hundred in each folder; made once."""
    folder = os.path.join(run.folder, "files")
    if os.path.exists(folder):
        return folder
    source = random.Random(7)
    for number in range(run.file_count):
        place = os.path.join(folder, f"{number // 100:03}")
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, f"{number:05}"), "wb") as file:
            file.write(source.randbytes(BYTES))
    return folder


def tool(run, node, *arguments):
    """Runs the command line tool against a daemon."""
    environment = {**os.environ, "KAIRAN_SOCKET": node.path}
    done = subprocess.run([run.tool, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"kairan {' '.join(arguments[:2])} failed: {done.stdout[-500:]}")


def present(node):
    """The number of contents that are all here."""
    count, cursor = 0, ""
    while True:
        page = node.api.request("GET", f"/v1/zones/{ZONE}/assets?limit=1000{cursor}")
        count += sum(asset["state"] == "present" for asset in page["assets"])
        if not page.get("cursor"):
            return count
        cursor = f"&after={page['cursor']}"


def tar_seconds(*paths):
    """The seconds in which tar reads all files."""
    begun = time.perf_counter()
    # With /dev/null as the archive itself tar would read no content.
    with subprocess.Popen(["tar", "--create", "--file", "-", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        while process.stdout.read(1 << 20):
            pass
    if process.returncode != 0:
        raise RuntimeError(f"tar ended with {process.returncode}")
    return time.perf_counter() - begun
