import PeerControl

/// `kairan` as a program of its own, for which no daemon has to be built.
@main
struct Program {
    static func main() async { await PeerControlProgram.main() }
}
