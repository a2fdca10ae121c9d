import Records
import Sodium
import Wire

/// The statement of a message, or of a record's asset, about a payload: the bytes of its content, and the secret that opens it.
///
/// The id of a payload fixes its chunks, so at most one statement about it is true. A device holds a payload by one statement at a time:
/// all others are false once it has the payload by that one.
///
/// The chunks show the size with padding alone. So two statements are equal where their sizes pad to the same: each is read up to its own
/// size, and none can show the other to be false.
package struct PayloadStatement: Sendable {
    /// Bytes of the content, without padding.
    package let byteCount: UInt64
    /// The secret that opens it.
    package let secret: StoredSecret

    /// Describes a statement.
    package init(byteCount: UInt64, secret: StoredSecret) {
        (self.byteCount, self.secret) = (byteCount, secret)
    }

    /// The statement of a record; `nil` for a value that names a payload and states nothing about it.
    init?(_ descriptor: AssetDescriptor) {
        guard descriptor.isResolved, let secret = StoredSecret(descriptor.secret.bytes) else { return nil }
        self.init(byteCount: descriptor.size, secret: secret)
    }

    /// A number that shows nothing of the secret: statements that were found to be false are remembered by it.
    var mark: UInt64 {
        Hash(digesting: .falseStatement, secret.bytes + WireWriter.varint(paddedByteCount)).digest.word0
    }

    /// Bytes of the content, with padding.
    var paddedByteCount: UInt64 { PayloadWriter.paddedByteCount(byteCount) }
}

extension PayloadStatement: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.secret == right.secret && left.paddedByteCount == right.paddedByteCount
    }
}

extension PayloadRow {
    /// The statement by which the payload is held; `nil` for one that is kept for others, which alone can open it, while no record here states
    /// something that its chunks confirm.
    var statement: PayloadStatement? { secret.map { PayloadStatement(byteCount: byteCount, secret: $0) } }
}
