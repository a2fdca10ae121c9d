import KairanInterface
import Wire

// The programs that run at the connected devices, beside the one that runs here.
extension Examination {
    /// The side of two programs that is too old for the other.
    private enum Gap {
        case older, newer
    }

    /// Looks for programs that are more than one minor version away from this one, or know other messages.
    func programs(_ code: String) -> CheckOutcome {
        let connected = peers.filter { $0.state == .connected }
        guard let program, !connected.isEmpty else {
            return CheckOutcome(
                good: code,
                "No other device is connected, whose program could be compared with this one."
            )
        }
        var (older, newer): ([PeerStatus], [PeerStatus]) = ([], [])
        for peer in connected {
            switch peer.program.flatMap({ gap(from: program, to: $0) }) {
            case .older?: older.append(peer)
            case .newer?: newer.append(peer)
            case nil: break
            }
        }
        guard !older.isEmpty || !newer.isEmpty else { return CheckOutcome(good: code, fitting(connected, program)) }
        let found = (older + newer).map { peer in
            "\(name(peer)) runs \(peer.program.map { "\($0.version) (messages \($0.revision))" } ?? "another program")"
        }
        let fixes =
            (older.isEmpty ? [] : ["Update kairand on \(older.map(name).joined(separator: ", "))."])
            + (newer.isEmpty ? [] : ["Update kairand here."])
        return CheckOutcome(
            code,
            .warning,
            "\(found.joined(separator: ", ")), and this device \(program.version) (messages \(program.revision)).",
            fix: fixes.joined(separator: " ")
        )
    }

    /// The distance of a program from this one; nil where the two fit.
    private func gap(from program: ProgramNote, to other: ProgramNote) -> Gap? {
        if other.revision != program.revision { return other.revision < program.revision ? .older : .newer }
        guard let (major, minor) = Self.release(other.version), let own = Self.release(program.version)
        else { return nil }
        if major != own.major { return major < own.major ? .older : .newer }
        guard max(minor, own.minor) - min(minor, own.minor) > 1 else { return nil }
        return minor < own.minor ? .older : .newer
    }

    /// The first two numbers of a version; nil where it does not begin with such.
    private static func release(_ version: String) -> (major: UInt32, minor: UInt32)? {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, let major = UInt32(parts[0]), let minor = UInt32(parts[1]) else { return nil }
        return (major, minor)
    }

    private func fitting(_ connected: [PeerStatus], _ program: ProgramNote) -> String {
        let versions = Set(connected.compactMap { $0.program?.version }).sorted()
        let silent = connected.filter { $0.program == nil }
        let said =
            versions.isEmpty
            ? "No connected device reports its program"
            : "The connected devices run \(versions.joined(separator: ", "))"
        guard !silent.isEmpty, !versions.isEmpty else { return "\(said); this one runs \(program.version)." }
        return "\(said); this one runs \(program.version). Not reported by \(silent.map(name).joined(separator: ", "))."
    }

    private func name(_ peer: PeerStatus) -> String { peer.name.isEmpty ? peer.device.shortText : peer.name }
}
