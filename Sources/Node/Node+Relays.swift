import KairanInterface
import Identity
import Logging
import Mailbox
import Peering
import Sodium
import Sync
import Wire

extension Node {
    // MARK: Relays that the account uses

    /// See `RelayAPI`.
    package func relays() async throws(NodeError) -> [RelayStatus] {
        let standings = await mail.standings()
        let (uses, facts) = try await reading { [replica] transaction in
            let committer = replica.committer
            return (try RelayUses(committer).all(transaction), try RelayAnnouncements(committer).facts(in: transaction))
        }
        let waiting = try await reading { [replica] transaction in
            try facts.relays.map { relay in
                let id = relay.links.first?.relay ?? .zero
                return UInt64(try PostedParcels(replica.committer).all(on: id, in: transaction).count)
            }
        }
        let account = identity.account
        return zip(facts.relays, waiting).compactMap { relay, count in
            guard let link = relay.links.first else { return nil }
            let known = standings.first { $0.relay.links == relay.links }
            return RelayStatus(
                relay: link.relay,
                addresses: link.addresses,
                state: known.map { Relay.State($0.state) } ?? .connecting,
                isOwn: relay.isOwn,
                accounts: relay.accounts.subtracting([account]).sorted(),
                storedByteCount: known?.used,
                quotaByteCount: known?.quota,
                backend: known?.backend,
                waitingCount: count,
                sinceMilliseconds: uses.first { $0.link == link }?.since
            )
        }
    }

    /// See `RelayAPI`.
    package func useRelay(link text: String) async throws(NodeError) -> (relay: RelayStatus, isNew: Bool) {
        let link: RelayLink
        do {
            link = try RelayLink(typed: text)
        } catch {
            throw NodeError(
                .relayBadLink,
                "This is not a link of a relay: \(error).",
                fix: "Paste the whole link that `kairan relay admit` printed on the relay."
            )
        }
        let isNew = try await noting { committer, transaction in try RelayUses(committer).add(link, in: &transaction) }
        let all = try await relays()
        guard let status = all.first(where: { $0.relay == link.relay }) else {
            throw Self.relayUnknown(link.relay.text)
        }
        return (status, isNew)
    }

    /// See `RelayAPI`.
    package func forgetRelay(_ reference: String) async throws(NodeError) {
        let uses = try await reading { [replica] in try RelayUses(replica.committer).all($0) }
        guard let relay = Self.find(reference, among: uses.map(\.link.relay)) else {
            throw Self.relayUnknown(reference)
        }
        _ = try await noting { committer, transaction in try RelayUses(committer).forget(relay, in: &transaction) }
    }

    /// Writes into the account's book.
    /// - Returns: Whether something was written.
    private func noting(
        _ body: @escaping @Sendable (Committer, inout any NodeTransaction) throws -> CommitNotice
    ) async throws(NodeError) -> Bool {
        try await writing { [replica] transaction in
            try replica.change(&transaction) { committer, _, transaction in
                let notice = try body(committer, &transaction)
                return Changed(notice.number != nil, notice: notice)
            }
        }
    }

    private static func relayUnknown(_ reference: String) -> NodeError {
        NodeError(.relayUnknown, "No relay \"\(reference)\" is used.", fix: "`kairan relay ls` lists them.")
    }

    /// Returns the identifier that a reference means: an id, or the first characters of it that only one has.
    private static func find<Kind: IdentifierKind>(
        _ reference: String,
        among all: [Identifier<Kind>]
    ) -> Identifier<Kind>? {
        guard reference.utf8.count >= 8 else { return nil }
        let fitting = all.filter { $0.text.hasPrefix(reference) }
        return fitting.count == 1 ? fitting.first : nil
    }

    // MARK: As a relay

    /// See `RelayAPI`.
    package func admissions() async throws(NodeError) -> [AdmissionStatus] {
        let storage = try keeper().storage
        let all = try await keeping { try await storage.admissions() }
        let passes = Dictionary(grouping: all.filter { $0.admission.pass != nil }) { $0.admission.pass?.giver }
        return all.filter { $0.admission.pass == nil }.map {
            AdmissionStatus($0, passes: passes[$0.admission.id] ?? [], backend: storage.backend)
        }
    }

    /// See `RelayAPI`.
    package func admit(
        name: String,
        quotaByteCount: UInt64?,
        addresses: [String]
    ) async throws(NodeError) -> (admission: AdmissionStatus, link: String) {
        guard (1...Admission.nameByteCountMax).contains(name.utf8.count) else {
            throw NodeError(
                .invalidArgument,
                "A name has 1 to \(Admission.nameByteCountMax) bytes.",
                fix: "Name the account that it is for, in a few words.",
                facts: [.field("name")]
            )
        }
        let quota = quotaByteCount ?? Admission.usualQuota
        guard quota >= Self.quotaByteCountMin else {
            throw NodeError(
                .invalidArgument,
                "A quota of \(quota) bytes is too small.",
                fix: "Give at least \(Self.quotaByteCountMin) bytes, or none for \(Admission.usualQuota)."
            )
        }
        do {
            try RelayLink.check(addresses)
        } catch {
            throw Self.noLink(error)
        }
        let relay = try keeper()
        let secret = SystemRandom.bytes(RelayLink.secretByteCount)
        let link: RelayLink
        do {
            link = try RelayLink(
                relay: relay.relay,
                channelSecret: relay.channelSecret,
                admissionSecret: secret,
                addresses: addresses.isEmpty ? Array(relayAddresses().prefix(RelayLink.addressCountMax)) : addresses
            )
        } catch {
            throw Self.noLink(error)
        }
        let admission = Admission(id: AdmissionID(secret: secret), name: name, quota: quota, since: clock.wall())
        try await keeping { try await relay.storage.admit(admission) }
        let usage = AdmissionUsage(admission: admission, byteCount: 0, parcelCount: 0)
        return (AdmissionStatus(usage, backend: relay.storage.backend), link.text)
    }

    private static func noLink(_ error: RelayLinkError) -> NodeError {
        NodeError(
            .invalidArgument,
            "No link can be made: \(error).",
            fix: "Name the address under which the devices reach this machine, as host:port.",
            facts: [.field("addresses")]
        )
    }

    /// Below this an admission cannot keep a quarter of a few parcels: 1 MiB.
    private static let quotaByteCountMin: UInt64 = 1 << 20

    /// See `RelayAPI`.
    package func dismiss(_ reference: String) async throws(NodeError) {
        let storage = try keeper().storage
        let all = try await keeping { try await storage.admissions() }
        guard let admission = Self.find(reference, among: all.map(\.admission.id)) else {
            throw NodeError(
                .admissionUnknown,
                "There is no admission \"\(reference)\".",
                fix: "`kairan relay usage` lists them."
            )
        }
        _ = try await keeping { try await storage.dismiss(admission) }
    }

    private func keeper() throws(NodeError) -> RelayService {
        guard let relay else {
            throw NodeError(
                .relayOff,
                "This machine is not a relay for parcels.",
                fix: "Start its daemon with --relay, or set relay: true in its configuration."
            )
        }
        return relay
    }

    private func keeping<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws(NodeError) -> Value {
        do {
            return try await body()
        } catch ParcelStorageError.tooMany {
            throw NodeError(
                .admissionTooMany,
                "There are \(Admission.countMax) admissions.",
                fix: "`kairan relay dismiss` ends one that is no longer used."
            )
        } catch let error as StorageError {
            throw told(error)
        } catch {
            logger.error("the relay's storage failed", metadata: ["error": "\(error)"])
            throw NodeError(
                .storageFailed,
                "The relay's storage of parcels does not answer.",
                fix: "The daemon's log has the reason."
            )
        }
    }
}

extension Node {
    /// Raises or clears the warning about the storage of a relay's parcels.
    /// - Parameter findings: The findings and their remedies, the worst first.
    package func noteParcelStorage(_ findings: [(words: String, fix: String)]) {
        guard let first = findings.first else {
            replica.health.clear(Self.parcelStorageCode)
            return
        }
        replica.health.set(
            HealthWarning(
                code: Self.parcelStorageCode,
                severity: .warning,
                message: findings.map(\.words).joined(separator: " "),
                fix: first.fix
            )
        )
    }

    /// The warning that is raised while a relay's cluster may lose parcels sooner than it should.
    static let parcelStorageCode = "relay.storage_unsafe"
}

extension Relay.State {
    fileprivate init(_ state: MailboxClient.State) {
        switch state {
        case .unreachable: self = .unreachable
        case .connecting: self = .connecting
        case .connected: self = .connected
        case .full: self = .full
        case .refused: self = .refused
        }
    }
}

extension AdmissionStatus {
    fileprivate init(_ usage: AdmissionUsage, passes: [AdmissionUsage] = [], backend: String) {
        self.init(
            admission: usage.admission.id,
            name: usage.admission.name,
            storedByteCount: usage.byteCount,
            quotaByteCount: usage.admission.quota,
            parcelCount: usage.parcelCount,
            passCount: UInt64(passes.count),
            passByteCount: passes.reduce(0) { $0 + $1.byteCount },
            backend: backend,
            sinceMilliseconds: usage.admission.since
        )
    }
}
