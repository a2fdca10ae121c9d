/// The result of a finished handshake: a key for each direction and the name of the session.
package struct NoiseTransport: ~Copyable, Sendable {
    /// Seals the bytes that this side sends.
    package var sending: CipherState
    /// Opens the bytes that the other side sends.
    package var receiving: CipherState
    /// The hash of the whole handshake, a name for the session that both sides know.
    package let handshakeHash: [UInt8]
}
