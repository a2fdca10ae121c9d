import Capabilities
import Identity
import Records
import Sync
import Wire

/// A node's knowledge of the readers of a zone when it wrote an operation, for ``KeyLaw``.
struct SealingKnowledge {
    private let evidence: Evidence
    private let keyHolders: ResolvedKeyHolders
    private let zone: ZoneRow
    private let store: MemoryStore
    private let accounts: ReadingAccounts
    /// The rights in the zone; `nil` where there is only one account.
    private let model: RightsModel?

    init(
        _ evidence: Evidence,
        _ keyHolders: ResolvedKeyHolders,
        of zone: ZoneRow,
        in store: MemoryStore,
        _ accounts: ReadingAccounts
    ) throws {
        (self.evidence, self.keyHolders, self.accounts) = (evidence, keyHolders, accounts)
        (self.zone, self.store) = (zone, store)
        model =
            accounts.all.isEmpty
            ? nil : try evidence.rights.model(in: zone, store: store, accounts: accounts.all, ownDevice: nil)
    }

    /// The fault of an operation in the eyes of a node with this knowledge; `nil` if there is none.
    func fault(of entry: OperationLibrary.Entry, at place: OperationLibrary.Place) throws -> String? {
        switch entry.control {
        case .epoch(let bytes):
            let content = try KeyEpoch(decoding: bytes)
            return try fault(of: content.envelopes, to: content.chain.map(\.epoch), at: place)
        case .delivery(let bytes):
            let content = try KeyDelivery(decoding: bytes)
            if content.disclosed != nil, !isOpen { return "discloses a key of a zone that is not public" }
            if try isWaiting(content.epoch) { return "passes on a key without knowing the operation that began it" }
            return try fault(of: content.envelopes, to: [content.epoch], at: place)
        case .epochAgain(let bytes):
            let said = try Operation(decoding: bytes).header.leafHash
            return evidence.library.epochs.values.contains(said) ? nil : "restates an epoch that no device began"
        case nil:
            let epoch = entry.operation.header.epoch
            guard !epoch.isZero else { return isOpen ? nil : "is in clear" }
            let holders = try keyHolders.of(zone, in: store)
            if holders.disclosed.contains(epoch) { return isOpen ? nil : "is sealed under a key that was disclosed" }
            return holders.of(epoch).sorted().first { !isReader($0) }
                .map { "is sealed under a key of \($0.shortText), which may not read it" }
        default: return nil
        }
    }

    private func fault(
        of envelopes: [KeyEnvelope],
        to epochs: [Hash],
        at place: OperationLibrary.Place
    ) throws -> String? {
        let newcomer = try newcomer(envelopes, to: epochs, at: place)
        return stranger(envelopes).map { "gives a key to \($0.shortText)" }
            ?? newcomer.map { "gives \($0.shortText) the key of earlier records" }
    }

    /// Whether all accounts may read.
    private var isOpen: Bool {
        guard let access = model?.publicAccess else { return false }
        return access.world.contains(.read) || access.authenticated.contains(.read)
    }

    private func isReader(_ device: DeviceID) -> Bool {
        guard let model else { return accounts.own?.activeDevices.contains(device) ?? true }
        return accounts.all.states.contains {
            model.hasActive(device, of: $0.key) && model.mayRead($0.key, now: nil)
        }
    }

    /// A recipient that may not read; `nil` if there is none.
    ///
    /// A reader that a member lets in just now may be known to that member alone.
    private func stranger(_ envelopes: [KeyEnvelope]) -> DeviceID? {
        envelopes.map(\.device).first { device in
            !isReader(device)
                && (accounts.all.isEmpty || accounts.all.states.values.contains { $0.devices[device] != nil })
        }
    }

    /// A device that receives keys of earlier epochs in a zone that shows newcomers no history; `nil` if there is
    /// none.
    ///
    /// A device is no newcomer if a device of its account had these keys already; of one of its accounts, where the logs
    /// of two have it.
    private func newcomer(
        _ envelopes: [KeyEnvelope],
        to epochs: [Hash],
        at place: OperationLibrary.Place
    ) throws -> DeviceID? {
        guard zone.genesis.history == .fromJoin, !accounts.all.isEmpty, !epochs.isEmpty else { return nil }
        let rows = try store.logs(zone: zone.id).filter { $0.key.lane == .control }
        // The inspected operation itself does not count as an earlier delivery.
        let holders = try KeyHolders(rows, in: store) { row in
            row.key == place.key ? min(row.size, place.counter - 1) : row.size
        }
        func owners(of device: DeviceID) -> Set<AccountID> {
            Set(accounts.all.states.filter { $0.value.devices[device] != nil }.keys)
        }
        for epoch in epochs {
            let having = holders.of(epoch).reduce(into: Set<AccountID>()) { $0.formUnion(owners(of: $1)) }
            let newcomer = envelopes.map(\.device).first { device in
                let own = owners(of: device)
                return !own.isEmpty && own.isDisjoint(with: having)
            }
            if let newcomer { return newcomer }
        }
        return nil
    }

    /// Whether a store holds the operation that begins an epoch, and it waits for its causes.
    private func isWaiting(_ epoch: Hash) throws -> Bool {
        try evidence.library.epochs.contains { place, hash in
            guard hash == epoch, let row = try store.log(place.key), row.size >= place.counter else { return false }
            // Above the end of a log, operations wait for nothing.
            return row.appliedSize < place.counter && row.cut == nil && row.forkProof == nil
        }
    }
}
