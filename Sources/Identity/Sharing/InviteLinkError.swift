/// Why a text is no link of an invitation, or why no link can be made.
package enum InviteLinkError: Error, Equatable, Sendable {
    /// It does not begin as such links do.
    case notALink
    /// It begins as one, but is not the one that was sent: cut off, or mistyped.
    case mistyped
    /// A later version made it.
    case unknownVersion(UInt8)
    /// It is the link that was sent, and its contents make no sense.
    case malformed
    /// A link cannot name so many addresses.
    case tooManyAddresses
    /// It is no host and port, is too long, or has other characters than printable ASCII.
    case badAddress(String)
}

extension InviteLinkError: CustomStringConvertible {
    /// A hint for the person who pasted the link.
    package var description: String {
        switch self {
        case .notALink: "an invitation begins with \(InviteLink.prefix)"
        case .mistyped: "the link is not complete, or not the one that was sent"
        case .unknownVersion: "a newer version made the link"
        case .malformed: "the content of the link cannot be read"
        case .tooManyAddresses: "a link names at most \(InviteLink.addressCountMax) addresses"
        case .badAddress(let address): "“\(address)” is not of the form host:port"
        }
    }
}
