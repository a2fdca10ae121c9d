import Glibc

/// An executable with many targets, of which `KAIRAN_FUZZ` names the one to run.
///
/// `list` writes the targets with their longest inputs and times, `seeds` writes the seeds of all targets into folders below the
/// one that `KAIRAN_FUZZ_SEEDS` names.
package struct FuzzProgram: Sendable {
    private let targets: [FuzzTarget]
    private let chosen: FuzzTarget?

    /// Chooses by the environment.
    package init(_ targets: [FuzzTarget]) {
        self.targets = targets
        let name = Self.environment("KAIRAN_FUZZ")
        chosen = targets.first { $0.name == name }
    }

    /// Performs a command other than fuzzing and ends the process, or returns to fuzz.
    package func start() {
        if chosen != nil { return }
        switch Self.environment("KAIRAN_FUZZ") {
        case "list":
            for target in targets { puts("\(target.name) \(target.inputByteCountMax) \(target.secondsMax)") }
            exit(0)
        case "seeds":
            writeSeeds(below: Self.environment("KAIRAN_FUZZ_SEEDS"))
            exit(0)
        case let name:
            puts("unknown target: \(name)")
            exit(64)
        }
    }

    /// Runs the chosen target on libFuzzer's bytes.
    package func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
        // SAFETY: libFuzzer lends `size` bytes for the time of the call; they are copied.
        chosen?.run([UInt8](UnsafeBufferPointer(start: data, count: size)))
        return 0
    }

    private func writeSeeds(below folder: String) {
        for target in targets {
            mkdir("\(folder)/\(target.name)", 0o755)
            for (index, seed) in target.seeds().enumerated() {
                let path = "\(folder)/\(target.name)/seed-\(index)"
                guard let file = fopen(path, "w") else { preconditionFailure("cannot write \(path)") }
                fwrite(seed, 1, seed.count, file)
                fclose(file)
            }
        }
    }

    private static func environment(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }
}
