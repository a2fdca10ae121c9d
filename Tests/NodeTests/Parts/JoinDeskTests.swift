import Session
import Sync
import Testing
import Wire

@testable import Node

/// A connection on which nothing happens.
private struct StillConnection: PeerConnection {
    let id: ConnectionID
    var dial: DialID? { nil }
    var address: PeerAddress { PeerAddress(host: "192.0.2.1", port: 1) }
    var handshake: HandshakeResult { preconditionFailure("nobody asks for it") }
    func send(_: [UInt8]) {}
    func close(code _: UInt8) {}
    func resumeReading() {}
    func settle(in _: DoorRoom) {}
}

@Suite struct `The desk of invitations` {
    private static func desk(_ role: JoinDesk.Role, channels: UInt64) -> JoinDesk {
        var desk = JoinDesk()
        for id in 1...channels {
            desk.insert(
                JoinDesk.Link(
                    connection: StillConnection(id: id),
                    role: role,
                    device: DeviceID(.zero),
                    account: AccountID(.zero),
                    invite: [1]
                )
            )
        }
        return desk
    }

    private static func parts(_ kind: LongMessage) throws -> [PeerMessage] {
        let message = [kind.rawValue] + [UInt8](repeating: 255, count: kind.byteCountMax - 1)
        return try (0..<MessagePart.count(of: message.count)).map { .part(try #require(MessagePart($0, of: message))) }
    }

    @Test func `holds no more than 4 MiB of questions that come in parts, of all channels together`() throws {
        var desk = Self.desk(.answering, channels: 16)
        let parts = try Self.parts(.joinRequest)
        var held = 0
        for id in UInt64(1)...16 {
            for part in parts.dropLast() where !desk.holdsTooMuch {
                #expect(try desk.take(part, on: id) == nil)
                held += 61_440
            }
        }
        #expect(desk.holdsTooMuch)
        #expect(held == (4_194_304 / 61_440 + 1) * 61_440)
        // The channel whose part was too much is closed.
        _ = desk.remove(UInt64((held / 61_440 - 1) / (parts.count - 1) + 1))
        #expect(!desk.holdsTooMuch)
    }

    @Test
    func `takes a question in parts from who asks and an answer from who was asked, and the other way round neither`()
        throws
    {
        for (role, wanted, other) in [
            (JoinDesk.Role.answering, LongMessage.joinRequest, LongMessage.joinAnswer),
            (.asking, .joinAnswer, .joinRequest),
        ] {
            var desk = Self.desk(role, channels: 1)
            #expect(throws: MessageAssembly.Fault.refused) { try desk.take(try Self.parts(other)[0], on: 1) }
            #expect(try desk.take(try Self.parts(wanted)[0], on: 1) == nil)
            #expect(try desk.take(try Self.parts(wanted)[0], on: 2) == nil, "a channel that has ended")
        }
    }
}
