import Identity
import Sync
import Wire

/// Machines that join accounts while faults of all other kinds happen.
///
/// They have a source of randomness of their own, so that a history without arrivals stays as it was before arrivals
/// existed.
final class Arrivals {
    /// A machine that has a valid key, and asks until it has joined.
    private struct Newcomer {
        let node: SimulatedNode
        let account: FoundedAccount
        let way: JoiningWay
    }

    private let history: History
    private var draw: SeededGenerator
    private var newcomers: [Newcomer] = []
    /// Machines that never have a valid key.
    private var outsiders: [SimulatedNode] = []
    private var isOver = false

    /// The share of the eligible histories that have arrivals.
    private static let chance = 0.8
    /// How long a machine waits before it asks again, in milliseconds: a search is over by then.
    private static let patienceMilliseconds: UInt64 = 55_000

    /// - Returns: `nil` for a history without arrivals.
    init?(_ history: History) {
        var draw = SeededGenerator(seed: history.simulation.seed ^ 0x4152_5249)
        guard history.options.hasAccountKeys, !RememberedSeed.isWithoutKeys(history.simulation.seed, in: "everything"),
            draw.chance(Self.chance)
        else { return nil }
        self.history = history
        self.draw = draw
    }

    private var simulation: Simulation { history.simulation }

    // MARK: While things break

    /// Plans arrivals at random moments while faults happen.
    func plan() {
        for _ in 0..<(1 + draw.index(below: 2)) {
            let way = draw.element(of: JoiningWay.allCases) ?? .ticket
            simulation.schedule(at: moment()) { [self] in try arrive(by: way) }
        }
        if draw.chance(0.4) { simulation.schedule(at: moment()) { [self] in try guess() } }
    }

    private func moment() -> UInt64 { simulation.now + draw.number(1...history.options.faultDuration / 2) }

    /// Makes a newly set up machine, alone in an account of its own.
    private func machine() throws -> SimulatedNode {
        let node = try simulation.insertNewcomer(&draw)
        try node.start()
        return node
    }

    private func arrive(by way: JoiningWay) throws {
        guard !isOver, let account = draw.element(of: simulation.accounts) else { return }
        let newcomer = Newcomer(node: try machine(), account: account, way: way)
        newcomers.append(newcomer)
        try ask(newcomer, breaks: true)
        try askAgain(newcomer)
    }

    private func askAgain(_ newcomer: Newcomer) throws {
        simulation.schedule(at: simulation.now + Self.patienceMilliseconds) { [self] in
            guard !isOver, !isIn(newcomer) else { return }
            if !newcomer.node.isRunning { try newcomer.node.start() }
            // Drawn in any case, so that the later draws stay the same.
            let breaks = draw.chance(0.5)
            try ask(newcomer, breaks: breaks && !history.faults.isOver)
            try askAgain(newcomer)
        }
    }

    /// Lets a machine ask with made-up keys.
    private func guess() throws {
        guard !isOver else { return }
        let node = try machine()
        outsiders.append(node)
        let guesses: [JoiningSecret] = [
            .ticket(PairingTicket(using: &draw)), .token(EnrolmentToken(using: &draw)),
            .words(RecoveryKey(RecoveryPhrase(using: &draw))),
        ]
        if let guess = draw.element(of: guesses) { try search(node, with: guess) }
    }

    // MARK: Asking

    private func isIn(_ newcomer: Newcomer) -> Bool { newcomer.node.accountID == newcomer.account.id }

    /// A device that may let others in.
    private func host(of account: FoundedAccount) -> SimulatedNode? {
        draw.element(
            of: history.nodes.filter { node in
                node.accountID == account.id && !history.judge.evidence.byzantine.contains(node.device)
                    && node.process?.log.state.standing(of: node.device) == .active(.full)
            }
        )
    }

    private func ask(_ newcomer: Newcomer, breaks: Bool) throws {
        guard let host = host(of: newcomer.account),
            let secret = try newcomer.way.secret(by: host, words: newcomer.account.recoveryKey, history.judge)
        else { return }
        if breaks, draw.chance(0.5) {
            // Either side loses its power between two steps, and is switched on again.
            let victim = draw.chance(0.7) ? newcomer.node : host
            victim.joiningStepsUntilPowerLoss = draw.index(below: 8)
            history.faults.startLater(victim, after: 20_000 + draw.number(0...20_000))
        }
        try search(newcomer.node, with: secret)
    }

    private func search(_ node: SimulatedNode, with secret: JoiningSecret) throws {
        do {
            try node.process?.search(with: secret)
        } catch is StorageError {
            // It asks again later.
        }
    }

    // MARK: When nothing breaks any more

    /// Requires that exactly the machines with a valid key join.
    /// - Parameter off: The machines that stay off for good, which are not checked.
    /// - Throws: ``Violation``.
    func finish(leaving off: Set<Int>) throws {
        isOver = true
        newcomers.removeAll { off.contains($0.node.index) }
        for newcomer in newcomers where isAwaited(newcomer) { try bring(newcomer) }
        try history.converge()
        _ = try simulation.run(within: History.convergenceLimit) { self.isListed }
        try check()
    }

    /// Whether a machine must have joined.
    ///
    /// It must unless it lies, its device was removed, or a device that had been removed before let it in.
    private func isAwaited(_ newcomer: Newcomer) -> Bool {
        guard !history.judge.evidence.byzantine.contains(newcomer.node.device), host(of: newcomer.account) != nil,
            // The entry that let it in may be known to the machine alone.
            let log = history.commonLog(of: members(of: newcomer.account) + (isIn(newcomer) ? [newcomer.node] : []))
        else { return false }
        switch log.state.standing(of: newcomer.node.device) {
        case .removed: return false
        case .unknown: return !isIn(newcomer)
        case .active: return true
        }
    }

    private func bring(_ newcomer: Newcomer) throws {
        // One channel may have died unnoticed just before, and an earlier search may still be going on.
        for _ in 0..<3 where !isIn(newcomer) {
            try ask(newcomer, breaks: false)
            _ = try simulation.run(within: Self.patienceMilliseconds) { self.isIn(newcomer) }
        }
        guard isIn(newcomer) else {
            throw violation("a machine does not join by a valid \(newcomer.way) over links that work", newcomer.node)
        }
    }

    private func members(of account: FoundedAccount) -> [SimulatedNode] {
        history.members.filter { $0.accountID == account.id }
    }

    /// Whether every member lists every machine that joined.
    private var isListed: Bool {
        newcomers.allSatisfy { newcomer in
            !isAwaited(newcomer)
                || members(of: newcomer.account).allSatisfy {
                    $0.process?.standing(of: newcomer.node.device) == .active
                }
        }
    }

    private func check() throws {
        for newcomer in newcomers where isAwaited(newcomer) {
            let device = newcomer.node.device
            for node in members(of: newcomer.account) where node.process?.standing(of: device) != .active {
                throw violation("a member does not list \(device.shortText), which was admitted", node)
            }
            guard let parts = newcomer.node.process?.keyring.exportParts(),
                parts == newcomer.account.keyring.exportParts()
            else {
                throw violation("a member has secrets other than the account's", newcomer.node)
            }
        }
        for node in outsiders {
            let isMember = simulation.accounts.contains { account in
                let state = history.commonLog(of: members(of: account))?.state
                return if case .active = state?.standing(of: node.device) { true } else { false }
            }
            guard !isMember, !simulation.accounts.contains(where: { $0.id == node.accountID }) else {
                throw violation("a machine without a valid key has joined", node)
            }
        }
        try history.checkFleetKeys()
    }

    private func violation(_ text: String, _ node: SimulatedNode) -> Violation {
        Violation(.joining, at: node, text)
    }
}
