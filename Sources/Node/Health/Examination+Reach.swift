import KairanInterface
import Wire

// Whether other devices can connect to this one, as they have tried.
extension Examination {
    /// Looks for connected devices that have tried to connect to this one and could not.
    ///
    /// Only devices of this account decide: those of others may say what they like.
    func reachableHere(_ code: String) -> CheckOutcome {
        guard let port else {
            return CheckOutcome(good: code, "The daemon does not listen, so no device was asked to connect to it.")
        }
        let said = peers.filter { $0.state == .connected }.compactMap { peer in
            reach[peer.device].map { DeviceStatement(peer, $0, isOwn: peer.account == account) }
        }
        let (own, others) = (ReachStatements(said.filter(\.isOwn)), ReachStatements(said.filter { !$0.isOwn }))
        var check = outcome(code, port, own: own, others: others)
        check.statements = said
        return check
    }

    private func outcome(
        _ code: String,
        _ port: UInt16,
        own: ReachStatements,
        others: ReachStatements
    ) -> CheckOutcome {
        let message = own.sentence(port) + others.aside
        // Devices of other accounts may say what they like: they raise no finding.
        guard own.hasFailed else { return CheckOutcome(good: code, message) }
        // Where others get through the port is open, and the way from that device is another one.
        return CheckOutcome(
            code,
            own.hasReached ? .info : .warning,
            message,
            fix:
                "Open the port here, `sudo ufw allow Kairan` or `sudo firewall-cmd --permanent --add-service=kairan` and "
                + "`sudo firewall-cmd --reload`\(port == Self.usualPort ? "" : ", with port \(port) instead of the profile's"). "
                + "Behind a router that translates addresses no action is needed: this device has connected, and the session is active."
        )
    }

    /// The port that the profiles for firewalls open.
    private static let usualPort: UInt16 = 7_621
}

/// The statements of one side: the devices of this account, or those of others.
private struct ReachStatements {
    private let all: [DeviceStatement]

    init(_ all: [DeviceStatement]) { self.all = all }

    /// Whether some could connect.
    var hasReached: Bool { all.contains { $0.outcome == .reached } }
    /// Whether some could not.
    var hasFailed: Bool { all.contains { $0.outcome == .refused || $0.outcome == .silent } }

    /// The statements of this account's devices.
    func sentence(_ port: UInt16) -> String {
        if hasFailed {
            return "Trying to connect to TCP port \(port) of this device, \(failures)."
                + (hasReached ? " \(named(.reached)) can." : "")
        }
        return hasReached
            ? "\(named(.reached)) can connect to TCP port \(port) of this device."
            : "No connected device of this account has tried to connect to TCP port \(port) of this one."
    }

    /// The statements of other accounts' devices, behind those of this account's; empty without any.
    var aside: String {
        let said = [hasReached ? "\(named(.reached)) can connect" : nil, hasFailed ? failures : nil]
        let all = said.compactMap(\.self).joined(separator: "; ")
        return all.isEmpty ? "" : " Reported by devices of other accounts, without effect on the result: \(all)."
    }

    private var failures: String {
        let (silent, refused) = (named(.silent), named(.refused))
        return [
            silent.isEmpty ? nil : "\(silent) got no answer within three seconds",
            refused.isEmpty ? nil : "\(refused) was refused",
        ].compactMap(\.self).joined(separator: "; ")
    }

    private func named(_ outcome: ReachOutcome) -> String {
        all.filter { $0.outcome == outcome }.map(\.words).joined(separator: ", ")
    }
}

extension DeviceStatement {
    fileprivate init(_ peer: PeerStatus, _ reach: Examination.Reach, isOwn: Bool) {
        self.init(
            device: peer.device,
            name: peer.name,
            isOwn: isOwn,
            outcome: reach.outcome,
            ageMilliseconds: reach.ageMilliseconds
        )
    }

    /// The least age that is shown, in milliseconds: a device has three seconds for its attempt.
    private static let shownMilliseconds: UInt64 = 5_000

    /// The name, and the age of a statement that is not new.
    fileprivate var words: String {
        let name = name.isEmpty ? device.shortText : name
        return ageMilliseconds < Self.shownMilliseconds ? name : "\(name) (\(ageMilliseconds / 1_000) s ago)"
    }
}
