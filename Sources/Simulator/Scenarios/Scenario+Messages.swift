import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// Programs send each other messages.
    static let messages = Scenario(
        name: "messages",
        summary: "messages among machines that lose their power, their links and their disks",
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
        },
        script: { history in
            try history.begin()
            if history.simulation.hasSeveralAccounts { try history.openHouse() }
            history.messenger.plan(until: history.simulation.now + history.options.faultDuration, perMinute: 12)
            try history.disturb()
            try history.settle()
            try history.settleMessages()
            try history.checkMessages(areFinished: false)
            try history.messenger.drain(history.members)
            try history.settleMessages()
            try history.checkMessages(areFinished: true)
            try history.finish()
        }
    )
}

extension History {
    fileprivate func checkMessages(areFinished: Bool) throws {
        let members = members
        try messenger.check(members, readers: readers(among: members), areFinished: areFinished)
    }

    /// Lets receipts come to those who wait for them.
    fileprivate func settleMessages() throws {
        // A round of maintenance, for what had failed.
        try wait(90_000)
        try converge()
    }
}
