package import Identity
package import Wire

/// A secret under which a device joins an account, by its name.
package enum JoiningKey: Hashable, Sendable {
    /// A pairing ticket.
    case ticket(identifier: [UInt8])
    /// An enrolment token.
    case enrolment(identifier: [UInt8])
    /// The recovery words; the key is the public half of their signing key.
    case recovery(key: [UInt8])

    /// Names the ticket; empty, and no ticket's name, when it is none.
    var ticket: [UInt8] {
        if case .ticket(let identifier) = self { identifier } else { [] }
    }
}

/// A channel on which a device joins, as the handshake left it.
package struct JoiningLink: Sendable {
    /// A side of such a channel.
    package enum Role: Sendable, Equatable {
        /// It admits the other device.
        case offering
        /// It asks for admission.
        case joining
    }

    /// The channel.
    package let session: SessionID
    /// The side of this device.
    package let role: Role
    /// The certificate of the other device.
    package let certificate: VerifiedCertificate
    /// The payload of the other device's handshake.
    package let payload: HandshakePayload
    /// The secret under which the channel was made; it may have ended since.
    package let key: JoiningKey
    /// The handshake hash.
    package let binding: [UInt8]
    /// Whether the other device was admitted and has not confirmed it yet.
    var isWelcomed = false
    /// Whether the joining device has received the terms.
    var hasHeardTerms = false
    /// The message that is arriving in parts.
    var arriving = MessageAssembly()
    /// The account log that arrives ahead of a welcome.
    var log = LongAccountLog()

    /// Describes a channel.
    package init(
        session: SessionID,
        role: Role,
        certificate: VerifiedCertificate,
        payload: HandshakePayload,
        key: JoiningKey,
        binding: [UInt8]
    ) {
        self.session = session
        self.role = role
        self.certificate = certificate
        self.payload = payload
        self.key = key
        self.binding = binding
    }
}
