import Identity
import Sodium
import Testing
import Wire

@testable import Node
@testable import Session

/// A connection of a device that a test plays, without a network: what the node does with it comes as events.
struct StagedConnection: PeerConnection {
    /// An action of the node.
    enum Event: Equatable, Sendable {
        /// It sent a message, or a part of one.
        case sent(PeerMessage)
        /// It closed the connection with a code.
        case closed(UInt8)
        /// It reads on after a pause.
        case readOn
    }

    let id: ConnectionID = 1 << 40
    let handshake: HandshakeResult
    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    var dial: DialID? { nil }
    var address: PeerAddress { PeerAddress(host: "192.0.2.1", port: 1) }

    /// The device with these keys, of an account that it names, has connected.
    init(_ keys: DeviceIdentity, of account: AccountID, purpose: ChannelSecret.Purpose) throws {
        let payload = HandshakePayload(
            certificate: try keys.certificate(name: "played", issued: 1).signed.encoded,
            account: account,
            accountHeads: [],
            boot: [UInt8](repeating: 1, count: HandshakePayload.bootByteCount),
            wallMilliseconds: 1,
            listenPort: 1
        )
        handshake = HandshakeResult(
            remoteStatic: keys.agreementKey.publicKey,
            remotePayload: payload.encoded,
            handshakeHash: [UInt8](repeating: 1, count: 64),
            purpose: purpose,
            isInitiator: false,
            version: .newest,
            remoteNewest: .newest,
            remoteRevision: 1
        )
        (events, continuation) = AsyncStream.makeStream()
    }

    func send(_ message: [UInt8]) {
        do {
            continuation.yield(.sent(try PeerMessage(decoding: message)))
        } catch {
            Issue.record("a message that no peer would take: \(error)")
        }
    }

    func close(code: UInt8) { continuation.yield(.closed(code)) }
    func resumeReading() { continuation.yield(.readOn) }
    func setRoom(_: DoorRoom) {}
}

extension SyncService {
    /// Delivers messages of which none is taken before the last one is there.
    /// - Returns: Whether the connection may be read on.
    @discardableResult
    func deliver(_ messages: [PeerMessage], on id: ConnectionID) -> Bool {
        messages.reduce(true) { facts.received($1.encoded, on: id) && $0 }
    }
}
