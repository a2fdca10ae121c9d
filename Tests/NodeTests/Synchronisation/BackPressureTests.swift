import Identity
import Sodium
import Synchronization
import Testing
import Transport
import Wire

@testable import Node
@testable import Session

/// A connection under an invitation that notes when it is read on.
private struct PausedConnection: PeerConnection {
    let id: ConnectionID = 1 << 40
    let handshake: HandshakeResult
    let resumes: AsyncStream<Void>.Continuation

    var dial: DialID? { nil }
    var address: PeerAddress { PeerAddress(host: "192.0.2.1", port: 1) }

    func send(_: [UInt8]) {}
    func close(code _: UInt8) { resumes.finish() }
    func resumeReading() { resumes.yield() }
    func settle(in _: DoorRoom) {}
}

extension SyncService {
    /// Delivers messages of which none is taken before the last one is there.
    /// - Returns: Whether the connection may be read on.
    fileprivate func deliver(_ messages: [[UInt8]], on id: ConnectionID) -> Bool {
        messages.reduce(true) { mailbox.received($1, on: id) && $0 }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A connection that brings more than may wait` {
    @Test func `may be sent the longest account log with a run behind it`() {
        #expect(TransportLimits().waitingByteCountMax >= AccountLog.byteCountMax + Limits.messageByteCountMax)
    }

    @Test func `is read on when its messages were taken, also one about an invitation`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            var random = SystemRandom()
            let keys = DeviceIdentity(using: &random)
            let account = AccountID(.zero)
            let payload = HandshakePayload(
                certificate: try keys.certificate(name: "impostor", issued: 1).signed.encoded,
                account: account,
                accountHeads: [],
                boot: [UInt8](repeating: 1, count: HandshakePayload.bootByteCount),
                wallMilliseconds: 1,
                listenPort: 1
            )
            let (stream, resumes) = AsyncStream<Void>.makeStream()
            let connection = PausedConnection(
                handshake: HandshakeResult(
                    remoteStatic: keys.agreementKey.publicKey,
                    remotePayload: payload.encoded,
                    handshakeHash: [UInt8](repeating: 1, count: 64),
                    purpose: .invite(identifier: [1]),
                    isInitiator: false,
                    version: .newest,
                    remoteNewest: .newest,
                    remoteRevision: 1
                ),
                resumes: resumes
            )
            let sync = desk.node.sync
            await sync.mailbox.opened(connection)
            let half = [UInt8](repeating: 1, count: 262_144)
            let message = PeerMessage.accountEntries(
                AccountEntries(account: account, entries: [half, half], more: true)
            )
            let count = SyncMailbox.waitingByteCountMax / 524_288 + 1
            #expect(await !sync.deliver([[UInt8]](repeating: message.encoded, count: count), on: connection.id))
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() != nil, "it is not closed, and read on")
        }
    }
}
