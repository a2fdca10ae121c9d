package import Wire

/// Since when this store knows of devices, by its own clock or by those of most others where they show more.
///
/// What a log or a certificate says about times is its author's word; how long nothing was heard of a device is counted from here.
package struct KnownDevices: Hashable, Sendable {
    /// One device of one account: who moves to another account is new there.
    package struct Key: Hashable, Comparable, Sendable {
        /// The account.
        package let account: AccountID
        /// The device.
        package let device: DeviceID

        /// Names a device.
        package init(_ device: DeviceID, of account: AccountID) {
            self.account = account
            self.device = device
        }

        /// By account, then by device.
        package static func < (left: Self, right: Self) -> Bool {
            (left.account, left.device) < (right.account, right.device)
        }
    }

    /// Milliseconds since 1970.
    package private(set) var since: [Key: UInt64] = [:]

    /// Begins with nobody.
    package init() {}

    /// Takes in who is active now: newcomers are known since now, and who is gone is forgotten.
    /// - Parameters:
    ///   - active: The active devices of all accounts that are known.
    ///   - wall: Milliseconds since 1970.
    package mutating func update(_ active: Set<Key>, wall: UInt64) {
        since = since.filter { active.contains($0.key) }
        for key in active where since[key] == nil { since[key] = wall }
    }

    /// Has times to come be now: they were noted while this machine's clock was ahead.
    ///
    /// For a clock with which others agree alone.
    /// - Parameter wall: Milliseconds since 1970.
    /// - Returns: Whether there were any.
    package mutating func correct(wall: UInt64) -> Bool {
        let ahead = since.filter { $0.value > wall }.keys
        for key in ahead { since[key] = wall }
        return !ahead.isEmpty
    }
}

extension KnownDevices: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeVarint(UInt64(since.count))
        for (key, time) in since.sorted(by: { $0.key < $1.key }) {
            writer.write(key.account)
            writer.write(key.device)
            writer.writeVarint(time)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let count = try reader.readVarint()
        for _ in 0..<count {
            let account = try AccountID(from: &reader)
            let key = Key(try DeviceID(from: &reader), of: account)
            since[key] = try reader.readVarint()
        }
    }
}
