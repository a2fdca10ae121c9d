import Sync

extension Scenario {
    /// Contents in files that other programs keep.
    static let links = Scenario(
        name: "links",
        summary: "contents in linked files, which vanish, change, move and come back, beside evictions",
        shape: { options, random in
            options.hasAssets = true
            options.hasLinks = true
            options.requestsPerMinute = 1
            options.faultDuration = min(options.faultDuration, 300_000)
            options.duration = min(options.duration, 1_800_000)
            options.commitMilliseconds = min(options.commitMilliseconds, 500)
            options.hasPartialLogs = false
            options.accountCount = 1
            options.nodeCount = 3 + random.index(below: 2)
            options.zoneCount = 2
            options.faults = [.crash, .crashInCommit, .restart, .cut, .partition, .flapping, .ioError]
            if random.chance(0.3) { options.faults.formUnion([.restoreDatabase, .restoreWhole]) }
        },
        script: { history in
            try history.begin()
            history.assets.linkShare = 0.5
            history.assets.evictionShare = 0.15
            history.assets.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 20)
            try history.disturb()
            try history.settle()
            // The disks of all roots are there again, and each file was looked at since it changed last.
            for node in history.members { node.linkedFiles.setMounted(true) }
            try history.wait(120_000)
            try history.settleAssets()
            try history.finish()
        }
    )
}
