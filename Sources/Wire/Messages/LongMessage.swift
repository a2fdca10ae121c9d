/// The kinds of message that are sent in parts when they are long, on channels that take messages of up to 64 KiB.
package enum LongMessage: UInt8, CaseIterable, Hashable, Sendable {
    /// Entries of an account's log, of which one may be long.
    case accountEntries = 2
    /// Digests of ranges of shared zones.
    case rangeDigests = 3
    /// Shared zones of small ranges.
    case rangeItems = 4
    /// The state of a zone's logs at the sender.
    case zoneState = 5
    /// The log sizes that are durable at the sender.
    case acknowledge = 7
    /// Two histories of one log.
    case forkProof = 12
    /// Adds a device to an account.
    case pairWelcome = 21
    /// Asks for the right that an invitation promises.
    case joinRequest = 30
    /// Reports the progress of a join request.
    case joinAnswer = 31
    /// Asks for something to be written in a public zone.
    case guestWrite = 40

    /// Bytes of such a message with its tag, in all its parts together.
    package var byteCountMax: Int {
        switch self {
        // There are several messages for several entries.
        case .accountEntries: Limits.accountEntryByteCountMax + 1_024
        case .rangeDigests, .rangeItems, .zoneState, .acknowledge, .forkProof, .pairWelcome, .guestWrite:
            Limits.smallMessageByteCountMax
        // The entries of an account log with the size of each, and the terms of a zone.
        case .joinRequest, .joinAnswer: Limits.accountEntriesByteCountMax + 65_536
        }
    }
}
