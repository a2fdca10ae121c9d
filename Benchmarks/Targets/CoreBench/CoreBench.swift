/// Measures the protocol core; `Benchmarks/README.md` says what.
@main
enum CoreBench {
    static func main() {
        ChainBench().run()
        ControlBench().run()
        SealingBench().run()
        EpochBench().run()
        var shared = SharedZoneBench()
        shared.run()
        var growing = ControlGrowthBench()
        growing.run()
    }
}
