/// The limits of each ``DoorRoom`` on the number of connections, their time, and the bytes that each may send: the
/// one table of these numbers.
///
/// `docs/protocol/channel.md` §7 shows the same table, and a test compares the two.
package struct DoorLimits: Hashable, Sendable {
    /// The limits of one room.
    package struct Row: Hashable, Sendable {
        /// Connections in all; at least 1.
        package var count: Int
        /// Connections from one address; at least 1.
        package var countPerAddress: Int
        /// The time that a connection may stay, in milliseconds, from the end of its handshake on or from its entry
        /// into the room; `nil` = as long as a session may last.
        package var milliseconds: UInt64?
        /// The longest message that is taken, in bytes; of a longer one no more than this is ever held.
        package var messageByteCountMax: Int
        /// Whether a longer message is dropped rather than a violation: longer messages are of no interest in this
        /// room.
        package var dropsLongerMessages: Bool

        /// Limits of one room.
        package init(
            count: Int,
            countPerAddress: Int,
            milliseconds: UInt64?,
            messageByteCountMax: Int = DoorLimits.smallMessageByteCountMax,
            dropsLongerMessages: Bool = false
        ) {
            precondition(count > 0 && countPerAddress > 0, "a room without places lets nobody in")
            self.count = count
            self.countPerAddress = countPerAddress
            self.milliseconds = milliseconds
            self.messageByteCountMax = messageByteCountMax
            self.dropsLongerMessages = dropsLongerMessages
        }
    }

    /// The longest message of a connection that may send no more than it needs to be known: 64 KiB.
    package static let smallMessageByteCountMax = 65_536
    /// The longest message of a device that runs are taken from: 20 MiB.
    package static let largeMessageByteCountMax = 20 << 20

    /// The time that both sides have from the connection to the end of the handshake, in milliseconds.
    package var handshakeMilliseconds: UInt64 = ChannelLimits.handshakeDeadlineMilliseconds
    /// The number of connections that an address may make at once after a rest; at least 1.
    package var burst = 20
    /// The time after which an address may make one more connection, in milliseconds; at least 1.
    package var refillMilliseconds: UInt64 = 500
    /// Addresses that are remembered, at least 1; all further ones share one bucket.
    package var addressCountMax = 8_192

    private var rows: [DoorRoom: Row] = [
        .accepted: Row(
            count: 128,
            countPerAddress: 8,
            milliseconds: ChannelLimits.handshakeDeadlineMilliseconds,
            messageByteCountMax: ChannelPreamble.byteCount
        ),
        .fleet: Row(count: 32, countPerAddress: 8, milliseconds: 10_000),
        .zone: Row(count: 32, countPerAddress: 8, milliseconds: 10_000),
        // A relay may have to be asked between the question and the answer.
        .invitation: Row(count: 16, countPerAddress: 4, milliseconds: 30_000),
        .ticket: Row(count: 8, countPerAddress: 4, milliseconds: 30_000),
        .enrolment: Row(count: 16, countPerAddress: 8, milliseconds: 30_000),
        .recovery: Row(count: 8, countPerAddress: 4, milliseconds: 30_000),
        // A device searches for 45 seconds.
        .joining: Row(count: 1, countPerAddress: 1, milliseconds: 60_000),
        .relay: Row(count: 64, countPerAddress: 16, milliseconds: 15_000),
        // Accepted there are account entries, which come in parts when they are long, and pings.
        .confirming: Row(count: 32, countPerAddress: 8, milliseconds: 15_000, dropsLongerMessages: true),
        // A run may be as long as an admitted device's. Two devices at a time are enough: each tries again until it
        // has uploaded all.
        .removed: Row(
            count: 2,
            countPerAddress: 2,
            milliseconds: 75_000,
            messageByteCountMax: DoorLimits.largeMessageByteCountMax
        ),
        // Only runs are longer, and runs of a guest are not accepted.
        .guest: Row(count: 16, countPerAddress: 8, milliseconds: nil, dropsLongerMessages: true),
        .admitted: Row(
            count: 512,
            countPerAddress: 512,
            milliseconds: nil,
            messageByteCountMax: DoorLimits.largeMessageByteCountMax
        ),
    ]

    /// The numbers of the product; tests shrink them.
    package init() {}

    /// The limits of a room.
    package subscript(room room: DoorRoom) -> Row {
        get { rows[room] ?? Row(count: 1, countPerAddress: 1, milliseconds: 0) }
        set { rows[room] = newValue }
    }
}
