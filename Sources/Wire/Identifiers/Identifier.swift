/// The kind of thing that an identifier names; a device's identifier cannot pass for a zone's.
package protocol IdentifierKind: Sendable {}

/// 32 bytes that name one thing of one kind.
///
/// ```
/// +--------------------------------+
/// | 32 bytes                       |
/// +--------------------------------+
/// ```
package struct Identifier<Kind: IdentifierKind>: Hashable, Comparable, Sendable {
    /// The bytes as words.
    package let digest: Digest32

    /// Names by a digest.
    package init(_ digest: Digest32) {
        self.digest = digest
    }

    /// Names by 32 bytes; `nil` for any other number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let digest = Digest32(bytes) else { return nil }
        self.digest = digest
    }

    /// Names by 32 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard let digest = Digest32(bytes) else { return nil }
        self.digest = digest
    }

    /// Reads an identifier's `text`, and only that: 52 lower-case characters with the unused last four bits zero.
    package init?(text: String) {
        guard text.utf8.count == Self.textCharacterCount, let bytes = Base32.decode(text) else { return nil }
        self.init(bytes)
    }

    /// The number of characters of `text`.
    package static var textCharacterCount: Int { 52 }

    /// 32 zero bytes, which mean "none" where a field allows it.
    package static var zero: Self { Self(.zero) }

    /// Whether all bytes are zero.
    package var isZero: Bool { digest == .zero }

    /// The 32 bytes.
    package var bytes: [UInt8] { digest.bytes }

    /// Lower-case base32 without padding, 52 characters: the form in files, URLs and the API.
    package var text: String { Base32.encode(bytes) }

    /// The first eight characters of `text`, for logs; not unique, since an attacker can make two alike.
    package var shortText: String { String(text.prefix(8)) }

    /// The order of the bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.digest < right.digest
    }
}

extension Identifier: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeDigest(digest)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        digest = try reader.readDigest()
    }
}

extension Identifier: WireOrdered {
    package var orderKey: Digest32 { digest }
}

extension Identifier: CustomStringConvertible {
    package var description: String { text }
}

/// The kind of `DeviceID`.
package enum DeviceKind: IdentifierKind {}
/// The kind of `AccountID`.
package enum AccountKind: IdentifierKind {}
/// The kind of `ActorID`.
package enum ActorKind: IdentifierKind {}
/// The kind of `ZoneID`.
package enum ZoneKind: IdentifierKind {}
/// The kind of `RecordTag`.
package enum RecordTagKind: IdentifierKind {}
/// The kind of `CapabilityID`.
package enum CapabilityKind: IdentifierKind {}
/// The kind of `PayloadID`.
package enum PayloadKind: IdentifierKind {}
/// The kind of `MailboxID`.
package enum MailboxKind: IdentifierKind {}
/// The kind of `ParcelID`.
package enum ParcelKind: IdentifierKind {}
/// The kind of `RelayID`.
package enum RelayKind: IdentifierKind {}
/// The kind of `AdmissionID`.
package enum AdmissionKind: IdentifierKind {}
/// The kind of `SlotID`.
package enum SlotKind: IdentifierKind {}
/// The kind of `Hash`.
package enum HashKind: IdentifierKind {}

/// One installation: the bytes of its Ed25519 public key.
package typealias DeviceID = Identifier<DeviceKind>
/// One account: the hash of its log's first entry.
package typealias AccountID = Identifier<AccountKind>
/// One life of a device's store: the hash of device and incarnation.
package typealias ActorID = Identifier<ActorKind>
/// One zone: the hash of the identity bytes of its genesis.
package typealias ZoneID = Identifier<ZoneKind>
/// A record as seen without its name: the name hashed under the zone's tag key.
package typealias RecordTag = Identifier<RecordTagKind>
/// A capability: the hash of its bytes.
package typealias CapabilityID = Identifier<CapabilityKind>
/// Bytes that travel apart from the record that names them: the hash of their outline.
package typealias PayloadID = Identifier<PayloadKind>
/// A mailbox in which one device leaves parcels for another one on one day: a hash over the hashes of its put and get
/// key.
package typealias MailboxID = Identifier<MailboxKind>
/// A sealed parcel: the hash of its bytes.
package typealias ParcelID = Identifier<ParcelKind>
/// A relay that keeps mailboxes: the bytes of its static public key.
package typealias RelayID = Identifier<RelayKind>
/// An account's admission to a relay's mailboxes: the hash of the secret that it shows.
package typealias AdmissionID = Identifier<AdmissionKind>
/// A place at a relay that is written once: derived from a secret of the devices that write there.
package typealias SlotID = Identifier<SlotKind>
/// Any other BLAKE2b-256 hash; zero means "none" where a field says so.
package typealias Hash = Identifier<HashKind>
