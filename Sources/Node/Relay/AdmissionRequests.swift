import Identity
import Logging
import Mailbox
import Peering
import Sodium
import Sync
import Wire

/// Answers requests about the accounts that this machine, as a relay, keeps parcels for.
struct AdmissionRequests: AdmissionAPI {
    let store: CallerStore
    /// The relay; `nil` on a machine that is none.
    let relay: RelayService?
    /// The addresses of the relay in this network.
    let ownAddresses: @Sendable () -> [String]

    func admissions() async throws(NodeError) -> [AdmissionStatus] {
        let storage = try keeper().storage
        let all = try await keeping { try await storage.admissions() }
        let passes = Dictionary(grouping: all.filter { $0.admission.pass != nil }) { $0.admission.pass?.giver }
        return all.filter { $0.admission.pass == nil }.map {
            AdmissionStatus($0, passes: passes[$0.admission.id] ?? [], backend: storage.backend)
        }
    }

    func admit(
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
                addresses: addresses.isEmpty ? Array(ownAddresses().prefix(RelayLink.addressCountMax)) : addresses
            )
        } catch {
            throw Self.noLink(error)
        }
        let admission = Admission(
            id: AdmissionID(secret: secret),
            name: name,
            quota: quota,
            since: store.commitService.clock.wall()
        )
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

    func dismiss(_ reference: String) async throws(NodeError) {
        let storage = try keeper().storage
        let all = try await keeping { try await storage.admissions() }
        guard let admission = AdmissionID.meant(by: reference, among: all.map(\.admission.id)) else {
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
            throw store.told(error)
        } catch {
            store.commitService.logger.error("the relay's storage failed", metadata: ["error": "\(error)"])
            throw NodeError(
                .storageFailed,
                "The relay's storage of parcels does not answer.",
                fix: "The daemon's log has the reason."
            )
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
