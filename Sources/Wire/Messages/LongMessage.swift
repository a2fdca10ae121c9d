/// The kinds of message that go in parts when they are long: these are said on channels that take messages of up to 64 KiB.
package enum LongMessage: UInt8, CaseIterable, Hashable, Sendable {
    /// Takes a device into an account.
    case pairWelcome = 21
    /// Asks for what an invitation promises.
    case joinRequest = 30
    /// Says how far that has come.
    case joinAnswer = 31

    /// Bytes of such a message with its tag, in all its parts together.
    package var byteCountMax: Int {
        switch self {
        case .pairWelcome: Limits.smallMessageByteCountMax
        // The entries of an account log with the size of each, and what a zone is.
        case .joinRequest, .joinAnswer: Limits.accountEntriesByteCountMax + 65_536
        }
    }
}
