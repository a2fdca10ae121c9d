import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Machines that never meet, and relays between them with all kinds of faults.
    static let mailboxes = Scenario(
        name: "mailboxes",
        summary:
            "machines that cannot reach each other for a while use relays that lose, withhold, replay and alter",
        shape: { options, random in
            options.hasMessages = random.chance(0.5)
            options.nodeCount = 2 + random.index(below: 3)
            options.mailRelayCount = 1 + random.index(below: 2)
            options.zoneCount = 2
            options.requestsPerMinute = 6
            options.faultDuration = min(options.faultDuration, 600_000)
            options.duration = min(options.duration, 3_600_000)
            options.faults = [.crash, .crashInCommit, .restart, .ioError]
        },
        script: { history in
            try history.begin()
            try history.useRelays()
            history.simulation.network.isSevered = true
            if history.options.hasMessages {
                history.messenger.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 4)
            }
            history.planRelayFaults()
            try history.disturb()
            try history.settleByMail()
            history.simulation.network.isSevered = false
            history.simulation.network.release()
            try history.conclude()
        }
    )

    /// Machines of two accounts that never meet again once they share a zone, and a relay that one of the accounts uses.
    static let correspondence = Scenario(
        name: "correspondence",
        summary:
            "two accounts that share zones and cannot reach each other for a while use a relay of one of them",
        shape: { options, random in
            options.shapeForSharing(&random)
            options.isSealedAlways = true
            options.accountCount = 2
            // The first account's devices have a relay between them; the other account has one device.
            options.nodeCount = 2 + random.index(below: 2)
            options.hasMessages = random.chance(0.5)
            options.mailRelayCount = 1 + random.index(below: 2)
            options.zoneCount = 2
            options.requestsPerMinute = 6
            options.faultDuration = min(options.faultDuration, 600_000)
            options.duration = min(options.duration, 3_600_000)
            options.faults = [.crash, .crashInCommit, .restart, .ioError]
        },
        script: { history in
            try history.begin()
            try history.openHouse()
            try history.useRelays()
            // Announcements are read within a quarter of a minute, and the pass is given.
            try history.wait(120_000)
            history.simulation.network.isSevered = true
            let end = history.simulation.now + history.options.faultDuration
            if history.options.hasMessages { history.messenger.plan(until: end, perMinute: 4) }
            history.planRelayFaults()
            history.workload.plan(until: end, perMinute: history.options.requestsPerMinute)
            history.faults.plan(until: end, perMinute: history.options.faultsPerMinute)
            try history.simulation.run(until: end)
            try history.settleByMail()
            history.simulation.network.isSevered = false
            history.simulation.network.release()
            try history.conclude()
        }
    )
}

extension History {
    /// Makes the first account use all relays, and waits until all devices that must know do.
    func useRelays() throws {
        guard let user = nodes.first?.accountID else { return }
        for relay in simulation.mailRelays {
            guard let process = nodes.first?.process else { return }
            process.commits.enqueue { process, transaction in
                try RelayUses(process.committer()).add(relay.link, in: &transaction)
            }
        }
        let count = simulation.mailRelays.count
        let users = nodes.filter { $0.accountID == user }
        let isKnown = { users.allSatisfy { $0.process?.mail.relayStates.count == count } }
        guard try simulation.run(within: 60_000, until: isKnown) != nil else {
            throw Violation(.convergence, in: simulation, "not all machines know the relays in use")
        }
        // The last operations are acknowledged.
        try wait(10_000)
    }

    /// Plans faults of relays now and then, until the faults end.
    fileprivate func planRelayFaults() {
        let end = simulation.now + options.faultDuration
        for relay in simulation.mailRelays {
            var time = simulation.now + random.exponential(mean: 60_000)
            while time < end {
                let isLasting = random.chance(0.6)
                let fault = random.element(of: VirtualRelay.Fault.allCases)
                let choice = random.index(below: 3)
                simulation.schedule(at: time) {
                    switch choice {
                    case _ where isLasting: relay.begin(fault)
                    case 0: relay.keepImage()
                    case 1: relay.setBack()
                    default: relay.loseAll()
                    }
                }
                if isLasting {
                    time += random.exponential(mean: 60_000)
                    simulation.schedule(at: min(time, end)) { relay.begin(nil) }
                }
                time += random.exponential(mean: 60_000)
            }
            simulation.schedule(at: end) { relay.begin(nil) }
        }
    }

    /// Ends the faults of machines and relays, and requires that all members converge without having met.
    fileprivate func settleByMail() throws {
        try faults.heal()
        guard try simulation.run(within: Self.mailLimit, every: 5_000, until: { try self.isConverged() }) != nil else {
            throw Violation(.convergence, in: simulation, "by mail alone: " + (try difference()))
        }
    }

    /// How long complete delivery by way of relays may take, in milliseconds.
    ///
    /// A loss at a relay is noticed after ten minutes, and given up ten minutes later; a relay without room is asked
    /// again after ten; other devices' operations wait for ten, and the operations that they depend on may be the
    /// ones that come late.
    private static let mailLimit: UInt64 = 6_000_000
}
