package import Wire

/// The versions of the channel that a side speaks.
package enum ChannelAgreement: Sendable {
    /// The first version only: for peers that know no other, and for tests of the earlier behaviour.
    case classical
    /// Both versions, with this mechanism in the second.
    case hybrid(any KeyEncapsulation)

    /// The highest version that is spoken.
    package var newest: ChannelVersion {
        switch self {
        case .classical: .classical
        case .hybrid: .hybrid
        }
    }

    /// The mechanism of the second version.
    var mechanism: (any KeyEncapsulation)? {
        switch self {
        case .classical: nil
        case .hybrid(let mechanism): mechanism
        }
    }
}
