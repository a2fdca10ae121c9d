package import Sodium
import Wire

/// 128 random bits that let one device ask to join an account, once.
///
/// It is shown on a device of the account, and typed on the new one. Both derive the channel's pre-shared key from
/// it, so that only devices that know it get as far as a Diffie–Hellman; six words then show that the right two
/// devices talk. Nothing in it is worth anything after ``PairingOffer`` has ended.
package struct PairingTicket: Equatable, Sendable {
    /// The number of secret bytes of a ticket.
    package static let byteCount = 16

    private static let form = CheckedGroups(byteCount: byteCount, dataCountPerGroup: 3)

    private let secret: BearerSecret

    /// Draws a new ticket.
    /// - Parameter generator: The source of the randomness.
    package init(using generator: inout some RandomNumberGenerator) {
        secret = BearerSecret(byteCount: Self.byteCount, using: &generator)
    }

    /// Reads a text that a person typed; case, spaces and dashes do not matter.
    /// - Parameter typed: The text.
    /// - Throws: ``CheckedGroupsError`` that names the wrong group.
    package init(typed: String) throws(CheckedGroupsError) {
        secret = try BearerSecret(typed: typed, prefix: "", form: Self.form)
    }

    /// The ticket in nine groups, such as `K7QF-2MXA-…`: three characters and a check character each.
    package var text: String { Self.form.text(for: secret.bytes) }

    /// Names the ticket without giving it away: for telling offers apart in lists and logs.
    /// - Returns: 16 bytes.
    package var identifier: [UInt8] {
        secret.identifier(.ticketIdentifier)
    }

    /// The channel's pre-shared key between the two devices.
    /// - Returns: A key that depends on the whole ticket.
    package func presharedKey() -> SymmetricKey {
        secret.key(.pairingTicket)
    }
}

extension PairingTicket: UnprintedSecret {
    package var description: String { "pairing ticket" }
}
