package import Sodium

/// 128 random bits that let one device ask to join an account, once.
///
/// It is shown on a device of the account as text and as a QR code, and typed or scanned on the new one. Both derive
/// the channel's pre-shared key from it, so that nobody who has not seen it gets as far as a Diffie–Hellman; that the
/// right two devices talk is then shown by six words. Nothing in it is worth anything after ``PairingOffer`` has ended.
package struct PairingTicket: Sendable {
    /// How many secret bytes a ticket has.
    package static let byteCount = 16

    /// What the content of a QR code starts with, so that a scanner's owner sees what it is for.
    package static let qrPrefix = "KAIRAN:"

    private static let form = CheckedGroups(byteCount: byteCount, dataCountPerGroup: 3)

    private let secret: [UInt8]

    /// Draws a new ticket.
    /// - Parameter generator: Where the randomness comes from.
    package init(using generator: inout some RandomNumberGenerator) {
        secret = generator.randomBytes(Self.byteCount)
    }

    /// Reads what a person typed or a camera read; case, spaces, dashes and the QR code's prefix do not matter.
    /// - Parameter typed: The text.
    /// - Throws: ``CheckedGroupsError`` that names the wrong group.
    package init(typed: String) throws(CheckedGroupsError) {
        var text = typed.trimmingPrefix(while: \.isWhitespace)
        if text.lowercased().hasPrefix(Self.qrPrefix.lowercased()) {
            text = text.dropFirst(Self.qrPrefix.count)
        }
        secret = try Self.form.bytes(from: String(text))
    }

    /// The ticket in nine groups, such as `K7QF-2MXA-…`: three characters and a check character each.
    package var text: String { Self.form.text(for: secret) }

    /// What the QR code says: the prefix and ``text``; only characters of the dense alphanumeric mode.
    package var qrContent: String { Self.qrPrefix + text }

    /// The ticket as a picture.
    /// - Returns: A code of version 3.
    /// - Throws: Nothing in practice; the content's size is fixed and far below the limit.
    package func qrCode() throws(QRCodeError) -> QRCode {
        try QRCode(qrContent)
    }

    /// Names the ticket without giving it away: for telling offers apart in lists and logs.
    /// - Returns: 16 bytes.
    package var identifier: [UInt8] {
        Array(Blake2b.digest32(.ticketIdentifier, secret).prefix(16))
    }

    /// The channel's pre-shared key between the two devices.
    /// - Returns: A key that depends on the whole ticket.
    package func presharedKey() -> SymmetricKey {
        SecretBytes(copying: secret, placement: .transient).derivedKey(.pairingTicket, placement: .guarded)
    }
}

extension PairingTicket: Equatable {
    /// Compares in constant time.
    package static func == (left: PairingTicket, right: PairingTicket) -> Bool {
        ConstantTime.equal(left.secret, right.secret)
    }
}

extension PairingTicket: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what it is and nothing of the secret, so that a log cannot give it away.
    package var description: String { "pairing ticket" }

    /// As ``description``.
    package var debugDescription: String { description }

    /// Hides the stored bytes from `dump`.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
