import Capabilities
import Identity
import Records
import Sync
import Wire

// Liars whose programs are the production cores, modified in one place.
extension Scenario {
    /// Nonexistent positions, in every control operation that states positions.
    static let futurePositions = Scenario(
        name: "future-positions",
        summary:
            "a checkpoint, leave, transfer, raised cut, revocation or removal states future positions, and its author's"
            + " side continues to write after its right has ended, with the help of an account that does not know that",
        shape: { options, random in
            options.shapeForRights(&random)
            options.accountCount = 3
            options.nodeCount = 7
        },
        script: { history in
            let zone = try history.openSharedZone(.admin)
            try history.writeEverywhere(zone, times: 2)
            try history.wait(20_000)
            let story = try history.futureStory(zone)
            try history.tell(story, in: zone)
            try history.conclude()
        }
    )

    /// More incarnations under one right than any device needs.
    static let manyLives = Scenario(
        name: "many-lives",
        summary: "a device begins hundreds of lifetimes of its store under one right, and writes a record in each",
        shape: { options, random in
            options.shapeForRights(&random)
            options.accountCount = 2
            options.nodeCount = 3
        },
        script: { history in
            let zone = try history.openSharedZone(.write)
            guard let liar = history.devices(of: history.simulation.accounts[1].id).first else { return }
            history.markLiars(of: liar.accountID)
            for _ in 0..<(StoreLaw.livesCountMax + 40) {
                liar.beginLife(writing: history.workload.makeMark(), in: zone)
                try history.wait(40)
            }
            try history.wait(20_000)
            try history.writeEverywhere(zone, times: 2)
            try history.conclude()
        }
    )

    /// Clocks that are decades wrong.
    static let lyingClock = Scenario(
        name: "lying-clock",
        summary:
            "a member begins a key, writes and sends with a clock that is thirty years off; keys are still renewed",
        shape: { options, random in
            options.shapeForRights(&random)
            options.isSealedAlways = true
            options.hasMessages = true
            options.accountCount = 2
            options.nodeCount = 4
        },
        script: { history in
            let zone = try history.openSharedZone(.write)
            guard let liar = history.devices(of: history.simulation.accounts[1].id).first else { return }
            history.markLiars(of: liar.accountID)
            try history.tellWrongTimes(zone, by: liar)
            try history.sendWithWrongClock(on: history.nodes[1])
            if history.random.chance(0.5) {
                for node in history.devices(of: liar.accountID) where node.isRunning {
                    try node.stop()
                    history.faults.kept.insert(node.index)
                }
            }
            for _ in 0..<2 {
                try history.sleep(35 * 86_400_000)
                try history.wait(300_000)
                try history.workload.write(on: history.nodes[0])
                try history.wait(5_000)
            }
            try history.conclude()
        }
    )

    /// Keys that open for only some of the readers.
    static let falseKeys = Scenario(
        name: "false-keys",
        summary:
            "a member begins keys and seals other bytes to about half of the others; holders of such a key write under it",
        shape: { options, random in
            options.shapeForRights(&random)
            options.isSealedAlways = true
            options.accountCount = 2
            options.nodeCount = 5
        },
        script: { history in
            let zone = try history.openSharedZone(.write)
            guard let liar = history.devices(of: history.simulation.accounts[1].id).first else { return }
            history.markLiars(of: liar.accountID)
            try history.writeEverywhere(zone, times: 1)
            for _ in 0..<3 {
                history.giveFalseKeys(of: zone, by: liar, &history.random)
                try history.wait(10_000)
                try history.writeEverywhere(zone, times: 1)
            }
            try history.conclude()
        }
    )

    /// An account's log full of entries of a thief.
    static let accountFlood = Scenario(
        name: "account-flood",
        summary:
            "a device fills its account's log with devices of its own on a partitioned device, then is removed and"
            + " continues; it is removed everywhere, and other devices can be added",
        shape: { options, random in
            options.shapeForRights(&random)
            options.accountCount = 2
            options.nodeCount = 6
        },
        script: { history in
            _ = try history.openSharedZone(.write)
            let (remover, apart, thief) = (history.nodes[0], history.nodes[1], history.nodes[2])
            history.judge.evidence.byzantine.insert(thief.device)
            history.divide { $0.index == apart.index || $0.index == thief.index }
            try history.floodAccount(by: thief, helperCount: 8)
            try history.wait(60_000)
            try history.removeHelper(of: thief, by: apart)
            try history.putOut(thief, by: remover)
            try history.rejoin()
            try history.wait(30_000)
            try history.floodAccount(by: thief, helperCount: 1)
            try history.wait(30_000)
            try history.requireRoom(after: thief, in: [remover, apart])
            try history.conclude()
        }
    )
}

// MARK: Statements about the future

/// The participants in a history about false positions: the liar, the writer and the carrier.
struct FutureStory {
    /// The kind of statement that lies.
    let statement: FutureStatement
    let size: FutureSize
    /// The device that makes the statement.
    let liar: SimulatedNode
    /// The device that continues to write.
    let writer: SimulatedNode
    /// A device that has not learnt that a right has ended, and passes on the writer's operations.
    let carrier: SimulatedNode
}

extension History {
    /// Marks all devices of an account as liars.
    func markLiars(of account: AccountID) {
        for node in devices(of: account) { judge.evidence.byzantine.insert(node.device) }
    }

    fileprivate func futureStory(_ zone: ZoneID) throws -> FutureStory {
        let statement = random.element(of: FutureStatement.allCases) ?? .checkpoint
        let size = random.element(of: FutureSize.allCases) ?? .utmost
        func story(_ liar: Int, _ writer: Int, _ carrier: Int) -> FutureStory {
            FutureStory(
                statement: statement,
                size: size,
                liar: nodes[liar],
                writer: nodes[writer],
                carrier: nodes[carrier]
            )
        }
        // The owner's devices are the first three, the others have two each.
        switch statement {
        case .checkpoint:
            judge.evidence.byzantine.insert(nodes[1].device)
            return story(1, 1, 3)
        case .removal:
            for node in nodes[1...2] { judge.evidence.byzantine.insert(node.device) }
            return story(1, 2, 3)
        case .leave:
            markLiars(of: nodes[3].accountID)
            return story(3, 4, 5)
        case .transfer:
            markLiars(of: nodes[0].accountID)
            return story(0, 1, 5)
        case .raiseCut:
            judge.evidence.byzantine.insert(nodes[1].device)
            markLiars(of: nodes[3].accountID)
            return story(1, 4, 5)
        case .revocation:
            markLiars(of: nodes[3].accountID)
            markLiars(of: nodes[5].accountID)
            return story(3, 6, 4)
        }
    }

    /// Plays the lie, the end of a right, the writes after it, and their way to the other members.
    fileprivate func tell(_ story: FutureStory, in zone: ZoneID) throws {
        let isApart = { (node: SimulatedNode) in
            node.index == story.writer.index || node.index == story.carrier.index
        }
        switch story.statement {
        case .checkpoint:
            try stateFuture(story, zone)
            try wait(10_000)
            divide(isApart)
            try putOut(story.liar, by: nodes[0])
        case .removal:
            divide(isApart)
            try removeStatingFuture(story, zone)
            try wait(10_000)
            // While the liar is an active device, its statements are effective.
            try putOut(story.liar, by: nodes[0])
            judge.endings.end("the liar that removed it was removed", devices: [story.writer.device])
        case .leave, .transfer:
            divide(isApart)
            try stateFuture(story, zone)
        case .raiseCut:
            divide(isApart)
            try expelSurely(nodes[3].accountID, from: zone)
            try stateFuture(story, zone)
            try wait(10_000)
            try putOut(story.liar, by: nodes[0])
        case .revocation:
            try grantWithin(zone, by: nodes[3].accountID, to: nodes[5].accountID)
            try wait(10_000)
            try expelRoots(of: nodes[5].accountID, zone)
            try wait(10_000)
            divide(isApart)
            try stateFuture(story, zone)
        }
        try wait(3_000)
        try write(on: story.writer, times: 3)
        try grantWithin(zone, by: story.writer.accountID)
        if story.writer.accountID == nodes[0].accountID {
            sharing.expel(nodes[5].accountID, from: zone, on: story.writer)
            if random.chance(0.3) { try story.writer.deleteZone(zone) }
        }
        try wait(20_000)
        simulation.network.divide(nodes.map { $0.index == story.writer.index ? 1 : 0 }, isFatal: false)
        try wait(60_000)
    }

    /// Makes the false statement, and ends the rights that it ends.
    private func stateFuture(_ story: FutureStory, _ zone: ZoneID) throws {
        let (liar, writers) = (story.liar, story.writer.accountID)
        let rows = try liar.store?.logs(zone: zone) ?? []
        let owned = Set(devices(of: writers).map(\.device))
        let rights = Set(rows.filter { owned.contains($0.device) }.map(\.right))
        let isMoved: (LogRow) -> Bool = { row in
            story.statement == .checkpoint ? row.device == liar.device : owned.contains(row.device)
        }
        let positions = try liar.futurePositions(
            in: zone,
            story.size,
            isOnlyThese: story.statement != .checkpoint,
            where: isMoved
        )
        let body: ControlBody
        switch story.statement {
        case .checkpoint: body = .checkpoint(try liar.checkpoint(over: positions, of: zone))
        case .leave: body = .leave(Leave(cuts: positions))
        case .transfer:
            guard let consent = nodes[3].consent(zone, after: .zero) else { return }
            body = .transfer(OwnershipTransfer(consent: consent, cuts: positions))
        case .raiseCut:
            guard let right = rights.sorted().first else { return }
            let cuts = positions.filter { position in
                rows.contains { $0.key.actorLane == position.key && $0.right == right }
            }
            body = .raiseCut(CutRaise(capability: right, cuts: cuts))
        case .revocation:
            body = .revoke(Revocation(capabilities: rights.sorted(), cuts: positions, reason: "a lie"))
        case .removal: return
        }
        liar.lie(body, in: zone) { [judge] in
            guard story.statement != .checkpoint else { return }
            judge.endings.end("\(story.statement) was stated", devices: owned, zone: zone, rights: rights)
        }
        try wait(1_000)
    }

    /// Lets an accomplice remove a device and overstate the length of its logs.
    private func removeStatingFuture(_ story: FutureStory, _ zone: ZoneID) throws {
        guard let process = story.liar.process else { return }
        let removed = story.writer.device
        let positions = try story.liar.futurePositions(in: zone, story.size, isOnlyThese: true) { $0.device == removed }
        try process.changeAccount { try $0.remove(removed) }
        story.liar.lie(.deviceCuts(DeviceCuts(devices: [removed], cuts: positions)), in: zone) {}
    }

    /// Removes a device, whose writes from now on are ignored.
    func putOut(_ node: SimulatedNode, by other: SimulatedNode) throws {
        do {
            try other.remove(node.device)
        } catch let error as AccountError {
            throw Violation(.ended, at: other, "a device cannot be removed: \(error)")
        }
        judge.endings.end("its device was removed", devices: [node.device])
    }

    /// Revokes all rights of an account, whose writes from now on are ignored.
    func expelSurely(_ account: AccountID, from zone: ZoneID) throws {
        let owned = Set(devices(of: account).map(\.device))
        let rights = Set(try nodes[0].store?.logs(zone: zone).filter { owned.contains($0.device) }.map(\.right) ?? [])
        sharing.expel(account, from: zone, on: nodes[0])
        try wait(2_000)
        // The judge drops this ending if a permitted account raises the cut later.
        judge.endings.end("its right was revoked", devices: owned, zone: zone, rights: rights)
        try wait(3_000)
    }

    /// Revokes the rights that the owner granted an account, and leaves those granted by others.
    private func expelRoots(of account: AccountID, _ zone: ZoneID) throws {
        nodes[0].decide("expel") { committer, _, transaction in
            let state = try ZoneViews(committer).controlState(zone, in: transaction)
            let held = (state.participants[account]?.capabilities ?? []).filter {
                state.capabilities[$0]?.chain.count == 1
            }
            guard !held.isEmpty else { return CommitNotice() }
            return try ZoneSharing(committer).revoke(held.sorted(), zone: zone, reason: "put out", in: &transaction)
        }
    }
}

// MARK: Clocks and accounts

extension History {
    /// The number of entries that each of the thief's devices signs: eight of them used to fill an account's log.
    private static let floodEntryCount = 513

    /// Begins keys and writes with clocks that are thirty years off.
    func tellWrongTimes(_ zone: ZoneID, by liar: SimulatedNode) throws {
        for years in [Int64(30), -30].shuffled(using: &random) {
            liar.setWallOffset(years * Self.yearMilliseconds)
            liar.rotateKey(of: zone)
            for _ in 0..<3 {
                try workload.write(on: liar)
                try wait(1_000)
            }
            try wait(5_000)
        }
        liar.setWallOffset(0)
        try wait(10_000)
    }

    /// Sends messages from an honest machine whose clock is thirty years wrong; they reach all readers nevertheless.
    fileprivate func sendWithWrongClock(on node: SimulatedNode) throws {
        node.setWallOffset((random.chance(0.5) ? 30 : -30) * Self.yearMilliseconds)
        for _ in 0..<3 {
            try messenger.send(on: node)
            try wait(2_000)
        }
        node.setWallOffset(0)
        try wait(60_000)
        try settleMessages()
        try finishMessages()
    }

    /// Signs entries of the account's log with the device itself and with others that it adds.
    func floodAccount(by thief: SimulatedNode, helperCount: Int) throws {
        guard let process = thief.process else { return }
        var log = process.log
        var entries: [[UInt8]] = []
        var signers: [DeviceIdentity] = []
        func add(_ entry: SignedAccountEntry) {
            let bytes = entry.encoded
            guard (try? log.insert(bytes)) != nil else { return }
            entries.append(bytes)
        }
        for number in 0..<helperCount {
            let helper = try FoundedAccount.Device(name: "helper-\(number)", isSealed: false, random: &random)
            let entry = try? log.addingDevice(
                helper.certificate,
                role: .full,
                name: "helper",
                signer: .device(process.keys),
                using: &random
            )
            if let entry {
                add(entry)
                signers.append(helper.keys)
            }
        }
        let guest = try FoundedAccount.Device(name: "guest", isSealed: false, random: &random)
        let base = log
        try process.changeAccount { try $0.insertOwn(entries) }
        for signer in signers {
            var entries: [[UInt8]] = []
            for _ in 0..<Self.floodEntryCount {
                // All entries have the same past, so that none waits for another.
                let entry = try? base.addingDevice(
                    guest.certificate,
                    role: .full,
                    name: "guest",
                    signer: .device(signer),
                    using: &random
                )
                if let entry { entries.append(entry.encoded) }
            }
            try process.changeAccount { try $0.insertOwn(entries) }
        }
        try process.settle()
    }

    /// Removes an unused helper where the log has no room left for entries of other kinds.
    fileprivate func removeHelper(of thief: SimulatedNode, by node: SimulatedNode) throws {
        let own = Set(simulation.nodes.map(\.device))
        let state = node.process?.log.state
        let helpers = (state?.activeDevices ?? []).filter { !own.contains($0) }
        guard let last = helpers.max(by: { state?.devices[$0]?.addedAt ?? 0 < state?.devices[$1]?.addedAt ?? 0 }) else {
            return
        }
        do {
            try node.remove(last)
        } catch let error as AccountError {
            let text = "a device is not removed, since others have filled the account's log: \(error)"
            throw Violation(.ended, at: node, text)
        }
    }

    /// Requires that a device that floods the account's log is removed wherever it is known, and that another device
    /// can still join.
    fileprivate func requireRoom(after thief: SimulatedNode, in nodes: [SimulatedNode]) throws {
        for node in nodes {
            guard let process = node.process else { continue }
            func violation(_ text: String) -> Violation {
                Violation(.ended, at: node, text)
            }
            guard process.log.state.standing(of: thief.device) == .removed else {
                throw violation("a device that floods the account's log is not removed here")
            }
            var log = process.log
            let newcomer = try FoundedAccount.Device(name: "newcomer", isSealed: false, random: &random)
            do {
                let entry = try log.addingDevice(
                    newcomer.certificate,
                    role: .full,
                    name: "newcomer",
                    signer: .device(process.keys),
                    using: &random
                )
                _ = try log.insert(entry.encoded)
            } catch {
                throw violation("after a flood no device can be added: \(error)")
            }
        }
    }
}
