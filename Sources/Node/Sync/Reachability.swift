import Identity
import Peering
import Sync
import Wire

/// The devices that are in sight and not reached, and why.
///
/// Before a handshake it is not known which device an instance in sight is. It is recognised by an address at which
/// the device was met before, or because only one device and one instance are left; otherwise the warning names the
/// address alone.
struct Reachability: Sendable {
    /// Another device of this account.
    struct Member: Sendable {
        /// The device.
        let device: DeviceID
        /// Its name in the account.
        let name: String
        /// The hosts at which it was met before.
        let hosts: Set<String>
    }

    /// A device with a session, of this account or another one.
    struct Connected: Sendable {
        /// The device.
        let device: DeviceID
        /// The host that its session leads to.
        let host: String
        /// The port on which it listens.
        let port: UInt16
    }

    /// An instance in sight to which no dial has led.
    struct Unreached: Sendable, Equatable {
        /// The address at which it claims to listen.
        let address: PeerAddress
        /// The dials that led nowhere.
        let trouble: DialTrouble
    }

    /// Time before there is a warning, in milliseconds: a machine that wakes up is announced before it answers.
    static let warningMilliseconds: UInt64 = 10_000
    /// The code of the warning.
    static let code = "peer.unreachable"

    /// The devices that are known to be behind an instance that is not reached.
    private(set) var unreached: [DeviceID: Unreached] = [:]
    /// The instances whose device is not known.
    private(set) var strangers: [Unreached] = []
    private var names: [DeviceID: String] = [:]

    /// Creates an empty state.
    init() {}

    /// Tells which instance is which device.
    /// - Parameters:
    ///   - instances: Those that were dialled and not reached.
    ///   - members: The other devices of this account.
    ///   - connected: The devices that have a session.
    init(_ instances: [TroubledInstance<PeerRoute>], members: [Member], connected: [Connected]) {
        // A device that has called us listens there.
        var unknown = instances.filter { instance in
            let address = instance.address.address
            return !connected.contains { $0.host == address.host && $0.port == address.port }
        }
        let present = Set(connected.map(\.device))
        var left = members.filter { !present.contains($0.device) }.sorted { $0.device < $1.device }
        names = Dictionary(uniqueKeysWithValues: left.map { ($0.device, $0.name) })
        func isFound(_ instance: TroubledInstance<PeerRoute>, where isDevice: (Member) -> Bool) -> Bool {
            guard let index = left.firstIndex(where: isDevice) else { return false }
            unreached[left.remove(at: index).device] = Unreached(instance)
            return true
        }
        unknown = unknown.filter { instance in !isFound(instance) { $0.device == instance.device } }
        // An instance that a session has shown to be another device is not taken for one of these.
        unknown = unknown.filter { instance in
            instance.device != nil || !isFound(instance) { $0.hosts.contains(instance.address.address.host) }
        }
        // Under a zone's key it is a device of another account.
        let own = unknown.filter { if case .zone = $0.address.key { false } else { true } }
        let unbound = own.filter { $0.device == nil }
        if unbound.count == 1, left.count == 1, isFound(unbound[0], where: { _ in true }) {
            unknown.removeAll { $0 == unbound[0] }
        }
        // If no device is missing, it is a device that has called us: calls go through in one direction only.
        if left.isEmpty { unknown.removeAll(where: own.contains) }
        strangers = unknown.map(Unreached.init)
    }

    /// The warning that is raised.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: Nil while all that is in sight is reached, or was tried for a short time only.
    func warning(at now: UInt64) -> HealthWarning? {
        let named = unreached.sorted { $0.key < $1.key }.map { (names[$0.key] ?? $0.key.shortText, $0.value) }
        let all = named + strangers.map { ("a device", $0) }
        let lasting = all.filter { now >= $0.1.trouble.since + Self.warningMilliseconds }
        guard let first = lasting.first else { return nil }
        let shown = lasting.prefix(4).map { "\($0.0) is seen at \($0.1.address): \($0.1.trouble.obstacle.words)" }
        let more = lasting.count > shown.count ? [" and \(lasting.count - shown.count) more"] : []
        return HealthWarning(
            code: Self.code,
            severity: .warning,
            message: "In sight and not reached: \((shown + more).joined(separator: "; ")).",
            fix: first.1.fix
        )
    }
}

extension Reachability.Unreached {
    init(_ instance: TroubledInstance<PeerRoute>) {
        self.init(address: instance.address.address, trouble: instance.trouble)
    }

    /// The way out, for people.
    var fix: String {
        switch trouble.obstacle {
        case .silence:
            "A firewall there most likely drops it: open TCP port \(address.port) on that machine."
        case .refused:
            "No program listens there: look at `systemctl status kairand` on that machine."
        case .noRoute:
            "A firewall there rejects it, or no route leads there: open TCP port \(address.port) on that machine, and look at "
                + "`ip route get \(address.host)` here."
        case .ignored:
            "Compare `kairan device ls` and the versions in `kairan status` on both machines."
        case .other:
            "Look at the log of that machine: `journalctl --unit kairand`."
        }
    }
}

extension PeerTrouble {
    /// The obstacle, by the clock that people read.
    init(_ unreached: Reachability.Unreached, clock: NodeClock) {
        let age = clock.monotonic() &- unreached.trouble.since
        self.init(
            error: unreached.trouble.obstacle.words,
            sinceMilliseconds: clock.wall() &- age,
            fix: unreached.fix
        )
    }
}

extension DialObstacle {
    /// The obstacle of a dial that failed; nil where a device was reached.
    init?(_ failure: DialFailure) {
        switch failure {
        case .ourselves: return nil
        case .ignored: self = .ignored
        case .silence: self = .silence
        case .refused: self = .refused
        case .noRoute(let words): self = .noRoute(words)
        case .unreachable(let words): self = .other(words)
        }
    }

    /// The words for people.
    var words: String {
        switch self {
        case .silence: DialFailure.silence.description
        case .refused: DialFailure.refused.description
        case .ignored: "it closes the connection without a message"
        case .noRoute(let words), .other(let words): words
        }
    }
}
