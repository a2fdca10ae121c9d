import Sodium
package import Wire

/// The history of an account: the devices that may act for it, as signed entries that anyone can check from the first
/// one on.
///
/// A graph in which each entry names heads that its author had seen. Two replicas that hold the same entries have
/// the same ``state``, in any order of arrival: each verdict is a function of an entry's ancestors (may it
/// be taken in?) or of the whole set (is it effective? see ``AccountResolution``).
///
/// Effective entries are kept, sent to others and named as parents, together with their ancestors. Ineffective ones
/// are kept in a bounded room (see ``AccountRoom``), because an entry that is on its way may make them effective, and
/// are not sent.
///
/// The account's name is the hash of the genesis, so a log proves itself: a device that knows the name needs no
/// authority to check the rest.
package struct AccountLog: Sendable {
    /// The maximum number of entries of a log.
    package static let entryCountMax = Limits.accountEntryCountMax

    /// The maximum number of bytes of entries of a log.
    package static let byteCountMax =
        (AccountRoom.plain + AccountRoom.inherited + AccountRoom.removals + AccountRoom.recovery + AccountRoom.loose)
        .byteCount + AccountRoom.reservedDeviceCount * AccountRoom.removalsPerDevice.byteCount

    /// The number of ineffective entries that a log keeps.
    package static let looseCountMax = AccountRoom.loose.entryCount

    /// The maximum number of entries that are inserted before the state is computed again.
    private static let batchCountMax = 2 * entryCountMax

    /// The account.
    package let account: AccountID

    /// The state that the entries together make.
    package private(set) var state: AccountState

    /// The heads as they are sent to others, ascending: at most 64.
    ///
    /// Two logs send the same heads exactly if their heads are the same.
    /// A head is an effective entry from which no other effective entry descends. More heads than fit exist only if a
    /// device floods the log with side branches. Then 63 are sent, those by the recovery key first, then removals,
    /// then the others, of each kind those of the greatest generation; and a hash of all, so that one that is not
    /// sent is not overlooked (``Wire/Hash/isOfManyHeads``).
    package private(set) var announcedHeads: [Hash]

    /// Grows with each change of the set of entries.
    package private(set) var revision = 0

    /// In the order in which they came; except for the room of removals nothing may depend on it.
    private(set) var nodes: [AccountNode]
    private(set) var indices: [Hash: Int]
    /// Whether each entry is effective, by its index.
    private(set) var counting: [Bool]
    /// The effective entries and their ancestors.
    private(set) var needed: EntrySet
    private(set) var headIndices: [Int]
    private let looseBound: AccountRoom.Size
    /// The number of entries that the state is made of; later ones are new.
    private var resolvedCount = 1

    /// Starts from the first entry of an account.
    /// - Parameters:
    ///   - genesis: The bytes of a `SignedAccountEntry`.
    ///   - looseCountMax: The number of ineffective entries that are kept.
    /// - Throws: ``AccountError/malformed(_:)``, ``AccountError/notGenesis``, ``AccountError/badSignature``,
    ///   ``AccountError/badCertificate(_:)``; ``AccountError/authorNotAdded`` when its author is not the device that
    ///   it adds.
    package init(genesis: [UInt8], looseCountMax: Int = AccountLog.looseCountMax) throws(AccountError) {
        let unverified = try UnverifiedAccountEntry(genesis)
        guard case .genesis(_, let certificateBytes, _) = unverified.signed.entry.action else { throw .notGenesis }
        let certificate = try AccountLog.certificate(certificateBytes)
        guard unverified.signed.entry.author == .device(certificate.device) else { throw .authorNotAdded }
        let node = AccountNode(
            verified: try VerifiedAccountEntry(unverified, key: certificate.device.verifyingKey),
            generation: 0,
            ancestors: EntrySet(),
            recoveryOrigin: nil,
            certificate: certificate
        )
        account = unverified.startedAccount
        looseBound = AccountRoom.Size(looseCountMax, byteCount: AccountRoom.loose.byteCount)
        nodes = [node]
        indices = [node.hash: 0]
        counting = [true]
        needed = EntrySet()
        needed.insert(0)
        headIndices = [0]
        announcedHeads = [node.hash]
        state = AccountResolution(nodes: [node]).state(of: account)
    }

    /// Reads a log that was written before.
    ///
    /// Entries that had room when they came have room now: none is refused for that.
    /// - Parameter entries: ``storedEntries``.
    /// - Throws: ``AccountError/notGenesis`` for none, and as ``init(genesis:looseCountMax:)`` and ``insert(_:)``.
    /// - Complexity: One signature check for each entry, and the state once.
    package init(stored entries: [[UInt8]]) throws(AccountError) {
        guard let genesis = entries.first else { throw .notGenesis }
        try self.init(genesis: genesis)
        for bytes in entries.dropFirst() { try add(bytes) }
        for index in nodes.indices { needed.insert(index) }
        var (newCount, isFull) = (0, false)
        resolve(&newCount, &isFull)
    }

    /// The number of entries.
    package var count: Int { nodes.count }

    /// The genesis' bytes.
    package var genesisBytes: [UInt8] { nodes.first?.verified.bytes ?? [] }

    /// Whether an entry is here.
    /// - Parameter hash: Its name.
    /// - Returns: Whether it was taken in.
    package func contains(_ hash: Hash) -> Bool {
        indices[hash] != nil
    }

    /// Takes an entry in.
    ///
    /// Taking one in twice changes nothing. An entry that is taken in is not necessarily effective: a removed
    /// device's entries are ignored, and kept as long as there is room for them.
    /// - Parameter bytes: The bytes of a `SignedAccountEntry`.
    /// - Returns: Whether it is new, and was kept.
    /// - Throws: ``AccountError``; the state is unchanged then. An entry for which there is no room may have displaced
    ///   ineffective ones.
    /// - Complexity: One signature check, and the state again: O(n), with removals O(n · removals) at worst.
    @discardableResult
    package mutating func insert(_ bytes: [UInt8]) throws(AccountError) -> Bool {
        try insert(contentsOf: [bytes]) > 0
    }

    /// Takes entries in, parents before children, and computes the state once.
    /// - Parameter entries: The bytes of `SignedAccountEntry` values.
    /// - Returns: The number of new entries that were kept.
    /// - Throws: ``AccountError`` for the first that is refused; those before it stay. ``AccountError/full`` if there
    ///   was no room for some effective ones; the others stay.
    @discardableResult
    package mutating func insert(contentsOf entries: [[UInt8]]) throws(AccountError) -> Int {
        var newCount = 0
        var isFull = false
        var refusal: AccountError?
        for bytes in entries {
            do {
                try add(bytes)
            } catch {
                refusal = error
                break
            }
            if nodes.count - resolvedCount >= Self.batchCountMax { resolve(&newCount, &isFull) }
        }
        resolve(&newCount, &isFull)
        if let refusal { throw refusal }
        if isFull { throw .full }
        return newCount
    }

    private mutating func add(_ bytes: [UInt8]) throws(AccountError) {
        let unverified = try UnverifiedAccountEntry(bytes)
        guard indices[unverified.hash] == nil else { return }
        let node = try verify(unverified)
        indices[node.hash] = nodes.count
        nodes.append(node)
    }

    /// Makes the state of all entries, and drops those for which there is no room.
    private mutating func resolve(_ newCount: inout Int, _ isFull: inout Bool) {
        guard nodes.count > resolvedCount else { return }
        let oldNames = Set(nodes[..<resolvedCount].map(\.hash))
        while true {
            let resolution = AccountResolution(nodes: nodes)
            let room = AccountRoom(
                nodes: nodes,
                counting: resolution.counting,
                indices: indices,
                looseBound: looseBound,
                wasNeeded: needed
            )
            if room.isFull {
                // A removal that goes attacks nothing any more.
                isFull = true
                keep(room.isKept)
                continue
            }
            counting = resolution.counting
            needed = room.needed
            state = resolution.state(of: account)
            if room.isKept.contains(false) { keep(room.isKept) }
            break
        }
        let keptNew = nodes.count { !oldNames.contains($0.hash) }
        if keptNew > 0 || nodes.count != oldNames.count { revision += 1 }
        newCount += keptNew
        resolvedCount = nodes.count
        findHeads()
    }

    /// Drops the other entries, of which none is an ancestor of one that stays.
    private mutating func keep(_ isKept: [Bool]) {
        var moved: [AccountNode] = []
        var places: [Int?] = []
        var movedCounting: [Bool] = []
        var movedNeeded = EntrySet()
        var movedIndices: [Hash: Int] = [:]
        resolvedCount = isKept[..<resolvedCount].count { $0 }
        for (index, node) in nodes.enumerated() {
            guard isKept[index] else {
                places.append(nil)
                continue
            }
            var ancestors = EntrySet()
            for parent in node.entry.parents {
                guard let place = movedIndices[parent] else { continue }
                ancestors.formUnion(moved[place].ancestors)
                ancestors.insert(place)
            }
            if needed.contains(index) { movedNeeded.insert(moved.count) }
            if index < counting.count { movedCounting.append(counting[index]) }
            places.append(moved.count)
            movedIndices[node.hash] = moved.count
            moved.append(node.moved(ancestors: ancestors, recoveryOrigin: node.recoveryOrigin.flatMap { places[$0] }))
        }
        nodes = moved
        indices = movedIndices
        counting = movedCounting
        needed = movedNeeded
    }

    private mutating func findHeads() {
        var isHead = counting
        for index in nodes.indices where needed.contains(index) {
            for parent in nodes[index].entry.parents {
                if let place = indices[parent] { isHead[place] = false }
            }
        }
        headIndices = nodes.indices.filter { isHead[$0] }
        assert(!headIndices.isEmpty, "a graph without cycles has heads")
        announcedHeads = headsToAnnounce()
    }

    private func headsToAnnounce() -> [Hash] {
        guard headIndices.count > Limits.accountHeadCountMax else { return heads }
        let named = ranked(headIndices).prefix(Limits.accountHeadCountMax - 1).map { nodes[$0].hash }
        return (named + [Hash(ofManyHeads: heads)]).sorted()
    }

    /// Entries in the order in which they are named if there is no room to name all.
    func ranked(_ entries: [Int]) -> [Int] {
        guard entries.count > Limits.accountHeadCountMax else { return entries }
        func tier(_ index: Int) -> Int { nodes[index].authorDevice == nil ? 0 : nodes[index].isRemoval ? 1 : 2 }
        return entries.sorted { left, right in
            tier(left) == tier(right) ? nodes[left].place > nodes[right].place : tier(left) < tier(right)
        }
    }
}
