import Wire

// Whether other devices can connect to this one, as they have tried.
extension Examination {
    /// Looks for connected devices that have tried to connect to this one and could not.
    func reachableHere(_ code: String) -> CheckOutcome {
        guard let port else {
            return CheckOutcome(good: code, "The daemon does not listen, so that no device was asked to connect to it.")
        }
        let connected = peers.filter { $0.state == .connected }
        let reached = connected.filter { reach[$0.device] == .reached }
        let refused = connected.filter { reach[$0.device] == .refused }
        let silent = connected.filter { reach[$0.device] == .silent }
        guard !refused.isEmpty || !silent.isEmpty else {
            let words =
                reached.isEmpty
                ? "No connected device has tried to connect to TCP port \(port) of this one"
                : "\(names(reached)) can connect to TCP port \(port) of this device"
            return CheckOutcome(good: code, words + ".")
        }
        let found =
            (silent.isEmpty ? [] : ["\(names(silent)) got no answer within three seconds"])
            + (refused.isEmpty ? [] : ["\(names(refused)) was turned away"])
        // Where others get through the port is open, and the way from that device is another one.
        return CheckOutcome(
            code,
            reached.isEmpty ? .warning : .info,
            "Trying to connect to TCP port \(port) of this device, \(found.joined(separator: "; "))."
                + (reached.isEmpty ? "" : " \(names(reached)) can."),
            fix:
                "Let the port in here, `sudo ufw allow Kairan` or `sudo firewall-cmd --permanent --add-service=kairan` and "
                + "`sudo firewall-cmd --reload`\(port == Self.usualPort ? "" : ", with port \(port) instead of the profile's"). "
                + "Behind a router that translates addresses it is as it should be: the session stands, since this device has connected."
        )
    }

    /// The port that the profiles for firewalls open.
    private static let usualPort: UInt16 = 7_621

    private func names(_ peers: [PeerStatus]) -> String {
        peers.map { $0.name.isEmpty ? $0.device.shortText : $0.name }.joined(separator: ", ")
    }
}
