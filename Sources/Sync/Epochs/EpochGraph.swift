import Records
import Wire

/// The epochs of a zone's key in its control log, whether their operations are effective or not.
///
/// Whether an epoch is effective matters for writing only: records sealed under one that turned out not to be
/// effective can be read by every device that received the key, as long as it holds that.
struct EpochGraph: Sendable {
    /// One epoch.
    struct Epoch: Sendable {
        /// The place of the operation that begins it.
        let place: Dot
        /// The operations of the control log that its author had seen, that operation included.
        let seen: VersionVector
        /// The content of the statement.
        let content: KeyEpoch
        /// The operation that begins it; `nil` where only its repetition is held.
        let beginning: Operation?
        /// Whether the operation that begins it is passed on to devices that lack it, as itself or repeated.
        fileprivate(set) var isHandedOn: Bool
        /// The devices that have the key: those that received it, and those that received a later epoch's key whose
        /// chain leads to it.
        fileprivate(set) var readers: Set<DeviceID>
        /// The readers that received the key in a way that reaches them whenever they come, and have not denied it.
        fileprivate(set) var supplied: Set<DeviceID>
        /// The operations that state it: the one that begins it, as far as it is held, and its repetitions.
        fileprivate(set) var sayings: [Dot]
        /// Its additional deliveries, by receiving device.
        fileprivate(set) var deliveries: [DeviceID: [Delivery]] = [:]
        /// The key, once it is disclosed.
        fileprivate(set) var disclosed: Hash?
        /// Whether any device can have the key: it is disclosed, or that of an epoch whose chain leads to it is.
        fileprivate(set) var isExposed = false
        /// The number of epochs before it on the longest path.
        fileprivate(set) var depth = 0

        /// An envelope that was delivered.
        struct Delivery: Sendable, Hashable {
            /// The operation that delivers it.
            let place: Dot
            /// Whether that operation is passed on to devices that lack it.
            let isHandedOn: Bool
            /// The envelope.
            let sealed: [UInt8]
        }

        fileprivate init(
            _ header: OperationHeader,
            _ content: KeyEpoch,
            of beginning: Operation?,
            saidAt saying: Dot,
            isHandedOn: Bool
        ) {
            (place, seen, sayings) = (header.creation, header.vector, [saying])
            (self.content, self.beginning, self.isHandedOn) = (content, beginning, isHandedOn)
            // Where it is not passed on, a device that has the key repeats it, with these.
            readers = Set(content.envelopes.map(\.device))
            supplied = readers
        }

        /// Returns those of some readers that lack it.
        fileprivate func lacking(
            _ readers: Set<DeviceID>,
            _ supplied: Set<DeviceID>
        ) -> (readers: Set<DeviceID>, supplied: Set<DeviceID>) {
            (readers.subtracting(self.readers), supplied.subtracting(self.supplied))
        }

        /// The envelopes for a device, as far as it knows any.
        func envelopes(for device: DeviceID) -> [[UInt8]] {
            content.envelopes.filter { $0.device == device }.map(\.sealed)
                + (deliveries[device] ?? []).map(\.sealed)
        }
    }

    private let zone: ZoneID
    private(set) var epochs: [Hash: Epoch] = [:]
    /// Epochs that are named, and not known.
    private var missing: Set<Hash> = []
    /// The epochs that none follows.
    private(set) var last: Set<Hash> = []
    /// The epochs to which no epoch's chain leads.
    ///
    /// From one of them the chains lead to any epoch.
    private(set) var heads: Set<Hash> = []
    /// The epochs whose operation is not passed on, neither as itself nor repeated.
    private(set) var unsaid: Set<Hash> = []
    /// The epochs that are not exposed.
    private(set) var unexposed: Set<Hash> = []
    /// The epochs whose chains lead to an epoch, in one step.
    private var leading: [Hash: Set<Hash>] = [:]
    /// The devices that deny having keys that were sealed to them.
    private var doubts = KeyDoubts()
    /// The statements that were entered.
    private(set) var journal: EpochJournal

    /// Enters the statements of a zone's control log.
    /// - Parameters:
    ///   - statements: The operations, by log and place, with whether each is passed on.
    ///   - zone: The zone.
    /// - Complexity: O(statements, envelopes), and O(epochs · predecessors).
    init(_ statements: [(statement: EpochStatement, isHandedOn: Bool)], zone: ZoneID) {
        self.zone = zone
        journal = EpochJournal(statements.map(\.statement))
        for (statement, isHandedOn) in statements {
            guard case .begins(let content) = statement.content else { continue }
            epochs[statement.operation.header.leafHash] = Self.epoch(statement, content, isHandedOn)
        }
        for (statement, isHandedOn) in statements {
            switch statement.content {
            case .repeats(let header, let content):
                noteRepetition(Self.repeated(statement, header, content, isHandedOn), of: header.leafHash)
            case .requests(let epochs):
                doubts.note(epochs, by: statement.device, seen: statement.operation.header.vector)
            case .begins, .delivers: continue
            }
        }
        unexposed = Set(epochs.keys)
        for (statement, isHandedOn) in statements {
            guard case .delivers(let delivery) = statement.content else { continue }
            noteDelivery(delivery, at: statement.operation.header.creation, isHandedOn: isHandedOn)
        }
        order = Self.order(epochs)
        for hash in order {
            let depth = depth(of: hash)
            epochs[hash]?.depth = depth
        }
        for hash in order.reversed() {
            if let epoch = epochs[hash] {
                noteMissing(epoch.content)
                noteLinks(of: hash, epoch.content)
                if !epoch.isHandedOn { unsaid.insert(hash) }
                handDown(epoch.readers, [], from: hash)
            }
        }
        weighDoubts()
        for hash in order.reversed() { handDown([], epochs[hash]?.supplied ?? [], from: hash) }
        for hash in order { notePlace(of: hash) }
        assertValid()
    }

    /// Enters one more statement.
    /// - Returns: False if the graph has to be made again from all statements; it is as it was then.
    /// - Complexity: O(envelopes · log n), and O(1) for each epoch along the chain and each reader that it has more.
    mutating func add(_ statement: EpochStatement, isHandedOn: Bool) -> Bool {
        switch statement.content {
        case .requests: return false
        case .begins(let content):
            let hash = statement.operation.header.leafHash
            guard !isAsked(for: [hash] + content.chain.map(\.epoch)) else { return false }
            guard begin(hash, Self.epoch(statement, content, isHandedOn)) else {
                return false
            }
        case .repeats(let header, let content):
            let (hash, epoch) = (header.leafHash, Self.repeated(statement, header, content, isHandedOn))
            guard !isAsked(for: [hash] + content.chain.map(\.epoch)) else { return false }
            if epochs[hash] == nil {
                guard begin(hash, epoch) else { return false }
            } else {
                noteRepetition(epoch, of: hash)
            }
        case .delivers(let delivery):
            guard !isAsked(for: [delivery.epoch]) else { return false }
            noteDelivery(delivery, at: statement.operation.header.creation, isHandedOn: isHandedOn)
            let devices = Set(delivery.envelopes.map(\.device))
            handDown(devices, isHandedOn ? devices : [], from: delivery.epoch)
        }
        journal.note(statement)
        assertValid()
        return true
    }

    private mutating func begin(_ hash: Hash, _ epoch: Epoch) -> Bool {
        // Statements about it that came before it have no effect yet.
        guard epochs[hash] == nil, !missing.contains(hash) else { return false }
        epochs[hash] = epoch
        unexposed.insert(hash)
        let depth = depth(of: hash)
        epochs[hash]?.depth = depth
        order.append(hash)
        noteMissing(epoch.content)
        noteLinks(of: hash, epoch.content)
        notePlace(of: hash)
        if !epoch.isHandedOn { unsaid.insert(hash) }
        handDown(epoch.readers, epoch.supplied, from: hash)
        return true
    }

    private mutating func noteLinks(of hash: Hash, _ content: KeyEpoch) {
        for link in content.chain { leading[link.epoch, default: []].insert(hash) }
    }

    /// Notes which epochs an epoch follows, and to which its chain leads; these were noted before.
    private mutating func notePlace(of hash: Hash) {
        guard let content = epochs[hash]?.content else { return }
        last.insert(hash)
        heads.insert(hash)
        for previous in content.previous { last.remove(previous) }
        for link in content.chain { heads.remove(link.epoch) }
    }

    private static func epoch(_ statement: EpochStatement, _ content: KeyEpoch, _ isHandedOn: Bool) -> Epoch {
        let operation = statement.operation
        // An operation too long to be repeated in another one was not made by this program.
        let isDone = isHandedOn || operation.byteCount > UInt64(Limits.epochAgainByteCountMax)
        let header = operation.header
        return Epoch(header, content, of: operation, saidAt: header.creation, isHandedOn: isDone)
    }

    private static func repeated(
        _ statement: EpochStatement,
        _ header: OperationHeader,
        _ content: KeyEpoch,
        _ isHandedOn: Bool
    ) -> Epoch {
        Epoch(header, content, of: nil, saidAt: statement.operation.header.creation, isHandedOn: isHandedOn)
    }

    private mutating func noteRepetition(_ epoch: Epoch, of hash: Hash) {
        let isHandedOn = epochs[hash]?.isHandedOn == true || epoch.isHandedOn
        if epochs[hash] == nil {
            epochs[hash] = epoch
        } else {
            epochs[hash]?.isHandedOn = isHandedOn
            epochs[hash]?.sayings += epoch.sayings
        }
        if isHandedOn { unsaid.remove(hash) }
    }

    private mutating func noteDelivery(_ delivery: KeyDelivery, at place: Dot, isHandedOn: Bool) {
        guard epochs[delivery.epoch] != nil else {
            missing.insert(delivery.epoch)
            return
        }
        epochs[delivery.epoch]?.readers.formUnion(delivery.envelopes.map(\.device))
        if isHandedOn { epochs[delivery.epoch]?.supplied.formUnion(delivery.envelopes.map(\.device)) }
        if let key = delivery.disclosed { disclose(key, of: delivery.epoch) }
        for envelope in delivery.envelopes {
            let delivered = Epoch.Delivery(place: place, isHandedOn: isHandedOn, sealed: envelope.sealed)
            epochs[delivery.epoch]?.deliveries[envelope.device, default: []].append(delivered)
        }
    }

    private mutating func noteMissing(_ content: KeyEpoch) {
        for hash in content.previous + content.chain.map(\.epoch) where epochs[hash] == nil { missing.insert(hash) }
    }

    /// Adds readers of an epoch to those of the epochs along its chain: its key leads to theirs.
    /// - Complexity: O(1) for each epoch along the chain and each reader that it has more.
    private mutating func handDown(_ readers: Set<DeviceID>, _ supplied: Set<DeviceID>, from hash: Hash) {
        var queue = [(hash, readers, supplied)]
        while let (next, readers, supplied) = queue.popLast() {
            for link in epochs[next]?.content.chain ?? [] {
                let believed =
                    doubts.concern(link.epoch) ? supplied.filter { leads(next, to: link.epoch, $0) } : supplied
                guard let more = epochs[link.epoch]?.lacking(readers, believed) else { continue }
                if more.readers.isEmpty, more.supplied.isEmpty { continue }
                epochs[link.epoch]?.readers.formUnion(more.readers)
                epochs[link.epoch]?.supplied.formUnion(more.supplied)
                queue.append((link.epoch, more.readers, more.supplied))
            }
        }
    }

    // MARK: Devices that deny it

    /// Whether the author of an epoch is believed that its key leads a device to that of another one.
    private func leads(_ hash: Hash, to earlier: Hash, _ device: DeviceID) -> Bool {
        epochs[hash].map { doubts.believe($0.place.actor, $0.sayings, of: earlier, to: device) } ?? false
    }

    /// Finds the authors whose claims are refuted, and removes devices from the supplied ones that have only such a
    /// claim.
    private mutating func weighDoubts() {
        for (hash, devices) in doubts.asked {
            guard let epoch = epochs[hash] else { continue }
            let leading = (leading[hash] ?? []).compactMap { epochs[$0] }
            for device in devices {
                if epoch.content.envelopes.contains(where: { $0.device == device }) {
                    doubts.weigh(epoch.place.actor, epoch.sayings, of: hash, to: device)
                }
                for delivery in epoch.deliveries[device] ?? [] {
                    doubts.weigh(delivery.place.actor, [delivery.place], of: hash, to: device)
                }
                for later in leading where later.readers.contains(device) {
                    doubts.weigh(later.place.actor, later.sayings, of: hash, to: device)
                }
                if !isSupplied(device, with: hash, epoch) { epochs[hash]?.supplied.remove(device) }
            }
        }
    }

    /// Whether a believed author has given a device the key of an epoch itself.
    private func isSupplied(_ device: DeviceID, with hash: Hash, _ epoch: Epoch) -> Bool {
        guard epoch.supplied.contains(device) else { return false }
        let isRecipient = epoch.content.envelopes.contains { $0.device == device }
        if isRecipient, doubts.believe(epoch.place.actor, epoch.sayings, of: hash, to: device) { return true }
        return (epoch.deliveries[device] ?? []).contains { delivery in
            delivery.isHandedOn && doubts.believe(delivery.place.actor, [delivery.place], of: hash, to: device)
        }
    }

    /// Whether a device asks for one of these epochs, or for one that their chains lead to.
    private func isAsked(for hashes: [Hash]) -> Bool {
        !doubts.isEmpty && hashes.contains { chained(from: $0).contains(where: doubts.concern) }
    }

    /// Whether any device asks for keys that it has by others' claims.
    var isDenied: Bool { !doubts.isEmpty }

    /// Whether a device asks for the key of an epoch.
    func isDenied(_ epoch: Hash, by device: DeviceID) -> Bool { doubts.isAsked(for: epoch, by: device) }

    /// Whether a device has denied that an author gave it a key.
    func isDoubted(_ author: ActorID, of epoch: Hash, to device: DeviceID) -> Bool {
        doubts.isDoubted(author, of: epoch, to: device)
    }

    /// Returns the believed claims that a device received an epoch's key: for each claim its operations, any one of
    /// which is enough to know the claim.
    /// - Complexity: O(envelopes of the epoch, and epochs whose chains lead to it).
    func claims(of hash: Hash, for device: DeviceID) -> [[Dot]] {
        guard let epoch = epochs[hash] else { return [] }
        let begun = epoch.content.envelopes.contains { $0.device == device } ? [epoch.sayings] : []
        let leading = (leading[hash] ?? []).compactMap { epochs[$0] }.filter { $0.supplied.contains(device) }
        return begun + (epoch.deliveries[device] ?? []).map { [$0.place] } + leading.map(\.sayings)
    }

    // MARK: Order

    /// All epochs, each behind those that it follows.
    ///
    /// An epoch is named by a hash over the names of its predecessors, so there are no circles.
    private(set) var order: [Hash] = []

    private static func order(_ epochs: [Hash: Epoch]) -> [Hash] {
        var order: [Hash] = []
        var done: Set<Hash> = []
        var stack = epochs.keys.sorted(by: >)
        while let hash = stack.last {
            let missing = (epochs[hash]?.content.previous ?? []).filter { epochs[$0] != nil && !done.contains($0) }
            if missing.isEmpty || done.contains(hash) {
                stack.removeLast()
                if done.insert(hash).inserted { order.append(hash) }
            } else {
                stack += missing
            }
        }
        return order
    }

    /// Any author may state that something is the key of an epoch, so it is checked.
    private mutating func disclose(_ secret: Hash, of hash: Hash) {
        guard let epoch = epochs[hash], let key = try? EpochKey(bytes: secret.bytes),
            key.confirmTag(zone: zone, place: epoch.place) == epoch.content.confirm
        else { return }
        epochs[hash]?.disclosed = secret
        expose(hash)
    }

    /// Marks an epoch whose key was disclosed as exposed, with all epochs along its chain: its key leads to theirs.
    /// - Complexity: O(links of the epochs along the chain that were not marked before).
    private mutating func expose(_ hash: Hash) {
        var queue = [hash]
        while let next = queue.popLast() {
            guard let epoch = epochs[next], !epoch.isExposed else { continue }
            epochs[next]?.isExposed = true
            unexposed.remove(next)
            queue += epoch.content.chain.map(\.epoch)
        }
    }

    private func depth(of hash: Hash) -> Int {
        // Those before have theirs.
        (epochs[hash]?.content.previous ?? []).compactMap { epochs[$0].map { $0.depth + 1 } }.max() ?? 0
    }

    /// The epochs whose keys follow from one epoch's by the chain, itself included.
    func chained(from hash: Hash) -> Set<Hash> {
        var found: Set<Hash> = [hash]
        var queue = [hash]
        while let next = queue.popLast() {
            for link in epochs[next]?.content.chain ?? [] where found.insert(link.epoch).inserted {
                queue.append(link.epoch)
            }
        }
        return found
    }
}

/// Two books are equal if their epochs are; the order in which the epochs came is left out.
extension EpochGraph: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(order.count == epochs.count, "each epoch has one place in the order")
        try mustHold(missing.allSatisfy { epochs[$0] == nil }, "an epoch that is known is not missing")
        for (hash, epoch) in epochs {
            try mustHold(epoch.supplied.isSubset(of: epoch.readers), "a device that has a key is one of its readers")
            try mustHold(unexposed.contains(hash) != epoch.isExposed, "a key is secret until it is disclosed")
            try mustHold(
                !unsaid.contains(hash) || !epoch.isHandedOn,
                "an epoch is restated where it is not passed on"
            )
            try mustHold(!epoch.sayings.isEmpty, "an epoch is known from some operation")
        }
    }

    package func checkCostlyRules() throws(BrokenRule) {
        let places = Dictionary(zip(order, order.indices)) { first, _ in first }
        for (hash, epoch) in epochs {
            for previous in epoch.content.previous {
                guard let before = epochs[previous] else { continue }
                try mustHold(before.depth < epoch.depth, "an epoch is deeper than those that it follows")
                try mustHold(
                    places[previous] ?? .max < places[hash] ?? 0,
                    "an epoch comes behind those that it follows"
                )
                try mustHold(!last.contains(previous), "an epoch that another one follows is not the last")
            }
            for link in epoch.content.chain where epochs[link.epoch] != nil {
                try mustHold(!heads.contains(link.epoch), "no chain leads to the first epoch of a chain")
                let isExposed = epochs[link.epoch]?.isExposed ?? false
                try mustHold(
                    !epoch.isExposed || isExposed,
                    "a device that has a key has those to which its chain leads"
                )
            }
        }
    }
}

extension EpochGraph: Equatable {
    static func == (left: EpochGraph, right: EpochGraph) -> Bool { left.epochs == right.epochs }
}

extension EpochGraph.Epoch: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.place == right.place && left.content == right.content && left.isHandedOn == right.isHandedOn
            && left.beginning?.header.leafHash == right.beginning?.header.leafHash && left.readers == right.readers
            && left.supplied == right.supplied && left.disclosed == right.disclosed
            && left.isExposed == right.isExposed && left.depth == right.depth
            && left.deliveries.mapValues(Set.init) == right.deliveries.mapValues(Set.init)
            && Set(left.sayings) == Set(right.sayings)
    }
}
