import JetStream
import PeerDaemon

/// `kairand-relay-cluster`: the daemon with a client for NATS, for relays that keep parcels in a cluster.
@main
struct Program {
    static func main() async {
        await PeerDaemonProgram.main { place, logger in
            let options = JetStreamOptions(
                servers: place.servers,
                authorityFile: place.authorityFile,
                observers: place.observers,
                replicaCount: place.servers.count < 3 ? 1 : 3
            )
            return try await JetStreamParcelStorage.open(options, logger: logger)
        }
    }
}
