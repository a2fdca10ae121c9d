import PeerControl

/// The program `kairan` alone, which builds without the daemon.
@main
struct Program {
    static func main() async { await PeerControlProgram.main() }
}
