/// The reason why a guest's request was refused as a whole, as far as the guest learns it.
package enum GuestRefusalCode: UInt8, Hashable, CaseIterable, Sendable {
    /// There is no such zone here, or none that the guest may read.
    case unknownZone = 1
    /// Nothing in the zone lets the guest write.
    case refused = 2
    /// The account log that was shown is not valid, or the asking device is not one of its active devices with all rights.
    case badAccount = 3
    /// The zone takes no writes any more.
    case zoneGone = 4
    /// Too much waits already; nothing was done.
    case busy = 5
    /// This device does not write for guests; another one may.
    case notHere = 6
    /// The answer would not fit a message; nothing was written.
    case tooLarge = 7
    /// There is no room, or the storage failed; nothing was written.
    case storage = 8
    /// It may have been written: the guest's right to the answer has ended meanwhile.
    case uncertain = 9

    /// Whether nothing was done and another device may answer otherwise.
    package var isOthersChance: Bool {
        switch self {
        case .busy, .notHere, .storage: true
        case .unknownZone, .refused, .badAccount, .zoneGone, .tooLarge, .uncertain: false
        }
    }
}
