import Records
import Wire

/// The epochs of a zone's key that its control log tells of, whether the operations that tell of them count or not.
///
/// Whether an epoch counts matters for writing only: what was sealed under one that turned out not to count can be read by
/// whoever was given the key, as long as that is held.
struct EpochBook: Sendable {
    /// One epoch.
    struct Epoch: Sendable {
        /// Where the operation stands that begins it.
        let place: Dot
        /// The operations of the control log that its author had seen, that operation included.
        let seen: VersionVector
        /// What it says.
        let content: KeyEpoch
        /// The operation that begins it; `nil` where only its repetition is held.
        let beginning: Operation?
        /// Whether the operation that begins it is handed on to who lacks it, as itself or said again.
        fileprivate(set) var isHandedOn: Bool
        /// Who has the key: whom it was given to, and whom that of a later epoch was given to whose chain leads to it.
        fileprivate(set) var readers: Set<DeviceID>
        /// Those of them that were given it in a way that reaches them, whenever they come.
        fileprivate(set) var supplied: Set<DeviceID>
        /// What was delivered of it besides, to one device.
        fileprivate(set) var deliveries: [DeviceID: [[UInt8]]] = [:]
        /// The key, once it is disclosed.
        fileprivate(set) var disclosed: Hash?
        /// Whether everybody can have the key: it is disclosed, or that of an epoch whose chain leads to it is.
        fileprivate(set) var isExposed = false
        /// How many epochs lie before it on the longest way.
        fileprivate(set) var depth = 0

        fileprivate init(_ header: OperationHeader, _ content: KeyEpoch, of beginning: Operation?, isHandedOn: Bool) {
            (place, seen) = (header.creation, header.vector)
            (self.content, self.beginning, self.isHandedOn) = (content, beginning, isHandedOn)
            // Where it is not handed on, who has the key says it again, with these.
            readers = Set(content.envelopes.map(\.device))
            supplied = readers
        }

        /// Which of some readers it has not got.
        fileprivate func lacking(
            _ readers: Set<DeviceID>,
            _ supplied: Set<DeviceID>
        ) -> (readers: Set<DeviceID>, supplied: Set<DeviceID>) {
            (readers.subtracting(self.readers), supplied.subtracting(self.supplied))
        }

        /// The envelopes for a device, as far as it knows any.
        func envelopes(for device: DeviceID) -> [[UInt8]] {
            content.envelopes.filter { $0.device == device }.map(\.sealed) + (deliveries[device] ?? [])
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
    /// The epochs whose operation is not handed on, neither as itself nor said again.
    private(set) var unsaid: Set<Hash> = []
    /// The epochs that are not exposed.
    private(set) var unexposed: Set<Hash> = []
    /// The statements that were entered.
    private(set) var journal: EpochJournal

    /// Enters what the control log of a zone tells.
    /// - Parameters:
    ///   - statements: The operations, by log and place, with whether each is handed on.
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
            guard case .repeats(let header, let content) = statement.content else { continue }
            noteRepetition(Epoch(header, content, of: nil, isHandedOn: isHandedOn), of: header.leafHash)
        }
        unexposed = Set(epochs.keys)
        for (statement, isHandedOn) in statements {
            guard case .delivers(let delivery) = statement.content else { continue }
            noteDelivery(delivery, isHandedOn: isHandedOn)
        }
        order = Self.order(epochs)
        for hash in order {
            let depth = depth(of: hash)
            epochs[hash]?.depth = depth
        }
        for hash in order.reversed() {
            if let epoch = epochs[hash] {
                noteMissing(epoch.content)
                if !epoch.isHandedOn { unsaid.insert(hash) }
                handDown(epoch.readers, epoch.supplied, from: hash)
            }
        }
        for hash in order { notePlace(of: hash) }
    }

    /// Enters one more statement.
    /// - Returns: False if the book has to be made anew from all statements; it is as it was then.
    /// - Complexity: O(envelopes · log n), and O(1) for each epoch along the chain and each reader that it has more.
    mutating func add(_ statement: EpochStatement, isHandedOn: Bool) -> Bool {
        switch statement.content {
        case .begins(let content):
            guard begin(statement.operation.header.leafHash, Self.epoch(statement, content, isHandedOn)) else {
                return false
            }
        case .repeats(let header, let content):
            let (hash, epoch) = (header.leafHash, Epoch(header, content, of: nil, isHandedOn: isHandedOn))
            if epochs[hash] == nil {
                guard begin(hash, epoch) else { return false }
            } else {
                noteRepetition(epoch, of: hash)
            }
        case .delivers(let delivery):
            noteDelivery(delivery, isHandedOn: isHandedOn)
            let devices = Set(delivery.envelopes.map(\.device))
            handDown(devices, isHandedOn ? devices : [], from: delivery.epoch)
        }
        journal.note(statement)
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
        notePlace(of: hash)
        if !epoch.isHandedOn { unsaid.insert(hash) }
        handDown(epoch.readers, epoch.supplied, from: hash)
        return true
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
        return Epoch(operation.header, content, of: operation, isHandedOn: isDone)
    }

    private mutating func noteRepetition(_ epoch: Epoch, of hash: Hash) {
        let isHandedOn = epochs[hash]?.isHandedOn == true || epoch.isHandedOn
        epochs[hash, default: epoch].isHandedOn = isHandedOn
        if isHandedOn { unsaid.remove(hash) }
    }

    private mutating func noteDelivery(_ delivery: KeyDelivery, isHandedOn: Bool) {
        guard epochs[delivery.epoch] != nil else {
            missing.insert(delivery.epoch)
            return
        }
        epochs[delivery.epoch]?.readers.formUnion(delivery.envelopes.map(\.device))
        if isHandedOn { epochs[delivery.epoch]?.supplied.formUnion(delivery.envelopes.map(\.device)) }
        if let key = delivery.disclosed { disclose(key, of: delivery.epoch) }
        for envelope in delivery.envelopes {
            epochs[delivery.epoch]?.deliveries[envelope.device, default: []].append(envelope.sealed)
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
                guard let more = epochs[link.epoch]?.lacking(readers, supplied) else { continue }
                if more.readers.isEmpty, more.supplied.isEmpty { continue }
                epochs[link.epoch]?.readers.formUnion(more.readers)
                epochs[link.epoch]?.supplied.formUnion(more.supplied)
                queue.append((link.epoch, more.readers, more.supplied))
            }
        }
    }

    /// All epochs, each behind those that it follows.
    ///
    /// An epoch is named by a hash over what names its predecessors, so there are no circles.
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

    /// Anybody may say that something is the key of an epoch.
    private mutating func disclose(_ secret: Hash, of hash: Hash) {
        guard let epoch = epochs[hash], let key = try? EpochKey(bytes: secret.bytes),
            key.confirmTag(zone: zone, place: epoch.place) == epoch.content.confirm
        else { return }
        epochs[hash]?.disclosed = secret
        expose(hash)
    }

    /// Marks an epoch whose key everybody can have, and those along its chain: its key leads to theirs.
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

/// Two books are equal that say the same of each epoch; the order in which they came is left out.
extension EpochBook: Equatable {
    static func == (left: EpochBook, right: EpochBook) -> Bool { left.epochs == right.epochs }
}

extension EpochBook.Epoch: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        left.place == right.place && left.content == right.content && left.isHandedOn == right.isHandedOn
            && left.beginning?.header.leafHash == right.beginning?.header.leafHash && left.readers == right.readers
            && left.supplied == right.supplied && left.disclosed == right.disclosed
            && left.isExposed == right.isExposed && left.depth == right.depth
            && left.deliveries.mapValues(Set.init) == right.deliveries.mapValues(Set.init)
    }
}
