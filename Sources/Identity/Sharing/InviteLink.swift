package import Wire

/// The link by which one person invites another, so that the other's account can ask to take part in a zone.
///
/// ```
/// kairan://join#  base32 of
/// +---+-------------+--------------+--------------+------------------+------------+
/// | 1 | secret 32 B | account 32 B | count varint | count × (string) | check 4 B  |
/// +---+-------------+--------------+--------------+------------------+------------+
/// ```
package struct InviteLink: Equatable, Sendable {
    /// The beginning of the text.
    package static let prefix = "kairan://join#"

    /// The maximum number of addresses in a link.
    package static let addressCountMax = 4

    /// Bytes of one address at most: the longest host name, brackets and a port.
    package static let addressByteCountMax = 262

    /// The secret that opens the channel.
    package let secret: InviteSecret

    /// The inviting account, whose devices answer.
    package let account: AccountID

    /// The addresses at which its devices may be reached, as "host:port", at most 4; for networks where they are not
    /// seen.
    package let addresses: [String]

    /// Makes a link.
    /// - Parameters: as the properties of the same names.
    /// - Throws: ``InviteLinkError/tooManyAddresses``, ``InviteLinkError/badAddress(_:)``.
    package init(secret: InviteSecret, account: AccountID, addresses: [String] = []) throws(InviteLinkError) {
        guard addresses.count <= Self.addressCountMax else { throw .tooManyAddresses }
        for address in addresses where !Self.isAddress(address) { throw .badAddress(address) }
        self.secret = secret
        self.account = account
        self.addresses = addresses
    }

    /// Reads a link's ``text``; only white space around it does not matter.
    /// - Parameter typed: The text that a person pasted.
    /// - Throws: ``InviteLinkError``.
    package init(typed: String) throws(InviteLinkError) {
        let payload = try LinkText.decode(typed, prefix: Self.prefix)
        do {
            var reader = WireReader(payload)
            let secret = try reader.readFixed(InviteSecret.byteCount)
            let account = try AccountID(from: &reader)
            let count = try reader.readCount(maximum: Self.addressCountMax, itemByteCountMin: 1)
            var addresses: [String] = []
            for _ in 0..<count {
                addresses.append(try reader.readString(minimum: 1, maximum: Self.addressByteCountMax))
            }
            try reader.finish()
            try self.init(secret: InviteSecret(bytes: secret), account: account, addresses: addresses)
        } catch {
            throw .malformed
        }
    }

    /// The link as it is sent.
    package var text: String {
        var writer = WireWriter(capacity: 128)
        writer.writeFixed(secret.exportBytes(), count: InviteSecret.byteCount)
        writer.write(account)
        writer.writeCount(addresses.count)
        for address in addresses { writer.writeString(address) }
        return LinkText.encode(writer.bytes, prefix: Self.prefix)
    }

    /// Whether an address is printable ASCII without spaces, a host and a port; dialling alone shows whether the host
    /// exists.
    static func isAddress(_ address: String) -> Bool {
        guard address.utf8.count <= addressByteCountMax, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let colon = address.lastIndex(of: ":"), colon > address.startIndex
        else { return false }
        let port = address[address.index(after: colon)...]
        return port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && port.first != "0"
            && UInt16(port) != nil
    }
}

extension InviteLink: UnprintedSecret {
    package var description: String { "invite link" }
}
