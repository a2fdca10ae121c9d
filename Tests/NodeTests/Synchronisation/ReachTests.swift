import KairanInterface
import Identity
import Session
import Sync
import TestSupport
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Whether a port is open` {
    private func check(_ node: RunningNode) async throws -> CheckOutcome {
        let checks = try await node.node.health.examine()
        return try #require(checks.first { $0.code == "port.reachable" })
    }

    @Test func `is shown by the doctor on both sides, with the names of the devices that have tried`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            for (node, other) in [(desk, "lap"), (lap, "desk")] {
                // No event of the node tells that it comes.
                while try await !node.node.peers.list(pinging: true).contains(where: { $0.program != nil }) {}
                let check = try await check(node)
                #expect(check.isGood && check.message.hasPrefix("\(other) can connect to TCP port"), "\(check)")
                let statement = try #require(check.statements.first)
                #expect(check.statements.count == 1 && statement.isOwn && statement.outcome == .reached)
                // A second question within the minute gets the same answer, which has become older.
                let again = try #require(try await self.check(node).statements.first)
                #expect(again.outcome == .reached && again.ageMilliseconds >= statement.ageMilliseconds)
            }
        }
    }

    @Test func `is answered by the state of a member's own port, once a minute`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let closed = try #require(ReservedPort())
            let impostor = try Impostor(account: desk.node.identity.account, listenPort: closed.port)
            let certificate = try impostor.keys.certificate(name: "impostor", issued: 1).signed.encoded
            try desk.node.identity.add(VerifiedCertificate(bytes: certificate), role: .full)
            try await impostor.meet(desk, secret: desk.node.identity.fleetSecret) { encounters in
                let connection = try #require(await encounters.connection())
                for number in [UInt64(7), 8] {
                    connection.send(PeerMessage.reachRequest(ReachRequest(number: number)).encoded)
                }
                var answers: [ReachAnswer] = []
                for await encounter in encounters {
                    if case .message(.reachAnswer(let answer)) = encounter { answers.append(answer) }
                    if answers.count == 2 { break }
                }
                #expect(
                    Set(answers) == [
                        ReachAnswer(number: 7, outcome: .refused), ReachAnswer(number: 8, outcome: .notTried),
                    ]
                )
                withExtendedLifetime(closed) {}
            }
        }
    }
}
