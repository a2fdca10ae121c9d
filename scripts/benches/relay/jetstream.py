"""A relay's storage in a NATS cluster."""
import asyncio
import os
import time

from benches.relay import ALONE, AT_ONCE, BYTES, TAKERS
from benches.relay.figures import Pace, add_client_share, add_pace, add_weight, footprint
from benches.relay.nats_cluster import Cluster
from benches.relay.run import say


def jetstream(run):
    """The same as sqlite with three nats-servers, set up as docs/operations/relay-cluster.md says (sync_interval always, three replicas). Memory and
    disk are those of the three servers together. Baseline, *plain JetStream*: servers with the same settings, a stream with three replicas that
    drops acknowledged messages; messages of the same size, 64 published and not yet acknowledged at once; then a pull consumer with eight fetches
    of 64 at once, until the stream is empty."""
    with Cluster(os.path.join(run.folder, "plain"), run.count) as cluster:
        say("plain JetStream")
        plain = asyncio.run(plain_jetstream(cluster, run.count))
    with Cluster(os.path.join(run.folder, "cluster"), run.count) as cluster:
        say("a relay's JetStream")
        figures = run.kept(
            "--storage", "jetstream", "--replicas", "3", "--measure", cluster.folder,
            "--server", *cluster.urls, "--process", *map(str, cluster.pids),
        )
    add_pace(run.table, "JetStream, 3 servers", "jetstream", figures, plain, "plain", "at least 0.25 x")
    add_weight(run.table, run.count, "jetstream", figures, "others_resident", " of the servers")
    front = figures["waiting"]["resident"] / (1 << 20)
    run.table.add("  memory of the front end", f"{front:,.0f} MiB", "", jetstream_front_mib=front)
    add_pace(run.table, "plain JetStream", "plain", plain)
    add_client_share(run.table, plain)
    add_weight(run.table, run.count, "plain", plain, words=" of the servers")


async def plain_jetstream(cluster, count):
    """A stream with three replicas and default settings."""
    import nats
    from nats.js.api import RetentionPolicy, StorageType, StreamConfig

    client = await nats.connect(servers=cluster.urls)
    stream = client.jetstream(timeout=60)
    await stream.add_stream(
        StreamConfig(name="PLAIN", subjects=["plain"], num_replicas=3, storage=StorageType.FILE, retention=RetentionPolicy.WORK_QUEUE)
    )
    before = footprint(cluster.folder, cluster.pids)
    alone = min(ALONE, count)
    put_alone = await publish(stream, Pace("published, one at once", alone), 1)
    put = await publish(stream, Pace(f"published, {AT_ONCE} at once", count - alone), AT_ONCE)
    waiting = footprint(cluster.folder, cluster.pids)
    drain = await take_all(stream, Pace("messages fetched", count))
    await client.close()
    return {"put_alone": put_alone, "put": put, "drain": drain, "before": before, "waiting": waiting}


async def publish(stream, pace, at_once):
    """Publishes the messages of a pace, with up to that many not yet acknowledged."""
    left = iter(range(pace.total))

    async def worker():
        for _ in left:
            message = os.urandom(BYTES)
            begun = time.perf_counter()
            await stream.publish("plain", message)
            pace.add(time.perf_counter() - begun)

    await asyncio.gather(*(worker() for _ in range(at_once)))
    return pace.figures()


async def take_all(stream, pace):
    """Fetches and acknowledges the messages of a pace, until the stream is empty."""
    from nats.errors import TimeoutError as NothingThere

    await stream.pull_subscribe("plain", durable="taker", stream="PLAIN")
    takers = [await stream.pull_subscribe_bind(consumer="taker", stream="PLAIN") for _ in range(TAKERS)]

    async def take(taker):
        while pace.count < pace.total:
            try:
                messages = await taker.fetch(AT_ONCE, timeout=1)
            except NothingThere:
                continue
            for message in messages:
                assert len(message.data) == BYTES
                await message.ack()
            pace.add(more=len(messages))

    tasks = [asyncio.create_task(take(taker)) for taker in takers]
    # A fetch that asks for more messages than are left need not be awaited.
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    while (await stream.stream_info("PLAIN")).state.messages > 0:
        await asyncio.sleep(0.005)
    drain = pace.figures()
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception):
            raise outcome
    return drain
