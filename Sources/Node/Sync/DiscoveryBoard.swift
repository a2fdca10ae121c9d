/// The state of mDNS as people see it, with the warnings about it.
struct DiscoveryBoard {
    private static let unavailableCode = "mdns.unavailable"

    /// The interfaces on which other devices are sought, and those that are left alone; nil before the driver has
    /// named them.
    private(set) var interfaces: DiscoveryInterfaces?
    /// Whether Avahi answered last; nil before the driver has said so.
    private var answers: Bool?
    private let health: HealthBoard

    /// Makes a board that reports its warnings to the board of health.
    init(_ health: HealthBoard) {
        self.health = health
    }

    /// Takes in the present interfaces.
    /// - Returns: Whether one is used that was not used before.
    mutating func hasGained(_ interfaces: DiscoveryInterfaces) -> Bool {
        let former = Set(self.interfaces?.used ?? [])
        self.interfaces = interfaces
        let warnings = interfaces.warnings
        for code in DiscoveryInterfaces.warningCodes where !warnings.contains(where: { $0.code == code }) {
            health.clear(code)
        }
        for warning in warnings { health.set(warning) }
        return !former.isSuperset(of: interfaces.used)
    }

    /// Avahi answers.
    mutating func isAvailable() {
        guard answers != true else { return }
        answers = true
        health.clear(Self.unavailableCode)
    }

    /// Avahi does not answer.
    mutating func isUnavailable(because reason: String) {
        guard answers != false else { return }
        answers = false
        health.set(
            HealthWarning(
                code: Self.unavailableCode,
                severity: .warning,
                message:
                    "Avahi does not answer: \(reason). Peers are reached by configured and last known addresses.",
                fix: "Start avahi-daemon and D-Bus, or configure peers."
            )
        )
    }
}
