/// The presentation of a warning, by its code.
struct HealthRule: Sendable {
    /// Milliseconds for which the warning is raised before it is shown: some pass by themselves.
    let delay: UInt64
    /// The codes of warnings that follow from it, and are not shown beside it.
    let effects: Set<String>

    private init(after delay: UInt64 = 0, hides effects: Set<String> = []) {
        (self.delay, self.effects) = (delay, effects)
    }

    /// The rules of all codes that there are; `docs/operations/health.md` has the same list.
    static let all: [String: HealthRule] = [
        "storage.disk_full": HealthRule(hides: ["account.not_settled", "assets.no_room"]),
        "storage.displaced": HealthRule(hides: [
            "storage.disk_full", "account.not_settled", "storage.payloads_missing",
        ]),
        "storage.payloads_missing": HealthRule(),
        "storage.damaged": HealthRule(),
        "log.forked": HealthRule(),
        "device.cloned": HealthRule(hides: ["log.forked", "store.renewed"]),
        // No peer opens a session with a removed device.
        "account.removed": HealthRule(hides: [
            "keys.missing", "devices.without_key", "messages.unopened", "records.unreadable", "peer.unreachable",
            "store.recovering", "zone.offered", "assets.single_copy",
        ]),
        "account.not_settled": HealthRule(),
        "application.disabled": HealthRule(),
        "enrolment.file": HealthRule(),
        "enrolment.lost": HealthRule(),
        "recovery.unreadable": HealthRule(),
        "quarantine.waiting": HealthRule(),
        "zone.crowded": HealthRule(),
        "zone.offered": HealthRule(),
        "invite.refused": HealthRule(),
        "assets.no_room": HealthRule(),
        "store.recovering": HealthRule(),
        "store.older": HealthRule(),
        "store.renewed": HealthRule(),
        "keys.missing": HealthRule(hides: ["records.unreadable"]),
        "devices.without_key": HealthRule(),
        "messages.unopened": HealthRule(),
        // A device that has them may connect at any time: a laptop that sleeps is no trouble.
        "assets.missing": HealthRule(after: 3_600_000),
        "assets.single_copy": HealthRule(),
        "links.root_unavailable": HealthRule(),
        "links.not_watched": HealthRule(),
        "records.unreadable": HealthRule(),
        "keys.unsealed": HealthRule(),
        "channel.downgraded": HealthRule(),
        "relay.storage_unsafe": HealthRule(),
        "clock.ahead": HealthRule(),
        // A clock that is behind makes earlier writes look as if they came from the future.
        "clock.behind": HealthRule(hides: ["clock.was_ahead"]),
        "clock.was_ahead": HealthRule(),
        "descriptors.exhausted": HealthRule(),
        // It keeps a time of its own, since it names several devices.
        "peer.unreachable": HealthRule(),
        // An update restarts Avahi.
        "mdns.unavailable": HealthRule(after: 5_000, hides: ["mdns.no_interface", "mdns.interfaces_left_out"]),
        // A machine that starts has its interfaces a moment later.
        "mdns.no_interface": HealthRule(after: 5_000),
        "mdns.interfaces_left_out": HealthRule(),
    ]
}
