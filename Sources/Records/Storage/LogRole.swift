package import Wire

/// The role in which the author of a log speaks, by the right that the log is written under.
///
/// ```
/// 1 owner    2 ‖ WriteScope: participant    3 unknown    4 ‖ size varint ‖ LogRole: ended, of one that is not itself
/// ```
package indirect enum LogRole: Hashable, Sendable {
    /// The zone's owner: its operations are effective as far as the log is not cut.
    case owner
    /// An account that the zone was shared with: its operations within the scope are effective, and it has no say
    /// about checkpoints or the end of the zone.
    case participant(WriteScope)
    /// The role is not known yet, or the right was never valid: the author's statements about the zone have no
    /// effect.
    case unknown
    /// Of a control log alone: one of the other roles up to a size; operations behind it are held and have no effect.
    ///
    /// A transfer or a leave makes this cut, and that operation may itself lie above its own cut or above another one:
    /// so the whole log is stored. A control log of a removed device of the owner, or of a former owner, has this role too: its
    /// checkpoints raise no cut.
    case ended(LogRole, at: UInt64)
}

extension LogRole {
    /// The role in which the author speaks with the operation of a counter; `.unknown` if it has no effect.
    func role(at counter: UInt64) -> LogRole {
        guard case .ended(let role, let size) = self else { return self }
        return counter <= size ? role : .unknown
    }

    /// Whether an account in this role may add records, and decide which accounts get the keys that seal them.
    package var mayAppend: Bool {
        switch self {
        case .owner: true
        case .participant(let scope): scope.level >= .append
        case .unknown, .ended: false
        }
    }

    /// Whether an account in this role may write effective operations in the zone's control log.
    package var maySpeak: Bool {
        switch self {
        case .owner, .participant: true
        case .unknown, .ended: false
        }
    }

    /// The role in which the author speaks, or spoke.
    package var present: LogRole {
        if case .ended(let role, _) = self { role } else { self }
    }
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
        case .ended(let role, let size):
            writer.writeByte(4)
            writer.writeVarint(size)
            writer.write(role)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readByte()
        guard tag == 4 else {
            self = try Self.plain(tag, from: &reader)
            return
        }
        let size = try reader.readVarint()
        self = .ended(try Self.plain(try reader.readByte(), from: &reader), at: size)
    }

    private static func plain(_ tag: UInt8, from reader: inout WireReader) throws(WireError) -> LogRole {
        switch tag {
        case 1: .owner
        case 2: .participant(try WriteScope(from: &reader))
        case 3: .unknown
        default: throw .invalidValue("role of a log")
        }
    }
}

/// A ruling on a log that is made outside of the replica, by the zone's control log and the accounts' logs.
package struct LogRuling: Hashable, Sendable {
    /// The role in which its author speaks.
    package var role: LogRole
    /// The place where it ends for all replicas; nil if it has no end.
    package var cut: LogCut?

    /// Rules a log.
    /// - Parameters:
    ///   - role: The role in which its author speaks.
    ///   - cut: The place where it ends; nil if it has no end.
    package init(role: LogRole = .owner, cut: LogCut? = nil) {
        self.role = role
        self.cut = cut
    }
}
