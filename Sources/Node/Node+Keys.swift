import Identity
import Records
import Sync
import Wire

// The warnings for people about keys of zones.
extension Node {
    /// Raises or clears the warnings about keys of zones; called each minute.
    func noteKeys() async throws {
        guard identity.isSealing else { return }
        // A removed device has no later key, and has the warning that it was removed.
        let isMember = identity.standing(of: identity.device) == .active
        let (waiting, locked, failed) = try await storage.read { [self] transaction in
            let zones = try rows(transaction).filter { $0.state == .live && replica.committer.isCurrent($0) }
            let waiting = zones.filter {
                $0.sealing == .waiting && isMember && identity.mayWrite && $0.role.mayAppend
            }
            var locked: [(name: String, count: Int)] = []
            // A relay keeps records that it cannot read; that is its purpose.
            let isReader = identity.accountState.standing(of: identity.device) != .active(.relayOnly)
            for zone in zones where isReader {
                let count = try transaction.lockedRecords(zone: zone.id, after: nil, limit: Self.lockedCountMax).count
                if count > 0 { locked.append((zone.genesis.name, count)) }
            }
            return (waiting.map { (id: $0.id, name: $0.genesis.name) }, locked, try transaction.failedMessageCount())
        }
        // Between the removal of a member and the next key there may be a moment without any.
        let lasting = replica.keyless(Set(waiting.map(\.id)))
        note(
            Self.keyMissingCode,
            .warning,
            waiting.filter { lasting.contains($0.id) }.map(\.name),
            { "Nothing can be written in \($0): there is no key that exactly the devices of all readers have." },
            fix:
                "Let this device meet the zone's other devices. If that does not help, see /usr/share/doc/kairan/docs/operations/keys.md."
        )
        note(
            Self.unreadableCode,
            .info,
            locked.map { "\($0.name) (\($0.count < Self.lockedCountMax ? "" : "at least ")\($0.count))" },
            { "Records have parts that are sealed under a key which is not here: \($0)." },
            fix:
                "Let this device meet the zone's others. Parts that no device can read can be replaced: /usr/share/doc/kairan/docs/operations/keys.md."
        )
        note(
            Self.unopenedCode,
            .warning,
            failed == 0 ? [] : ["\(failed)"],
            { "Messages for this device that cannot be opened here: \($0)." },
            fix: "Their senders were asked to seal them again: let this device meet the senders' devices."
        )
        let account = identity.accountState
        note(
            Self.deviceWithoutKeyCode,
            .warning,
            account.activeDevices.filter { $0 != identity.device }.compactMap { account.devices[$0] }
                .filter { $0.role != .relayOnly && !identity.canSeal(to: $0.certificate) }.map(\.name),
            { "Devices of this account cannot read new writes, because they publish no key to seal to: \($0)." },
            fix: "Update Kairan there and start it; the missing writes are then delivered."
        )
    }

    /// Records of one zone that are counted.
    private static let lockedCountMax = 1_000

    /// The warning that is raised while a zone has no key to write under.
    static let keyMissingCode = "keys.missing"
    /// The warning that is raised while something cannot be read.
    static let unreadableCode = "records.unreadable"
    /// The warning that is raised while there are messages for this device that cannot be opened.
    static let unopenedCode = "messages.unopened"
    /// The warning that is raised while a device of the account states no key to which others could seal.
    static let deviceWithoutKeyCode = "devices.without_key"

    private func note(
        _ code: String,
        _ severity: HealthWarning.Severity,
        _ names: [String],
        _ message: (String) -> String,
        fix: String
    ) {
        guard !names.isEmpty else { return replica.health.clear(code) }
        let listed = names.sorted().joined(separator: ", ")
        replica.health.set(HealthWarning(code: code, severity: severity, message: message(listed), fix: fix))
    }
}
