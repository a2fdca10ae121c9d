package import Sodium
import Wire

/// 256 random bits that let an account ask for the right that an invitation promises.
///
/// It is carried in an ``InviteLink`` through any medium in which people write to each other. It opens a channel on
/// which an account may ask; the inviting account then decides which right it grants, and to which account.
package struct InviteSecret: Equatable, Sendable {
    /// The number of secret bytes.
    package static let byteCount = 32

    /// The number of bytes of ``identifier``.
    package static let identifierByteCount = BearerSecret.identifierByteCount

    private let secret: BearerSecret

    /// Draws a new secret.
    /// - Parameter generator: The source of the randomness.
    package init(using generator: inout some RandomNumberGenerator) {
        secret = BearerSecret(byteCount: Self.byteCount, using: &generator)
    }

    /// Takes a secret's bytes.
    /// - Parameter bytes: 32 secret bytes.
    /// - Throws: ``SodiumError/wrongByteCount(expected:actual:)`` for any other count.
    package init(bytes: [UInt8]) throws(SodiumError) {
        secret = try BearerSecret(bytes, byteCount: Self.byteCount)
    }

    /// Names the invitation without giving it away.
    /// - Returns: 16 bytes.
    package var identifier: [UInt8] { secret.identifier(.inviteIdentifier) }

    /// The channel's pre-shared key between a device that has the link and the devices of the inviting account.
    /// - Returns: A key that depends on the whole secret.
    package func presharedKey() -> SymmetricKey { secret.key(.invite) }

    /// The key by which announcements of the inviting account's devices are recognised.
    /// - Returns: The key for ``DiscoveryTag``.
    package func discoveryKey() -> SymmetricKey { secret.key(.inviteDiscovery) }

    /// The bytes in the clear, for the inviting account's own records alone.
    /// - Returns: 32 secret bytes.
    package func exportBytes() -> [UInt8] { secret.bytes }
}

extension InviteSecret: UnprintedSecret {
    package var description: String { "invite secret" }
}
