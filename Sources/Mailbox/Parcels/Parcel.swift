import Records
import Sodium
package import Wire

/// The bundle that one device leaves for another: messages as in a session, but without a peer to answer them.
///
/// ```
/// sealed = nonce 24 ‖ XChaCha20-Poly1305(mailbox's seal key, nonce, padded, associated data = mailbox id)
/// padded = +--------------+-----------------+
///          | count varint | count × (bytes) | zeros to the next of 4 KiB, 8 KiB, … 16 MiB, 19 MiB in all
///          +--------------+-----------------+
/// ```
///
/// The recipient recognises the sender by the key, which only these two have.
package struct Parcel: Hashable, Sendable {
    /// Encoded peer messages, in the order in which they are to be taken.
    package var messages: [[UInt8]]

    /// Makes a parcel.
    /// - Parameter messages: Encoded peer messages.
    package init(messages: [[UInt8]]) {
        self.messages = messages
    }

    /// The number of bytes of messages that fit, each with the bytes of its length: all of the largest parcel but its
    /// frame.
    package static let contentByteCountMax = Limits.parcelByteCountMax - overheadByteCount - 32

    /// The sizes that sealed parcels have, ascending: each is the double of the one before, but for the largest.
    package static let sizes: [Int] = {
        let doubling = sequence(first: Limits.parcelByteCountMin) { $0 * 2 }
        return doubling.prefix { $0 < Limits.parcelByteCountMax } + [Limits.parcelByteCountMax]
    }()

    private static let overheadByteCount = XChaChaPoly.Nonce.byteCount + XChaChaPoly.tagByteCount

    /// Returns the maximum number of bytes that a message takes in a parcel.
    /// - Parameter byteCount: The bytes of its encoding.
    /// - Returns: With its length.
    package static func byteCount(ofMessage byteCount: Int) -> Int { byteCount + 10 }

    /// Seals the parcel for a mailbox.
    /// - Parameters:
    ///   - keys: The mailbox's keys.
    ///   - random: The source of the nonce.
    /// - Returns: The bytes, of one of fourteen sizes; `nil` when the content is larger than a parcel.
    package func sealed(_ keys: MailboxKeys, using random: inout some RandomNumberGenerator) -> SealedParcel? {
        var writer = WireWriter(capacity: 4_096)
        writer.writeCount(messages.count)
        for message in messages { writer.writeBytes(message) }
        var plain = writer.bytes
        guard let size = Self.sizes.first(where: { $0 >= plain.count + Self.overheadByteCount }),
            let key = try? SymmetricKey(bytes: keys.seal, placement: .transient)
        else { return nil }
        plain.append(contentsOf: repeatElement(0, count: size - Self.overheadByteCount - plain.count))
        let nonce = XChaChaPoly.Nonce(using: &random)
        var bytes = nonce.bytes
        bytes.append(contentsOf: plain)
        XChaChaPoly.sealInPlace(
            &bytes,
            from: XChaChaPoly.Nonce.byteCount,
            key: key,
            nonce: nonce,
            associatedData: keys.mailbox.bytes
        )
        return SealedParcel(bytes: bytes)
    }

    /// Opens a parcel.
    /// - Parameters:
    ///   - sealed: The sealed parcel, as a relay delivered it.
    ///   - keys: The keys of the mailbox that it was in.
    /// - Throws: ``ParcelError``.
    package init(opening sealed: [UInt8], _ keys: MailboxKeys) throws(ParcelError) {
        guard Self.sizes.contains(sealed.count) else { throw .malformed }
        let plain: [UInt8]
        do {
            plain = try XChaChaPoly.open(
                Array(sealed.dropFirst(XChaChaPoly.Nonce.byteCount)),
                key: SymmetricKey(bytes: keys.seal, placement: .transient),
                nonce: XChaChaPoly.Nonce(bytes: Array(sealed.prefix(XChaChaPoly.Nonce.byteCount))),
                associatedData: keys.mailbox.bytes
            )
        } catch {
            throw .notAuthentic
        }
        do {
            try self.init(padded: plain)
        } catch {
            throw .malformed
        }
    }

    /// Reads the padded plaintext.
    package init(padded plain: [UInt8]) throws(WireError) {
        var reader = WireReader(plain)
        let count = try reader.readCount(maximum: Limits.parcelMessageCountMax, itemByteCountMin: 1)
        messages = []
        for _ in 0..<count { messages.append(try reader.readBytes(maximum: Limits.parcelByteCountMax)) }
        guard reader.readRest().allSatisfy({ $0 == 0 }) else { throw .trailingBytes }
    }
}

/// The reason why a parcel does not open.
package enum ParcelError: Error, Hashable, Sendable {
    /// It is of a size that no parcel has, or its contents make no sense.
    case malformed
    /// It was sealed under another key, for another mailbox, or altered.
    case notAuthentic
}

/// A parcel as a relay has it.
package struct SealedParcel: Hashable, Sendable {
    /// The parcel's id.
    package let id: ParcelID
    /// Its bytes.
    package let bytes: [UInt8]

    /// Takes a parcel's bytes.
    /// - Parameter bytes: The sealed bytes, as they were put or are delivered.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
        id = ParcelID(digesting: .parcelID, bytes)
    }
}

extension ParcelError: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .malformed: "the parcel has an invalid size, or its content cannot be read"
        case .notAuthentic: "the parcel was altered, or sealed under another key or for another mailbox"
        }
    }
}
