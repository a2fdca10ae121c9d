package import Sodium
package import Wire

/// 256 random bits from which the slots of one invitation are derived, and the values written into them.
///
/// Only the devices of the inviting account have it: it is in their book, and in no link. So the holder of the link
/// knows no slot, and a relay learns neither the owner of the slots nor the accounts for which they are written.
package struct SlotKey: Equatable, Sendable {
    /// The number of secret bytes.
    package static let byteCount = 32

    private let secret: BearerSecret

    /// Draws a new key.
    /// - Parameter generator: The source of the randomness.
    package init(using generator: inout some RandomNumberGenerator) {
        secret = BearerSecret(byteCount: Self.byteCount, using: &generator)
    }

    /// Takes a key's bytes.
    /// - Parameter bytes: 32 secret bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(bytes: [UInt8]) throws(SodiumError) {
        secret = try BearerSecret(bytes, byteCount: Self.byteCount)
    }

    /// The slot of one use.
    /// - Parameter index: Which use, from zero.
    /// - Returns: The slot.
    package func slot(_ index: UInt32) -> SlotID {
        var info = WireWriter(capacity: 8)
        info.writeUInt64(UInt64(index))
        return SlotID(derived(.inviteSlot, info.bytes)) ?? .zero
    }

    /// Returns the value in the slot of a use that an account takes.
    /// - Parameter account: The account.
    /// - Returns: The value.
    package func value(of account: AccountID) -> Hash {
        Hash(derived(.inviteClaim, account.bytes)) ?? .zero
    }

    private func derived(_ purpose: ContextString, _ info: [UInt8]) -> [UInt8] {
        SecretBytes(copying: secret.bytes, placement: .transient).derivedKey(purpose, info: info).exportBytes()
    }

    /// The bytes in the clear, for the inviting account's own records alone.
    /// - Returns: 32 secret bytes.
    package func exportBytes() -> [UInt8] { secret.bytes }
}

extension SlotKey: UnprintedSecret {
    package var description: String { "slot key" }
}
