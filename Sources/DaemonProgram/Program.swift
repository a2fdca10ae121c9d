import PeerDaemon

/// `kairand`, which knows no cluster that parcels are kept in; `RelayClusterProgram` does.
@main
struct Program {
    static func main() async { await PeerDaemonProgram.main(openCluster: nil) }
}
