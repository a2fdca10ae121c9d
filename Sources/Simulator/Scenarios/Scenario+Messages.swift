import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Programs send each other messages.
    static let messages = Scenario(
        name: "messages",
        summary: "messages, small and large, between machines that lose power, links and disks",
        shape: { options, random in
            options.hasMessages = true
            options.requestsPerMinute = 3
            guard random.chance(0.6) else {
                options.shapeForSharing(&random)
                options.accountCount = min(options.accountCount, 3)
                return
            }
            options.zoneCount = 2
            options.faults = [
                .crash, .crashInCommit, .restart, .partition, .oneWay, .cut, .flapping, .silentDeath, .diskFull,
                .ioError, .slowLinks,
            ]
            if random.chance(0.4) { options.faults.formUnion([.restoreDatabase, .loseDatabase]) }
            // A liar needs two honest members.
            if options.nodeCount > 2, random.chance(0.3) { options.faults.insert(.byzantine) }
        },
        script: { history in
            history.faults.misdeeds = Misdeed.ofPayloads
            try history.begin()
            if history.simulation.hasSeveralAccounts { try history.openHouse() }
            history.messenger.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 12)
            try history.disturb()
            try history.settle()
            try history.settleMessages()
            try history.checkMessages(areFinished: false)
            try history.finishMessages()
            if history.random.chance(0.25) {
                // A day later every payload that no message needs is dropped.
                try history.sleep(90_000_000)
                try history.settleMessages()
                try history.finishMessages()
                try history.checkDropped()
            }
            try history.finish()
        }
    )
}

extension History {
    /// How long a payload may take to reach all recipients, in milliseconds.
    ///
    /// A peer that has nothing of it is not asked again for a minute, and there may be several such peers.
    private static let fetchingLimit: UInt64 = 600_000
    /// The number of rounds in which applications finish waiting messages: those with a fetched payload come later.
    private static let finishingCountMax = 4

    /// Lets applications finish everything, and waits until all senders know.
    func finishMessages() throws {
        for _ in 0..<Self.finishingCountMax {
            try messenger.drain(members)
            try settleMessages()
            if try !messenger.isAnythingWaiting(on: members) { break }
        }
        try checkMessages(areFinished: true)
    }

    func checkMessages(areFinished: Bool) throws {
        let members = members
        try messenger.check(members, readers: readers(among: members), areFinished: areFinished)
        for node in members { try judge.statements.check(node) }
    }

    fileprivate func checkDropped() throws {
        for node in members {
            guard let store = node.store, let committer = node.process?.committer(),
                try Payloads(committer).hasToDrop(in: store)
            else { continue }
            throw messenger.violation(node, "a payload without a message is kept")
        }
    }

    /// Waits until payloads and receipts have reached the devices that wait for them.
    func settleMessages() throws {
        while true {
            // A round of maintenance retries failed requests.
            try wait(90_000)
            try converge()
            if try isFetched() { return }
            guard try simulation.run(within: Self.fetchingLimit + transferMilliseconds, until: isFetched) != nil else {
                throw Violation(
                    .messages,
                    in: simulation,
                    "a device lacks a payload that a peer has which may be asked"
                )
            }
        }
    }

    private func isFetched() throws -> Bool {
        let members = members
        return try messenger.isFetched(members, readers: readers(among: members))
    }
}
