import Records
import Wire

/// The number of messages that were sealed again in the present hour, for each device that could not open them.
///
/// A device asks for another sealing of a hundred messages by one operation on its receipts, once it has stated another
/// prekey, and each of them costs their sender an operation. So a device has a share of each hour. Messages beyond that
/// wait: see ``MessageRow/heldSince``.
///
/// The counts are one value in the store, so that a restart begins no new hour. They are read where a message is about
/// to be sealed again, and not before.
struct Resealings {
    /// The most messages that are sealed again for one device in an hour.
    static let countMax: UInt64 = 256
    /// The most devices for which messages are sealed again in an hour.
    static let deviceCountMax = 1_024
    /// The length of the time that is counted.
    static let hourMilliseconds: UInt64 = 60 * 60 * 1_000

    private static let valueName = "resealings"

    private let wall: UInt64
    private var hour: Hour?
    /// The messages that wait, since a device has had its share.
    private(set) var heldBack: Set<MessageID> = []

    /// Counts at some time.
    init(at wall: UInt64) {
        self.wall = wall
    }

    /// Counts one more sealing of a message.
    /// - Parameters:
    ///   - message: The message.
    ///   - device: The device that could not open it.
    ///   - transaction: The store.
    /// - Returns: False where the device has had its share: then the message waits.
    /// - Throws: Any error of the store.
    mutating func take(
        _ message: MessageID,
        for device: DeviceID,
        in transaction: some NodeTransaction
    ) throws -> Bool {
        var hour = try self.hour ?? Hour(transaction.value(named: Self.valueName), at: wall)
        let isTaken = hour.take(for: device)
        if !isTaken { heldBack.insert(message) }
        self.hour = hour
        return isTaken
    }

    /// Keeps the counts, where they were needed.
    /// - Parameter transaction: The store.
    /// - Throws: Any error of the store.
    func save(in transaction: inout some NodeTransaction) throws {
        guard let hour else { return }
        try transaction.setValue(hour.encoded, named: Self.valueName)
    }
}

/// The counts of one hour.
///
///     begun varint ‖ devices: count × (device 32 ‖ count varint)
private struct Hour: WireCodable {
    private struct Count: WireCodable, WireOrdered {
        let device: DeviceID
        let count: UInt64

        var orderKey: DeviceID { device }

        init(device: DeviceID, count: UInt64) {
            (self.device, self.count) = (device, count)
        }

        func encode(into writer: inout WireWriter) {
            writer.write(device)
            writer.writeVarint(count)
        }

        init(from reader: inout WireReader) throws(WireError) {
            device = try DeviceID(from: &reader)
            count = try reader.readVarint()
        }
    }

    private let begun: UInt64
    private var counts: [DeviceID: UInt64] = [:]

    /// The hour of a time: the one that was kept, if the time lies in it.
    init(_ kept: [UInt8]?, at wall: UInt64) {
        // A value of another form counts nothing.
        if let kept, let hour = try? Hour(decoding: kept), hour.contains(wall) {
            self = hour
        } else {
            begun = wall
        }
    }

    /// A clock that was turned back begins another hour.
    private func contains(_ wall: UInt64) -> Bool {
        wall >= begun && wall - begun < Resealings.hourMilliseconds
    }

    mutating func take(for device: DeviceID) -> Bool {
        let count = counts[device] ?? 0
        guard count < Resealings.countMax, count > 0 || counts.count < Resealings.deviceCountMax else { return false }
        counts[device] = count + 1
        return true
    }

    func encode(into writer: inout WireWriter) {
        writer.writeVarint(begun)
        writer.writeList(counts.map { Count(device: $0.key, count: $0.value) }.sorted { $0.device < $1.device })
    }

    init(from reader: inout WireReader) throws(WireError) {
        begun = try reader.readVarint()
        let counts: [Count] = try reader.readAscending(maximum: Resealings.deviceCountMax, itemByteCountMin: 33)
        self.counts = Dictionary(counts.map { ($0.device, $0.count) }) { first, _ in first }
    }
}
