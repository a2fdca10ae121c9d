package import Session
package import Sync

/// A channel that was opened, as the handshake left it.
package struct PeerChannel<Address: Hashable & Sendable> {
    /// Its number.
    let id: SessionID
    /// The dial that led to it; `nil` if the other side dialled.
    let dial: UInt64?
    /// The result of the handshake.
    let handshake: HandshakeResult
    /// The place from which the other side speaks, for people.
    let origin: String
    /// Returns the address at which the device can be called, by the port that it states.
    let address: (UInt16) -> Address?

    /// Describes a channel.
    /// - Parameters:
    ///   - id: Its number.
    ///   - dial: The dial that led to it; `nil` if the other side dialled.
    ///   - handshake: The result of the handshake.
    ///   - origin: The place from which the other side speaks, for people.
    ///   - address: Returns the address at which the device can be called, by the port that it states; `nil` for none.
    package init(
        id: SessionID,
        dial: UInt64?,
        handshake: HandshakeResult,
        origin: String,
        address: @escaping (UInt16) -> Address?
    ) {
        (self.id, self.dial, self.handshake, self.origin, self.address) = (id, dial, handshake, origin, address)
    }

    /// The channel as the gate takes it.
    var gated: PeerGate.Channel {
        PeerGate.Channel(
            session: id,
            payload: handshake.remotePayload,
            staticKey: handshake.remoteStatic,
            binding: handshake.handshakeHash,
            isInitiator: dial != nil,
            door: PeerGate.Door(handshake.purpose),
            version: handshake.version,
            remoteNewest: handshake.remoteNewest,
            remoteRevision: handshake.remoteRevision
        )
    }
}
