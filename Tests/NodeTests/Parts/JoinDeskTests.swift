import KairanInterface
import Identity
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
        var refused: UInt64?
        for id in UInt64(1)...16 {
            for part in parts.dropLast() where refused == nil {
                if try desk.take(part, on: id) == .tooMuch { refused = id } else { held += 61_440 }
            }
        }
        #expect(held == 4_194_304 / 61_440 * 61_440)
        // The channel whose part was too much is closed.
        _ = desk.remove(try #require(refused))
        #expect(try desk.take(parts[0], on: 16) == .incomplete)
    }

    @Test
    func `takes questions in parts from the asking side only, and answers from the asked side only`()
        throws
    {
        for (role, wanted, other) in [
            (JoinDesk.Role.answering, LongMessage.joinRequest, LongMessage.joinAnswer),
            (.asking, .joinAnswer, .joinRequest),
        ] {
            var desk = Self.desk(role, channels: 1)
            #expect(throws: InvitationMessages.Fault.parts(.refused)) {
                try desk.take(try Self.parts(other)[0], on: 1)
            }
            #expect(try desk.take(try Self.parts(wanted)[0], on: 1) == .incomplete)
            #expect(try desk.take(try Self.parts(wanted)[0], on: 2) == .incomplete, "a channel that has ended")
        }
    }

    @Test func `asks the approving device each second for a quarter of an hour, and others each minute`() throws {
        let approver = PeerAddress(host: "192.0.2.1", port: 1)
        let other = PeerAddress(host: "192.0.2.2", port: 1)
        let link = try InviteLink(
            secret: InviteSecret(bytes: [UInt8](repeating: 7, count: InviteSecret.byteCount)),
            account: AccountID(.zero)
        )
        var desk = JoinDesk()
        let hasBegun = desk.begin(link, at: 0)
        #expect(hasBegun)
        let first = Set(desk.due([approver, other], at: 0).map(\.address))
        #expect(first == [approver, other])
        desk.update(link.secret.identifier) { $0.waitsForApproval(of: approver, at: 0) }
        #expect(desk.nextDue(at: 0) == 1_000)
        var asked: [PeerAddress: Int] = [:]
        for second in 1...1_200 {
            for dial in desk.due([approver, other], at: UInt64(second) * 1_000) { asked[dial.address, default: 0] += 1 }
        }
        #expect(asked[other] == 20)
        #expect(asked[approver] == 899 + 5)
        #expect(desk.nextDue(at: 1_200_000) == 1_260_000)
    }

    @Test(arguments: [true, false])
    func `sends a question with a long account log every half minute at most, whoever has to approve`(
        isWatched: Bool
    ) throws {
        let approver = PeerAddress(host: "192.0.2.1", port: 1)
        let inviter = PeerAddress(host: "192.0.2.2", port: 1)
        /// The seconds at which each address is asked in twenty minutes, by a look each second.
        func asked(isLong: Bool) throws -> [PeerAddress: [UInt64]] {
            let link = try InviteLink(
                secret: InviteSecret(bytes: [UInt8](repeating: 7, count: InviteSecret.byteCount)),
                account: AccountID(.zero)
            )
            let invite = link.secret.identifier
            var desk = JoinDesk()
            let hasBegun = desk.begin(link, at: 0)
            #expect(hasBegun)
            if isLong { desk.asksAtLength(invite) }
            desk.update(invite) { attempt in
                attempt.isWatched = isWatched
                attempt.waits(at: 0)
                attempt.waitsForApproval(of: approver, at: 0)
            }
            var times: [PeerAddress: [UInt64]] = [:]
            for second in UInt64(0)...1_200 {
                for dial in desk.due([approver, inviter], at: second * 1_000) {
                    times[dial.address, default: []].append(second)
                }
            }
            return times
        }
        for (address, times) in try asked(isLong: true) {
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 30 }, "\(address)")
        }
        let (long, short) = (try asked(isLong: true), try asked(isLong: false))
        // Not less often than that either, where others are asked more often.
        #expect(long[approver]?.count == (isWatched ? 41 : 30 + 5))
        #expect(long[inviter]?.count == (isWatched ? 41 : 21))
        #expect(try #require(short[approver]).count > 900)
    }
}
