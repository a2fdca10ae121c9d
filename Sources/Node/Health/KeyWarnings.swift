import Identity
import Records
import Sync
import Synchronization
import Wire

/// The warnings for people about keys of zones.
final class KeyWarnings: Sendable {
    /// Facts of the store that people are warned of.
    private struct Lack: Sendable {
        /// Zones in which this device could write if it had a key.
        var keyless: [ZoneID: String] = [:]
        /// Zones with records that cannot be read here, and the number of these.
        var locked: [(name: String, count: Int)] = []
        /// Messages for this device that do not open.
        var unopenedMessages = 0
    }

    private let store: CallerStore
    /// The zones that had no key when this was looked at last.
    private let keyless = Mutex<Set<ZoneID>>([])

    /// The warnings about one store.
    init(_ store: CallerStore) {
        self.store = store
    }

    /// Raises the warnings, or clears them; called each minute.
    func look() async throws {
        guard store.identity.isSealing else { return }
        let lack = try await lack()
        // Between the removal of a member and the next key there may be a moment without any.
        let lasting = keyless.withLock { keyless in
            defer { keyless = Set(lack.keyless.keys) }
            return lack.keyless.filter { keyless.contains($0.key) }.values.sorted()
        }
        let health = store.commitService.health
        health.set(
            Self.keyMissingCode,
            .warning,
            listing: lasting,
            { "Nothing can be written in \($0): there is no key that exactly the devices of all readers have." },
            fix:
                "Let this device meet the zone's other devices. If that does not help, see /usr/share/doc/kairan/docs/operations/keys.md."
        )
        health.set(
            Self.unreadableCode,
            .info,
            listing: lack.locked.map { "\($0.name) (\($0.count < Self.lockedCountMax ? "" : "at least ")\($0.count))" }
                .sorted(),
            { "Records have parts that are sealed under a key which is not here: \($0)." },
            fix:
                "Let this device meet the zone's others. Parts that no device can read can be replaced: /usr/share/doc/kairan/docs/operations/keys.md."
        )
        health.set(
            Self.unopenedCode,
            .warning,
            listing: lack.unopenedMessages == 0 ? [] : ["\(lack.unopenedMessages)"],
            { "Messages for this device that cannot be opened here: \($0)." },
            fix: "Their senders were asked to seal them again: let this device meet the senders' devices."
        )
        health.set(
            Self.deviceWithoutKeyCode,
            .warning,
            listing: devicesWithoutKey,
            { "Devices of this account cannot read new writes, because they publish no key to seal to: \($0)." },
            fix: "Update Kairan there and start it; the missing writes are then delivered."
        )
    }

    private func lack() async throws -> Lack {
        let identity = store.identity
        // A removed device has no later key, and has the warning that it was removed.
        let isWriter = identity.standing(of: identity.device) == .active && identity.mayWrite
        return try await store.storage.read { [store] transaction in
            let committer = store.committer
            var lack = Lack()
            // A relay keeps records that it cannot read; that is its purpose.
            let isReader = identity.accountState.standing(of: identity.device) != .active(.relayOnly)
            for zone in try store.zones.all(in: transaction) where zone.state == .live && committer.isCurrent(zone) {
                if isWriter, zone.sealing == .waiting, zone.role.mayAppend { lack.keyless[zone.id] = zone.genesis.name }
                guard isReader else { continue }
                let count = try transaction.lockedRecords(zone: zone.id, after: nil, limit: Self.lockedCountMax).count
                if count > 0 { lack.locked.append((zone.genesis.name, count)) }
            }
            lack.unopenedMessages = try transaction.failedMessageCount()
            return lack
        }
    }

    private var devicesWithoutKey: [String] {
        let (identity, account) = (store.identity, store.identity.accountState)
        return account.activeDevices.filter { $0 != identity.device }.compactMap { account.devices[$0] }
            .filter { $0.role != .relayOnly && !identity.canSeal(to: $0.certificate) }.map(\.name).sorted()
    }

    /// Records of one zone that are counted.
    private static let lockedCountMax = 1_000

    /// The warning that is raised while a zone has no key to write under.
    private static let keyMissingCode = "keys.missing"
    /// The warning that is raised while something cannot be read.
    private static let unreadableCode = "records.unreadable"
    /// The warning that is raised while there are messages for this device that cannot be opened.
    private static let unopenedCode = "messages.unopened"
    /// The warning that is raised while a device of the account states no key to which others could seal.
    private static let deviceWithoutKeyCode = "devices.without_key"
}
