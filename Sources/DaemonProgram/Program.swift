import PeerControl
import PeerDaemon

/// `kairand`, and `kairan` where it is called by that name: installed they are one file, since most of what they consist of is the same.
///
/// It knows no cluster for parcels; `RelayClusterProgram` does.
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
