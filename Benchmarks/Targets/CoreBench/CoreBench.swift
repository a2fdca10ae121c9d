/// Measures the protocol core; `Benchmarks/README.md` lists the measurements.
@main
enum CoreBench {
    private static let all: [(name: String, run: @Sendable () -> Void)] = [
        ("chains", { ChainBench().run() }),
        ("control", { ControlBench().run() }),
        ("sealing", { SealingBench().run() }),
        ("epochs", { EpochBench().run() }),
        (
            "shared-zone",
            {
                var bench = SharedZoneBench()
                bench.run()
            }
        ),
        (
            "control-growth",
            {
                var bench = ControlGrowthBench()
                bench.run()
            }
        ),
        (
            "control-log",
            {
                var bench = ControlLogBench()
                bench.run()
            }
        ),
        (
            "transfers",
            {
                var bench = TransferChainBench()
                bench.run()
            }
        ),
        ("removal", { RemovalBench().run() }),
    ]

    /// Runs the measurements that are named, or all.
    static func main() {
        let names = CommandLine.arguments.dropFirst()
        let unknown = names.filter { name in !all.contains { $0.name == name } }
        guard unknown.isEmpty else {
            print(
                "no such measurement: \(unknown.joined(separator: " ")). There are \(all.map(\.name).joined(separator: " "))."
            )
            return
        }
        for (name, run) in all where names.isEmpty || names.contains(name) { run() }
    }
}
