import Identity
import Peering
import Records
import Session
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `A hostile peer` {
    /// Returns the reason of a session that the node ended.
    private func closed(_ code: SyncCloseCode) -> CloseReason { .peer(CloseCode(rawValue: code.rawValue)) }

    @Test(arguments: [[], [0], [UInt8](repeating: 255, count: 300)])
    func `with an account's key and a payload of nonsense is sent away`(payload: [UInt8]) async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let impostor = try Impostor { _ in payload }
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret) { encounters in
                #expect(await encounters.closeReason() == closed(.violation))
            }
            try await desk.makeZone("notes")
        }
    }

    @Test func `that sends no message on a channel by which devices join is sent away`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let ticket = try PairingTicket(typed: try await desk.node.pairing.offerPairing().ticket)
            let impostor = try Impostor(account: AccountID(.zero))
            try await impostor.meet(desk, secret: ticket.channelSecret) { encounters in
                try #require(await encounters.connection()).send([0])
                #expect(await encounters.closeReason() == closed(.violation))
            }
        }
    }

    @Test func `with another device's certificate is refused`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let impostor = try Impostor { _ in desk.node.identity.handshakePayload(boot: Array(0..<16), listenPort: 1) }
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret) { encounters in
                #expect(await encounters.closeReason() == closed(.violation))
            }
            #expect(try await desk.node.peers.list().isEmpty)
        }
    }

    @Test func `of another account is sent away, whatever key it has`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let impostor = try Impostor(account: AccountID(.zero))
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret) { encounters in
                #expect(await encounters.closeReason() == closed(.refused))
            }
        }
    }

    @Test func `that is no member gets nothing of the zones, and leaves no trace`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let zone = try await desk.makeZone("secret")
            try await desk.put("milk", in: "secret", text: "x")
            let genesis = try await desk.node.store.storage.read { try $0.zone(zone)?.genesis }
            let impostor = try Impostor(account: desk.node.identity.account)
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret) { encounters in
                let connection = try #require(await encounters.connection())
                let state = ZoneState(
                    zone: zone,
                    genesis: try #require(genesis),
                    logs: [],
                    checkpoint: .zero,
                    wantsReply: true
                )
                connection.send(PeerMessage.zoneState(state).encoded)
                connection.send(PeerMessage.rangeDigests(RangeDigests(ranges: [])).encoded)
                try await desk.put("bread", in: "secret", text: "x")
                connection.send(PeerMessage.ping(Ping(nonce: 7, wallMilliseconds: .max)).encoded)
                var tags: [UInt8] = []
                for await encounter in encounters {
                    guard case .message(let message) = encounter else { break }
                    tags.append(message.tag)
                    if case .pong = message { break }
                }
                let allowed: Set<UInt8> = [
                    PeerMessage.ping(Ping(nonce: 0, wallMilliseconds: 0)).tag,
                    PeerMessage.pong(Pong(nonce: 0, wallMilliseconds: 0)).tag,
                    PeerMessage.accountHave(AccountHave(account: .init(.zero), heads: [], wantsReply: false)).tag,
                    // A peer that holds the fleet key may be a member that was admitted elsewhere: it receives the
                    // account's log.
                    PeerMessage.accountEntries(AccountEntries(account: .init(.zero), entries: [], more: false)).tag,
                ]
                #expect(Set(tags).isSubset(of: allowed))
                // Its claimed address is not worth remembering.
                #expect(try await desk.node.store.storage.read { try $0.peers() }.isEmpty)
            }
        }
    }

    @Test func `that sends bytes that are no message is disconnected, and the node continues`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let impostor = try Impostor(account: desk.node.identity.account)
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret) { encounters in
                let connection = try #require(await encounters.connection())
                connection.send([99, 1, 2, 3])
                #expect(await encounters.closeReason() == closed(.violation))
            }
            let zone = try await desk.makeZone("notes")
            try await converged(zone, desk, lap)
        }
    }

    @Test func `with a ticket and another device's certificate is not added`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            let offer = try await desk.node.pairing.offerPairing()
            let secret = try #require(desk.node.identity.acceptedSecrets().last)
            let impostor = try Impostor(account: AccountID(.zero))
            try await impostor.meet(desk, secret: secret) { encounters in
                let connection = try #require(await encounters.connection())
                let request = PairRequest(
                    certificate: lap.node.identity.certificate.signed.encoded,
                    account: lap.node.identity.account
                )
                connection.send(PeerMessage.pairRequest(request).encoded)
                guard case .message(.pairRefusal) = await encounters.next() else {
                    Issue.record("it was not refused")
                    return
                }
            }
            #expect(try await desk.node.devices.account().devices.count == 1)
            // The offer still stands for the right one.
            await lap.node.sync.add(peers: [desk.address])
            _ = try await lap.node.pairing.acceptPairing(ticket: offer.ticket)
        }
    }

    /// Parts of a question by an invitation, as bytes of messages.
    private static func question(byteCount: Int) throws -> [[UInt8]] {
        let request = JoinRequest(
            account: AccountID(.zero),
            entries: [[UInt8](repeating: 1, count: 130_000), [UInt8](repeating: 2, count: byteCount - 130_000)]
        )
        return try PeerMessage.joinRequest(request).outgoingEncodings()
    }

    private static func question(entries: [[UInt8]]) -> PeerMessage {
        .joinRequest(JoinRequest(account: AccountID(.zero), entries: entries))
    }

    /// The end of an account log, and what follows it.
    private static func ahead(of messages: [PeerMessage]) throws -> [[UInt8]] {
        let entries = AccountEntries(account: AccountID(.zero), entries: [[1]], more: false)
        return try ([.accountEntries(entries)] + messages).flatMap { try $0.outgoingEncodings() }
    }

    private static let wrongParts: [(name: String, messages: @Sendable () throws -> [[UInt8]])] = [
        ("one is left out", { try question(byteCount: 200_000).enumerated().filter { $0.offset != 1 }.map(\.element) }),
        ("one comes twice", { try [question(byteCount: 200_000)[0], question(byteCount: 200_000)[0]] }),
        (
            "another message comes between",
            {
                try [question(byteCount: 200_000)[0], PeerMessage.joinRefusal(JoinRefusal(.busy)).encoded]
            }
        ),
        (
            "they are no question",
            {
                try PeerMessage.joinAnswer(
                    JoinAnswer(.waitingApproval, entries: [[UInt8](repeating: 1, count: 100_000)])
                )
                .outgoingEncodings()
            }
        ),
        (
            "their total is more than a question may have",
            {
                let message =
                    [LongMessage.joinRequest.rawValue]
                    + [UInt8](repeating: 0, count: LongMessage.joinRequest.byteCountMax)
                return [try #require(MessagePart(0, of: message).map { PeerMessage.part($0).encoded })]
            }
        ),
        ("entries of a log are ahead of nothing", { try ahead(of: [.joinRefusal(JoinRefusal(.busy))]) }),
        ("a log is ahead of a question that has one", { try ahead(of: [question(entries: [[1]])]) }),
        ("a message is longer than the door takes", { [[UInt8](repeating: 30, count: 65_537)] }),
    ]

    @Test(arguments: wrongParts.indices)
    func `with an invitation is disconnected when its message is not a question`(_ index: Int) async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let zone = try await desk.makeZone("notes")
            let link = try InviteLink(typed: try await desk.invite(to: zone, .read))
            let bob = try await nodes.start("bob")
            await bob.node.sync.add(peers: [desk.address])
            #expect(try await bob.join(link.text).state == .joined, "it is answered from now on")
            let secret = ChannelSecret(
                purpose: .invite(identifier: link.secret.identifier),
                key: link.secret.presharedKey()
            )
            let impostor = try Impostor(account: AccountID(.zero))
            try await impostor.meet(desk, secret: secret) { encounters in
                let connection = try #require(await encounters.connection())
                for message in try Self.wrongParts[index].messages() { connection.send(message) }
                #expect(await encounters.closeReason() == closed(.violation), "\(Self.wrongParts[index].name)")
            }
            // The invitation is as good as before.
            #expect(try await bob.join(link.text).state == .joined)
        }
    }

    @Test func `that brings the ticket five times ends the offer for the sixth`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let offer = try await desk.node.pairing.offerPairing()
            let secret = try #require(desk.node.identity.acceptedSecrets().last)
            for attempt in 1...6 {
                let impostor = try Impostor(account: AccountID(.zero))
                try await impostor.meet(desk, secret: secret) { encounters in
                    let connection = try #require(await encounters.connection())
                    let request = PairRequest(certificate: [UInt8(attempt)], account: AccountID(.zero))
                    connection.send(PeerMessage.pairRequest(request).encoded)
                    guard case .message(.pairRefusal(let refusal)) = await encounters.next() else {
                        Issue.record("attempt \(attempt) was not refused")
                        return
                    }
                    #expect(PairingRefusal(code: refusal.code) == (attempt < 6 ? .failed : .attempts))
                }
            }
            #expect(
                try await refusal {
                    try await desk.node.pairing.awaitPairing(ticket: offer.ticket, waitMilliseconds: 0)
                }
                    == .ticketAttempts
            )
        }
    }
}
