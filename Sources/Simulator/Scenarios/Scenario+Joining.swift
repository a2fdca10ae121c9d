import Identity
import Sodium
import Sync
import Wire

extension Scenario {
    /// Machines join by tickets, tokens and words, while all of these fail at times.
    static let joining = Scenario(
        name: "joining",
        summary: "machines join by tickets, tokens and words, over links that break, with crashes at every step",
        shape: { options, random in
            options.nodeCount = 2 + random.index(below: 3)
            options.duration = 900_000
            options.faultDuration = 60_000
            options.hasPartialLogs = false
            options.staticPeers = .all
            options.hasAccountKeys = true
            options.requestsPerMinute = 10
            options.faults = options.faults.intersection([
                .crash, .crashInCommit, .restart, .partition, .oneWay, .flapping, .clogging, .slowLinks, .silentDeath,
                .cut, .truncation, .bitFlip, .replay, .roaming,
            ])
        },
        script: { history in
            try history.begin()
            let story = JoiningStory(history)
            try story.tell()
            try history.settle()
            try story.check()
            try history.checkFleetKeys()
            try history.finish()
        }
    )
}

extension History {
    /// Requires that the members of each account use one key, which no removed device has.
    func checkFleetKeys() throws {
        guard options.isSealed else { return }
        _ = try simulation.run(within: Self.convergenceLimit) {
            do {
                try FleetKeyLaw.check(self.members, in: self.simulation)
                return true
            } catch is Violation {
                return false
            }
        }
        try FleetKeyLaw.check(members, in: simulation)
    }
}

/// A history of machines that join an account, and of others that must not.
final class JoiningStory {
    private let history: History
    private let account: FoundedAccount
    /// The devices that must be in the account in the end.
    private var members: Set<DeviceID>
    /// Machines that never had a valid key.
    private var outsiders: [SimulatedNode] = []
    private var words: RecoveryKey
    private var newcomerCount = 0

    init(_ history: History) {
        self.history = history
        account = history.simulation.accounts[0]
        members = Set(account.members.map(\.device.keys.deviceID))
        words = account.recoveryKey
    }

    private var simulation: Simulation { history.simulation }

    private func chance(_ probability: Double) -> Bool { history.random.chance(probability) }

    /// Runs the history.
    func tell() throws {
        try lengthenLog()
        for _ in 0..<(1 + history.random.index(below: 3)) {
            try bring(try newcomer(), by: history.random.element(of: JoiningWay.allCases) ?? .ticket)
        }
        if chance(0.4) { try raceForATicket() }
        if chance(0.4) { try comeAgain() }
        if chance(0.4) { try comeTooLate() }
        if chance(0.4) { try guess() }
        if chance(0.4) { try comeWithOldWords() }
        if chance(0.5) { try removeWhileOneIsOff() }
        if chance(0.3) { try removeEachOther() }
    }

    /// Sometimes makes the account log so long that it travels in parts, by entries of a later version.
    ///
    /// They have a source of randomness of their own, so that the other histories stay as they were before.
    private func lengthenLog() throws {
        var draw = SeededGenerator(seed: simulation.seed ^ 0x5041_5254)
        guard draw.chance(0.4), let process = history.nodes.first(where: { $0.isRunning && isIn($0) })?.process else {
            return
        }
        let entry = AccountEntry(
            account: process.log.account,
            parents: process.log.announcedHeads,
            author: .device(process.keys.deviceID),
            nonce: draw.bytes(AccountEntry.nonceByteCount),
            action: .unknown(tag: 200, bytes: draw.bytes(70_000 + draw.index(below: 180_000)))
        )
        let signature = process.keys.sign(entry.encoded, context: .accountEntry)
        do {
            let signed = SignedAccountEntry(entry, signature: signature)
            try process.changeAccount { try $0.insertOwn([signed.encoded]) }
        } catch is StorageError {
            // The entry is not written then.
        }
    }

    // MARK: Ways in

    /// Makes a newly set up machine, alone in an account of its own.
    private func newcomer() throws -> SimulatedNode {
        newcomerCount += 1
        let node = try simulation.insertNewcomer(&history.random)
        try node.start()
        return node
    }

    private func isIn(_ node: SimulatedNode) -> Bool { node.accountID == account.id }

    private func host() throws -> SimulatedNode {
        let candidates = history.nodes.filter { node in
            node.isRunning && isIn(node) && node.process?.log.state.standing(of: node.device) == .active(.full)
        }
        guard let host = history.random.element(of: candidates) else { throw StoryEnd() }
        return host
    }

    private struct StoryEnd: Error {}

    private func secret(for way: JoiningWay, by host: SimulatedNode) throws -> JoiningSecret? {
        do {
            return try way.secret(by: host, words: words, history.judge)
        } catch let loss as PowerLoss {
            try history.nodes[loss.node].crash()
            return nil
        }
    }

    /// Lets a machine join: first while faults happen, then without faults.
    private func bring(_ node: SimulatedNode, by way: JoiningWay) throws {
        let first = try host()
        var given = try secret(for: way, by: first)
        let life = first.life
        var mayBeSpent = false
        for _ in 0..<history.random.index(below: 3) where !isIn(node) {
            history.faults.plan(until: simulation.now + 40_000, perMinute: history.options.faultsPerMinute)
            if chance(0.5) { node.joiningStepsUntilPowerLoss = history.random.index(below: 8) }
            if chance(0.3) {
                node.disk.faults.operationsUntilPowerLoss = history.random.index(below: 10)
            }
            if chance(0.3) {
                mayBeSpent = true
                first.joiningStepsUntilPowerLoss = history.random.index(below: 6)
            }
            if let given { try node.process?.search(with: given) }
            try history.wait(history.random.number(1_000...60_000))
            try calm(node)
            if first.life != life { mayBeSpent = true }
            if mayBeSpent, way != .words { given = try secret(for: way, by: first) }
            mayBeSpent = false
        }
        try bringSurely(node, with: given, by: way)
    }

    /// Ends all faults, and switches on the machines that are off.
    private func calm(_ node: SimulatedNode) throws {
        try history.faults.heal()
        try history.wait(5_000)
    }

    private func bringSurely(_ node: SimulatedNode, with secret: JoiningSecret?, by way: JoiningWay) throws {
        var secret = secret
        // One channel may have died unnoticed just before.
        for attempt in 0..<2 where !isIn(node) {
            try calm(node)
            if secret == nil || (attempt > 0 && way == .ticket) { secret = try self.secret(for: way, by: try host()) }
            guard let secret else { continue }
            try node.process?.search(with: secret)
            _ = try simulation.run(within: 60_000) { self.isIn(node) }
        }
        guard isIn(node) else {
            throw Violation(.joining, at: node, "a machine does not join by a valid \(way) over links that work")
        }
        members.insert(node.device)
        try history.workload.write(on: node)
    }

    // MARK: Ways that lead nowhere

    private func search(_ node: SimulatedNode, with secret: JoiningSecret) throws {
        try node.process?.search(with: secret)
        try history.wait(50_000)
    }

    /// Lets two machines use one ticket at the same time.
    private func raceForATicket() throws {
        let pair = [try newcomer(), try newcomer()]
        try history.wait(5_000)
        guard let secret = try secret(for: .ticket, by: try host()) else { return }
        for node in pair { try node.process?.search(with: secret) }
        try history.wait(60_000)
        for node in pair {
            if isIn(node) { members.insert(node.device) } else { outsiders.append(node) }
        }
    }

    /// Lets a machine use a key that another one has used.
    private func comeAgain() throws {
        let way: JoiningWay = chance(0.5) ? .ticket : .token
        let host = try host()
        guard let secret = try secret(for: way, by: host) else { return }
        let node = try newcomer()
        try bringSurely(node, with: secret, by: way)
        let late = try newcomer()
        try search(late, with: secret)
        outsiders.append(late)
    }

    /// Lets a machine ask after the key's time is over, while a stranger that knows the key keeps asking before that.
    private func comeTooLate() throws {
        guard let host = try? host(), let secret = try secret(for: .ticket, by: host) else { return }
        try history.wait(PairingOffer.lifetimeMilliseconds / 2)
        let stranger = try Stranger(simulation, seed: history.random.next())
        try stranger.ask(host, with: secret)
        try history.wait(PairingOffer.lifetimeMilliseconds / 2 + 1_000)
        let late = try newcomer()
        try search(late, with: secret)
        outsiders.append(late)
    }

    /// Lets a machine ask with made-up keys.
    private func guess() throws {
        let node = try newcomer()
        // Its guesses differ from the key on offer.
        _ = try secret(for: .ticket, by: try host())
        let guesses: [JoiningSecret] = [
            .ticket(PairingTicket(using: &history.random)), .token(EnrolmentToken(using: &history.random)),
            .words(RecoveryKey(RecoveryPhrase(using: &history.random))),
        ]
        for guess in guesses { try search(node, with: guess) }
        outsiders.append(node)
    }

    /// Replaces the words, and lets a machine ask with the old ones.
    private func comeWithOldWords() throws {
        let host = try host()
        let new = RecoveryKey(RecoveryPhrase(using: &history.random))
        let old = words
        let heads = host.process?.log.announcedHeads ?? []
        do {
            try host.process?.changeAccount { try $0.replaceRecoveryWords(by: old, with: new) }
        } catch is StorageError {
            return
        }
        words = new
        // A device that has not learnt of the new words lets the machine in by the old ones, and that is ignored in
        // the end.
        _ = try history.simulation.run(within: 180_000) { try self.history.isConverged() && self.haveAllHeard() }
        let late = try newcomer()
        try search(late, with: .words(old))
        outsiders.append(late)
        // Over the present heads the old words do not even sign validly; over the earlier heads they do, and the
        // entry is ignored.
        try Stranger(simulation, seed: history.random.next()).recover(host, with: old, over: heads)
        try history.wait(10_000)
        let other = try newcomer()
        try bringSurely(other, with: .words(new), by: .words)
    }

    private func haveAllHeard() -> Bool {
        history.members.allSatisfy { $0.process?.log.state.recoveryKey == words.publicKey }
    }

    // MARK: Removals

    /// Removes a device while another one is off, which returns with an earlier key.
    private func removeWhileOneIsOff() throws {
        let all = history.members
        guard all.count >= 3 else { return }
        let (remover, removed, absent) = (all[0], all[1], all[2])
        try absent.stop()
        do {
            try remover.remove(removed.device)
        } catch is StorageError {
            try absent.start()
            return
        }
        members.remove(removed.device)
        try history.wait(history.random.number(0...120_000))
        // It has the earlier key, and receives the one that the others use.
        try absent.start()
        try history.wait(30_000)
    }

    /// Lets two devices remove each other while they are apart: both are removed, and the words let another one in.
    private func removeEachOther() throws {
        let all = history.members
        guard all.count >= 4 else { return }
        let (first, second) = (all[0], all[1])
        history.divide { $0.index == first.index }
        try history.wait(1_000)
        do {
            try first.remove(second.device)
            try second.remove(first.device)
        } catch is StorageError {
            try history.rejoin()
            return
        }
        members.subtract([first.device, second.device])
        try history.rejoin()
        try history.wait(60_000)
        try bringSurely(try newcomer(), with: .words(words), by: .words)
    }

    // MARK: Laws

    /// Compares the devices in the account with those that must be in it.
    func check() throws {
        let running = history.members
        guard let log = history.commonLog(of: running) else { return }
        let active = Set(log.state.activeDevices)
        guard active == members else {
            let surplus = active.subtracting(members).map(\.shortText).sorted()
            let missing = members.subtracting(active).map(\.shortText).sorted()
            throw violation("the account has devices that were never admitted, \(surplus), and lacks \(missing)")
        }
        for node in running {
            guard let process = node.process else { continue }
            let missing = active.filter { process.standing(of: $0) != .active }
            guard missing.isEmpty else {
                throw violation("a member does not list \(missing.map(\.shortText).sorted())", node)
            }
            guard process.keyring.exportParts() == account.keyring.exportParts() else {
                throw violation("a member has secrets other than the account's", node)
            }
        }
        for node in outsiders where isIn(node) { throw violation("a machine without a valid key has joined", node) }
        let present = Set(running.map(\.device))
        guard present == members else {
            let lacking = members.subtracting(present).map(\.shortText).sorted()
            throw violation("running devices of the account do not follow its log: \(lacking)")
        }
    }

    private func violation(_ text: String, _ node: SimulatedNode? = nil) -> Violation {
        Violation(.joining, time: simulation.now, node: node?.index, text)
    }
}
