import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Machines that never meet, and relays between them that do everything wrong.
    static let mailboxes = Scenario(
        name: "mailboxes",
        summary:
            "machines that do not reach each other for a while, by way of relays that lose, withhold, replay and alter",
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
            try history.settle()
            try history.finish()
        }
    )
}

extension History {
    /// Has the account use all relays, and waits until all its machines know.
    fileprivate func useRelays() throws {
        for relay in simulation.mailRelays {
            guard let process = nodes.first?.process else { return }
            process.enqueue(
                CommitJob { process, transaction in try process.committer().use(relay.link, in: &transaction) }
            )
        }
        let count = simulation.mailRelays.count
        let isKnown = { self.nodes.allSatisfy { $0.process?.mail.states.count == count } }
        guard try simulation.run(within: 60_000, until: isKnown) != nil else {
            throw Violation(
                .convergence,
                time: simulation.now,
                node: nil,
                "not all machines know which relays are used"
            )
        }
        // What came last is acknowledged.
        try wait(10_000)
    }

    /// Has relays do wrong now and then, until the faults end.
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

    /// Ends what is wrong with machines and relays, and requires that all come to the same without having met.
    fileprivate func settleByMail() throws {
        try faults.heal()
        guard try simulation.run(within: Self.mailLimit, every: 5_000, until: { try self.isConverged() }) != nil else {
            throw Violation(.convergence, time: simulation.now, node: nil, "by mail alone: " + (try difference()))
        }
    }

    /// How long it may take until everybody has everything by way of relays: what a relay has lost is noticed after ten minutes, and given
    /// up ten minutes later; a relay without room is asked again after ten; what others wrote waits for ten, and what comes late may be what
    /// that waits for.
    private static let mailLimit: UInt64 = 6_000_000
}
