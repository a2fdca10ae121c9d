package import Wire

/// The history of an account: who may act for it, as signed entries that anyone can check from the first one on.
///
/// A graph in which each entry names all heads that its author had seen. Two replicas that hold the same entries have
/// the same ``state``, in whatever order the entries came: each verdict is a function of an entry's ancestors (may it
/// be taken in?) or of the whole set (does it count? see ``AccountResolution``). Entries are never dropped, those that
/// do not count included, because another replica may hold what makes them count.
///
/// The account's name is the hash of the genesis, so a log proves itself: whoever knows the name needs no authority to
/// check the rest.
package struct AccountLog: Sendable {
    /// How many entries a log holds.
    ///
    /// Households and fleets need tens; the bound keeps a runaway from filling memory.
    package static let entryCountMax = Limits.accountEntryCountMax

    /// How many entries of one device a log holds, so that a device which was removed cannot fill the log with entries
    /// that do not count.
    package static let entryCountPerDeviceMax = 512

    /// How many bytes of entries a log holds.
    package static let byteCountMax = 64 * 1_048_576

    /// How many bytes of entries of one device a log holds.
    package static let byteCountPerDeviceMax = 8 * 1_048_576

    /// Which account.
    package let account: AccountID

    /// What the entries together say.
    package private(set) var state: AccountState

    /// In the order in which they came; nothing outside may depend on it.
    private(set) var nodes: [AccountNode]
    private(set) var indices: [Hash: Int]
    private(set) var headIndices: Set<Int>
    private var byteCount: Int
    private var usage: [DeviceID: Usage] = [:]

    private struct Usage: Sendable {
        var entryCount = 0
        var byteCount = 0
    }

    /// Starts from the first entry of an account.
    /// - Parameter genesis: The bytes of a `SignedAccountEntry`.
    /// - Throws: ``AccountError/malformed(_:)``, ``AccountError/notGenesis``, ``AccountError/badSignature``,
    ///   ``AccountError/badCertificate(_:)``; ``AccountError/authorNotAdded`` when its author is not the device that it
    ///   brings in.
    package init(genesis: [UInt8]) throws(AccountError) {
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
        nodes = [node]
        indices = [node.hash: 0]
        headIndices = [0]
        byteCount = genesis.count
        state = AccountResolution(nodes: nodes).state(of: account)
    }

    /// How many entries there are.
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
    /// Taking one in twice changes nothing. That an entry is taken in does not mean that it counts: a removed device's
    /// entries are kept, and ignored.
    /// - Parameter bytes: The bytes of a `SignedAccountEntry`.
    /// - Returns: Whether it is new.
    /// - Throws: ``AccountError``; the log is unchanged then.
    /// - Complexity: One signature check, and the state anew: O(n), with removals O(n · removals) at worst.
    @discardableResult
    package mutating func insert(_ bytes: [UInt8]) throws(AccountError) -> Bool {
        let isNew = try add(bytes)
        if isNew {
            state = AccountResolution(nodes: nodes).state(of: account)
        }
        return isNew
    }

    /// Takes entries in, parents before children, and computes the state once.
    /// - Parameter entries: The bytes of `SignedAccountEntry` values.
    /// - Returns: How many are new.
    /// - Throws: ``AccountError`` for the first that is refused; those before it stay.
    @discardableResult
    package mutating func insert(contentsOf entries: [[UInt8]]) throws(AccountError) -> Int {
        var newCount = 0
        defer {
            if newCount > 0 {
                state = AccountResolution(nodes: nodes).state(of: account)
            }
        }
        for bytes in entries where try add(bytes) {
            newCount += 1
        }
        return newCount
    }

    private mutating func add(_ bytes: [UInt8]) throws(AccountError) -> Bool {
        let unverified = try UnverifiedAccountEntry(bytes)
        guard indices[unverified.hash] == nil else { return false }
        let node = try verify(unverified)
        try reserve(bytes.count, for: node.authorDevice)
        let index = nodes.count
        nodes.append(node)
        indices[node.hash] = index
        for parent in node.entry.parents {
            if let parentIndex = indices[parent] { headIndices.remove(parentIndex) }
        }
        headIndices.insert(index)
        assert(!headIndices.isEmpty, "a graph without cycles has heads")
        return true
    }

    /// Counts an entry against the bounds.
    ///
    /// The one verdict that depends on the order of arrival: replicas that a flood of entries reaches in different
    /// orders keep different parts of the flood. Only a device that was once let in with all rights can cause it.
    private mutating func reserve(_ size: Int, for device: DeviceID?) throws(AccountError) {
        guard nodes.count < Self.entryCountMax, byteCount + size <= Self.byteCountMax else { throw .full }
        if let device {
            var own = usage[device] ?? Usage()
            guard own.entryCount < Self.entryCountPerDeviceMax,
                own.byteCount + size <= Self.byteCountPerDeviceMax
            else { throw .full }
            own.entryCount += 1
            own.byteCount += size
            usage[device] = own
        }
        byteCount += size
    }
}
