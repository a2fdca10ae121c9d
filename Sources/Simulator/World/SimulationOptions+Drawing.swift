extension SimulationOptions {
    /// Draws the options of a seed.
    ///
    /// Small networks are drawn more often: a fault that shows with thirty nodes nearly always shows with three, and
    /// faster. Each seed allows about half of all faults, so that one kind does not hide behind another.
    ///
    /// - Parameter random: The source of randomness.
    /// - Returns: Options of about ten node-hours in the mean.
    package static func drawn(using random: inout SeededGenerator) -> SimulationOptions {
        var options = SimulationOptions()
        options.nodeCount = nodeCount(random.number(0...999))
        let nodeHours = Double(random.number(20...200)) / 10
        options.duration = UInt64(nodeHours / Double(options.nodeCount) * 3_600_000)
        let longest = min(options.duration / 2, 1_800_000)
        options.faultDuration = max(random.number(60_000...max(longest, 60_001)), 60_000)
        options.duration = max(options.duration, options.faultDuration + 600_000)
        let density = Double(random.number(2...10)) / 10
        for fault in FaultKind.allCases where random.chance(density) { options.faults.insert(fault) }
        // Few faults in a long time and many in a short one are both worth trying, but not too many altogether.
        let minutes = Double(options.faultDuration) / 60_000
        options.faultsPerMinute = Double(random.number(5...60)) / minutes
        options.requestsPerMinute = Double(random.number(10...150)) / minutes
        options.zoneCount = Int(random.number(1...4))
        options.recordCount = Int(random.number(1...12))
        options.hasPartialLogs = random.chance(0.25)
        options.hasDiscovery = random.chance(0.8)
        options.staticPeers = options.hasDiscovery ? random.element(of: StaticPeers.allCases) ?? .none : .all
        options.delayMilliseconds = options.allows(.slowLinks) ? Double(random.number(5...300)) : 2
        if options.allows(.slowLinks), random.chance(0.5) { options.bytesPerMillisecond = random.number(4...1_000) }
        options.commitMilliseconds = random.chance(0.2) ? random.number(50...2_000) : 5
        options.hasNarrowWindows = random.chance(0.3)
        options.hasOldPrograms = random.chance(0.3)
        return options
    }

    private static func nodeCount(_ draw: UInt64) -> Int {
        switch draw {
        case 0..<350: 2
        case 350..<800: 3
        case 800..<950: 5
        case 950..<995: 9
        default: 30
        }
    }
}
