import Mounting

/// `kairan-mount`: the one program that is linked to libfuse.
@main
struct Program {
    static func main() async { await MountingProgram.main() }
}
