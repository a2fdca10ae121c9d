package import Wire

/// As whom the author of a log speaks, by the right that the log is written under.
///
/// ```
/// 1 owner    2 ‖ WriteScope: participant    3 unknown
/// ```
package enum LogRole: Hashable, Sendable {
    /// As the zone's owner: its operations count as far as the log is not cut.
    case owner
    /// As an account that the zone was shared with: of its operations those count that lie within the scope, and it has
    /// no say about checkpoints or the end of the zone.
    case participant(WriteScope)
    /// It is not known yet, or the right never held: nothing that it says about the zone has an effect.
    case unknown
}

extension LogRole: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .owner:
            writer.writeByte(1)
        case .participant(let scope):
            writer.writeByte(2)
            writer.write(scope)
        case .unknown:
            writer.writeByte(3)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 1: self = .owner
        case 2: self = .participant(try WriteScope(from: &reader))
        case 3: self = .unknown
        default: throw .invalidValue("role of a log")
        }
    }
}

/// What is decided about a log outside of the replica, by the zone's control log and the accounts' logs.
package struct LogRuling: Hashable, Sendable {
    /// As whom its author speaks.
    package var role: LogRole
    /// Where it ends for everyone; nil when it does not.
    package var cut: LogCut?

    /// Rules a log.
    /// - Parameters:
    ///   - role: As whom its author speaks.
    ///   - cut: Where it ends; nil when it does not.
    package init(role: LogRole = .owner, cut: LogCut? = nil) {
        self.role = role
        self.cut = cut
    }
}
