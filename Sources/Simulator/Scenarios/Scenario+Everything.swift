extension Scenario {
    /// Faults of all kinds that the seed allows.
    static let everything = Scenario(
        name: "everything",
        summary: "all kinds of faults, as the seed draws them",
        shape: { options, random in
            guard random.chance(0.2) else { return }
            // Machines of several accounts, which share zones; disks are not rolled back.
            options.accountCount = 2 + random.index(below: 2)
            options.nodeCount = min(max(options.nodeCount, options.accountCount), 9)
            options.faults.subtract([
                .byzantine, .clone, .restoreDatabase, .restoreWithSentinel, .restoreWhole, .loseDatabase,
            ])
        },
        script: { history in
            try history.begin()
            if history.simulation.hasSeveralAccounts { try history.openHouse() }
            history.inviteLiar()
            let arrivals = Arrivals(history)
            arrivals?.plan()
            history.inviteStrangers()
            if history.random.chance(0.5) {
                // A night follows: a day later checkpoints are due.
                try history.disturb(for: history.options.faultDuration / 2)
                try history.sleep(90_000_000)
                try history.disturb(for: history.options.faultDuration / 2)
            } else {
                try history.disturb()
            }
            // Sometimes not all machines take part in the end: some stay off for good.
            var staysOff: Set<Int> = []
            if history.nodes.count > 2, history.random.chance(0.2) {
                staysOff = [history.random.index(below: history.nodes.count)]
                for index in staysOff where history.nodes[index].isRunning { try history.nodes[index].stop() }
            }
            try history.settle(leaving: staysOff)
            try arrivals?.finish(leaving: staysOff)
            try history.finish()
        }
    )

    /// Disks fail, and machines lose their power in the middle of an operation.
    static let diskTrouble = Scenario(
        name: "disk-trouble",
        summary: "full disks, failing writes and syncs, power lost between any two steps of a commit",
        shape: { options, _ in
            options.faults = [.crash, .crashInCommit, .restart, .diskFull, .ioError]
            options.faultsPerMinute *= 2
        },
        script: { try $0.play() }
    )

    /// Links that come and go.
    static let flapping = Scenario(
        name: "flapping",
        summary: "links that flap, carry one direction only, die silently, truncate, alter and repeat bytes",
        shape: { options, _ in
            options.faults = [
                .flapping, .oneWay, .partition, .clogging, .silentDeath, .cut, .truncation, .bitFlip, .replay,
                .roaming, .slowLinks,
            ]
            options.faultsPerMinute *= 2
        },
        script: { try $0.play() }
    )

    /// Devices come and go while the network is divided.
    static let membership = Scenario(
        name: "membership",
        summary: "devices added and removed under partitions, writes of a removed device beyond its cut",
        shape: { options, random in
            options.nodeCount = 3 + random.index(below: 4)
            options.hasPartialLogs = random.chance(0.5)
            options.faults = [.addition, .removal, .partition, .crash, .restart, .cut]
        },
        script: { try $0.play() }
    )

    /// Records are deleted and created again, concurrently with edits.
    static let deleteAndCreate = Scenario(
        name: "delete-create",
        summary: "few records are deleted and made again on all sides of partitions while others edit them",
        shape: { options, random in
            options.recordCount = 1 + random.index(below: 2)
            options.zoneCount = 1
            options.faults = [.partition, .oneWay, .crash, .cut]
        },
        script: { history in
            try history.begin()
            for _ in 0..<60 {
                try history.wait(history.random.number(50...8_000))
                guard let node = history.random.element(of: history.nodes.filter(\.isRunning)) else { continue }
                let name = "r\(history.random.index(below: history.options.recordCount))"
                if history.random.chance(0.45) {
                    try history.workload.delete(name, on: node)
                } else {
                    try history.workload.set(name, history.random.chance(0.5) ? "title" : "body", on: node)
                }
                if history.random.chance(0.2) { try history.faults.happen(.partition) }
            }
            try history.disturb()
            try history.conclude()
        }
    )

    /// No faults, for a long time.
    static let twoInARoom = Scenario(
        name: "two-in-a-room",
        summary: "two nodes run together for two days: a write now and then, and no unnecessary traffic",
        shape: { options, _ in
            options.nodeCount = 2
            options.faults = []
            options.hasPartialLogs = false
            options.duration = 172_800_000
            options.commitMilliseconds = 5
        },
        script: { history in
            try history.begin()
            try history.wait(60_000)
            try history.converge()
            for _ in 0..<48 {
                try history.workload.write(on: history.nodes[history.random.index(below: 2)])
                try history.wait(60_000)
                guard try history.isConverged() else {
                    throw Violation(.convergence, in: history.simulation, "a write took over a minute")
                }
                let before = history.simulation.statistics.messages
                try history.wait(3_480_000)
                let count = history.simulation.statistics.messages - before
                // Each side pings three times a minute and is answered, and compares every two minutes.
                guard count < 58 * 16 + 100 else {
                    throw Violation(.caps, in: history.simulation, "\(count) messages in an idle hour")
                }
            }
            try history.conclude()
        }
    )
}
