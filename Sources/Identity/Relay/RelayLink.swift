import Sodium
package import Wire

/// The link that a relay's owner gives to a person whose devices may leave parcels there.
///
/// ```
/// kairan://relay#  base32 of
/// +---+------------+-------------+----------------+--------------+------------------+-----------+
/// | 1 | relay 32 B | secret 32 B | admission 32 B | count varint | count × (string) | check 4 B |
/// +---+------------+-------------+----------------+--------------+------------------+-----------+
/// ```
///
/// A holder of the link may use the relay in place of the account it was made for.
package struct RelayLink: Hashable, Sendable {
    /// The beginning of the text.
    package static let prefix = "kairan://relay#"
    /// The number of bytes of each of the two secrets.
    package static let secretByteCount = 32
    /// The maximum number of addresses in a link.
    package static let addressCountMax = 8

    /// The relay: its static public key, which the handshake has to show.
    package let relay: RelayID
    /// The secret that opens the handshake.
    package let channelSecret: [UInt8]
    /// The secret that is shown for admission.
    package private(set) var admissionSecret: [UInt8]
    /// The addresses of the relay, as "host:port": one, or one of each of its front ends.
    package let addresses: [String]

    /// Makes a link.
    /// - Parameters: as the properties of the same names; each secret has 32 bytes.
    /// - Throws: ``RelayLinkError/badAddress(_:)``, ``RelayLinkError/addressCount``.
    package init(
        relay: RelayID,
        channelSecret: [UInt8],
        admissionSecret: [UInt8],
        addresses: [String]
    ) throws(RelayLinkError) {
        guard !addresses.isEmpty else { throw .addressCount }
        try Self.check(addresses)
        self.relay = relay
        self.channelSecret = channelSecret
        self.admissionSecret = admissionSecret
        self.addresses = addresses
    }

    /// Checks addresses that a link is to name.
    /// - Parameter addresses: At most ``addressCountMax``.
    /// - Throws: ``RelayLinkError/badAddress(_:)``, ``RelayLinkError/addressCount``.
    package static func check(_ addresses: [String]) throws(RelayLinkError) {
        guard addresses.count <= addressCountMax else { throw .addressCount }
        for address in addresses where !InviteLink.isAddress(address) { throw .badAddress(address) }
    }

    /// Reads a link's ``text``; only white space around it does not matter.
    /// - Parameter typed: The text that a person pasted.
    /// - Throws: ``RelayLinkError``.
    package init(typed: String) throws(RelayLinkError) {
        let payload: [UInt8]
        do {
            payload = try LinkText.decode(typed, prefix: Self.prefix)
        } catch {
            switch error {
            case .notALink: throw .notALink
            case .unknownVersion(let version): throw .unknownVersion(version)
            case .mistyped, .malformed, .tooManyAddresses, .badAddress: throw .mistyped
            }
        }
        try self.init(bytes: payload)
    }

    /// Reads the bytes of ``exportBytes()``.
    /// - Parameter bytes: A link without its prefix and check.
    /// - Throws: ``RelayLinkError/malformed``.
    package init(bytes: [UInt8]) throws(RelayLinkError) {
        do {
            var reader = WireReader(bytes)
            let relay = try RelayID(from: &reader)
            let channelSecret = try reader.readFixed(Self.secretByteCount)
            let admissionSecret = try reader.readFixed(Self.secretByteCount)
            let count = try reader.readCount(maximum: Self.addressCountMax, itemByteCountMin: 1)
            var addresses: [String] = []
            for _ in 0..<count {
                addresses.append(try reader.readString(minimum: 1, maximum: InviteLink.addressByteCountMax))
            }
            try reader.finish()
            try self.init(
                relay: relay,
                channelSecret: channelSecret,
                admissionSecret: admissionSecret,
                addresses: addresses
            )
        } catch {
            throw .malformed
        }
    }

    /// The link for the accounts with which a zone is shared: it has a pass instead of the admission.
    ///
    /// All devices of the account derive the same one, and the admission cannot be derived from it.
    /// - Parameter zone: The zone; each has a pass of its own.
    /// - Returns: The link.
    package func pass(for zone: ZoneID) -> RelayLink {
        var link = self
        // 32 bytes are a key.
        link.admissionSecret = SecretBytes(copying: admissionSecret, placement: .transient)
            .derivedBytes(.admissionPass, info: zone.bytes, byteCount: Self.secretByteCount).exportBytes()
        return link
    }

    /// The link as it is given.
    package var text: String { LinkText.encode(exportBytes(), prefix: Self.prefix) }

    /// The link with its secrets, for the account's own records alone.
    /// - Returns: The bytes.
    package func exportBytes() -> [UInt8] {
        var writer = WireWriter(capacity: 128)
        writer.write(relay)
        writer.writeFixed(channelSecret, count: Self.secretByteCount)
        writer.writeFixed(admissionSecret, count: Self.secretByteCount)
        writer.writeCount(addresses.count)
        for address in addresses { writer.writeString(address) }
        return writer.bytes
    }
}

extension RelayLink: UnprintedSecret {
    package var description: String { "relay link" }
}

/// Why a text is no link of a relay, or why no link can be made.
package enum RelayLinkError: Error, Equatable, Sendable {
    /// It does not begin as such links do.
    case notALink
    /// It begins as one, but is not the one that was given: cut off, or mistyped.
    case mistyped
    /// A later version made it.
    case unknownVersion(UInt8)
    /// It is the link that was given, and its contents make no sense.
    case malformed
    /// The link has no address, or more than a link may have.
    case addressCount
    /// It is no host and port, is too long, or has other characters than printable ASCII.
    case badAddress(String)
}

extension RelayLinkError: CustomStringConvertible {
    /// A hint for the person who pasted the link.
    package var description: String {
        switch self {
        case .notALink: "a relay's link begins with \(RelayLink.prefix)"
        case .mistyped: "the link is not complete, or not the one that was given"
        case .unknownVersion: "a newer version made the link"
        case .malformed: "the content of the link cannot be read"
        case .addressCount: "a link names 1 to \(RelayLink.addressCountMax) addresses"
        case .badAddress(let address): "“\(address)” is not of the form host:port"
        }
    }
}
