package import Wire

/// Keeps one session for each pair of devices, by a rule that both sides decide alike.
///
/// Two nodes that dial each other at once end up with two channels; a node that lost its channel without noticing
/// gets a second one from its peer. The *boot* number, random for each process start and carried in the handshake,
/// distinguishes the two kinds: two channels between the same two boots, one dialled by each side, are a simultaneous
/// dial, of which the one begun by the device with the smaller id stays. In all other cases the newer channel stays,
/// since no node dials a peer to which it believes to be connected. That holds too when the older channel has stood
/// for longer than two dials can be apart: then the peer, still the same process, has lost it.
package struct SessionArbiter: Sendable {
    /// A session, as the rule compares it.
    package struct Entry: Sendable, Equatable {
        /// The connection.
        package var connection: UInt64
        /// The peer's process.
        package var boot: [UInt8]
        /// Whether this side dialled.
        package var isInitiator: Bool
        /// The time at which it began, in milliseconds of the monotonic clock.
        package var openedAt: UInt64

        /// Describes a session.
        package init(connection: UInt64, boot: [UInt8], isInitiator: Bool, openedAt: UInt64 = 0) {
            self.connection = connection
            self.boot = boot
            self.isInitiator = isInitiator
            self.openedAt = openedAt
        }
    }

    /// The decision about a new session.
    package enum OnOpened: Sendable, Equatable {
        /// It stays and is the only one.
        case keep
        /// It stays; the older one is to be closed.
        case replace(connection: UInt64)
        /// It is to be closed; the older one stays.
        case refuse
    }

    /// How far apart two channels can begin that were dialled at the same time, in milliseconds: a dial takes at most
    /// 10 seconds, and the sides may see its end as much apart.
    package static let simultaneousMilliseconds: UInt64 = 20_000

    private let localDevice: DeviceID
    private var entries: [DeviceID: Entry] = [:]

    /// Starts with no session.
    package init(localDevice: DeviceID) {
        self.localDevice = localDevice
    }

    /// Decides about a new session and keeps the result.
    package mutating func opened(_ entry: Entry, device: DeviceID) -> OnOpened {
        assert(device != localDevice, "a device has no session with itself")
        assert(entries[device]?.connection != entry.connection, "a connection is opened once")
        guard let older = entries[device] else {
            entries[device] = entry
            return .keep
        }
        let isSimultaneous =
            older.boot == entry.boot && older.isInitiator != entry.isInitiator
            && entry.openedAt < older.openedAt + Self.simultaneousMilliseconds
        if isSimultaneous {
            let initiatorIsLocal = localDevice < device
            if entry.isInitiator != initiatorIsLocal { return .refuse }
        }
        entries[device] = entry
        return .replace(connection: older.connection)
    }

    /// Forgets a session; a connection that was replaced or refused changes nothing.
    /// - Returns: Whether the device has no session any more.
    package mutating func closed(_ connection: UInt64, device: DeviceID) -> Bool {
        guard entries[device]?.connection == connection else { return false }
        entries[device] = nil
        return true
    }
}
