import PeerControl
import PeerDaemon

/// `kairand`, and `kairan` where it is called by that name: installed they are one file, since they share most of their code.
///
/// It has no client for a cluster of parcels; `RelayClusterProgram` has one.
@main
struct Program {
    static func main() async {
        let path = CommandLine.arguments.first ?? ""
        if path.split(separator: "/").last == "kairan" {
            await PeerControlProgram.main()
        } else {
            await PeerDaemonProgram.main(openCluster: nil)
        }
    }
}
