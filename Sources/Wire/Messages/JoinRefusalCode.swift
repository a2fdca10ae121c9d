/// The reason why an invitation gives no right, as far as the asking side learns it.
package enum JoinRefusalCode: UInt8, Hashable, CaseIterable, Sendable {
    /// As many accounts have joined as it was made for.
    case spent = 1
    /// Its time is over, or it was withdrawn, or there is none.
    case expired = 2
    /// The inviting side does not want this account.
    case refused = 3
    /// The asking account is the inviting one.
    case ownAccount = 4
    /// The zone is no longer there.
    case zoneGone = 5
    /// The account log that was sent is not valid, or the asking device is not one of its active devices with all rights.
    case badAccount = 6
    /// The inviting account may no longer delegate this right.
    case noRight = 7
    /// More accounts wait for an answer than are kept; it may be tried again later.
    case busy = 8

    /// Whether asking again with the same invitation can end otherwise.
    package var isPassing: Bool { self == .busy }
}
