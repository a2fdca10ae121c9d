import Wire

extension Scenario {
    /// A participant that states the records of others with other values.
    static let forgers = Scenario(
        name: "forgers",
        summary:
            "a participant changes messages, receipts, prekeys and relays of others under the dots of their own values",
        shape: { options, random in
            options.shapeForRights(&random)
            options.isSealedAlways = true
            options.hasMessages = true
            options.mailRelayCount = 1
            options.accountCount = 3
            // The first account has a relay, and the last one has the liar.
            options.nodeCount = 4 + random.index(below: 2)
            options.requestsPerMinute = min(options.requestsPerMinute, 12)
            options.faults = [.cut, .byzantine]
            options.faultDuration = 120_000 + random.number(0...120_000)
            options.faultsPerMinute = 16
        },
        script: { history in
            _ = try history.openSharedZone(.write)
            let liar = history.simulation.accounts[2].id
            history.markLiars(of: liar)
            history.faults.byzantineNode = history.devices(of: liar).first?.index
            history.faults.misdeeds = Misdeed.ofStatements
            history.messenger.payloadShare = 0
            try history.useRelays()
            // Announcements are made and read within half a minute.
            try history.wait(60_000)
            try history.receiveForgeries()
            try history.settle()
            try history.settleMessages()
            try history.checkStatements()
            try history.checkMessages(areFinished: false)
            try history.finishMessages()
            try history.checkStatements()
            try history.finish()
        }
    )
}

extension History {
    /// The time between two checks of all that the members believe, in milliseconds: a forgery may be replaced soon.
    private static let checkMilliseconds: UInt64 = 5_000

    /// Lets applications write and send while a member forges, and checks now and then that no other one believes it.
    fileprivate func receiveForgeries() throws {
        let end = simulation.now + options.faultDuration
        workload.plan(until: end, perMinute: options.requestsPerMinute)
        messenger.plan(until: end, perMinute: 40)
        faults.plan(until: end, perMinute: options.faultsPerMinute)
        while simulation.now < end {
            try wait(min(Self.checkMilliseconds, end - simulation.now))
            try checkStatements()
        }
    }

    /// Checks all statements that honest nodes believe.
    fileprivate func checkStatements() throws {
        for node in simulation.workplaces { try judge.statements.check(node, strictly: true) }
    }
}
