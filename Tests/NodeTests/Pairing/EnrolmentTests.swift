import KairanInterface
import Glibc
import Identity
import Peering
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Enrolment by a token in a file` {
    private func token(
        _ node: RunningNode,
        uses: Int = 1,
        seconds: UInt64 = 3_600,
        role: DeviceRole = .full
    ) async throws -> String {
        try await node.node.pairing.makeEnrolmentToken(uses: uses, lifetimeMilliseconds: seconds * 1_000, role: role)
            .token
    }

    /// Puts a file into a node's state directory.
    private func file(_ text: String, on node: RunningNode, mode: mode_t = 0o600) throws -> EnrolmentFile {
        let path = node.directory.path + "/enrolment-token"
        try PrivateFile(path: path).replace(Array((text + "\n").utf8))
        #expect(chmod(path, mode) == 0)
        return EnrolmentFile(path: path)
    }

    private func exists(_ file: EnrolmentFile) -> Bool { access(file.path, F_OK) == 0 }

    private func warning(_ node: RunningNode) async throws -> String {
        try await node.node.health.status().health.first { $0.code == "enrolment.file" }?.message ?? ""
    }

    @Test func `as many machines join by themselves as the token has uses, and remove the file`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let text = try await token(desk, uses: 2)
            for name in ["one", "two"] {
                let new = try await nodes.start(name, peers: [desk.address])
                let file = try file(text, on: new)
                await UnattendedEnrolment(new.node.sync, file: file).run()
                #expect(!exists(file))
                #expect(try await new.node.health.status().account == desk.node.health.status().account)
                #expect(try await new.troubles().isEmpty)
                try await desk.untilConnected(to: new)
            }
            #expect(try await desk.node.devices.account().devices.map(\.name) == ["desk", "one", "two"])
            let third = try await nodes.start("three", peers: [desk.address])
            let left = try file(text, on: third)
            await UnattendedEnrolment(third.node.sync, file: left).run()
            #expect(exists(left))
            #expect(try await warning(third).contains("as many machines"))
            #expect(try await desk.node.devices.account().devices.count == 3)
        }
    }

    @Test func `a token survives a restart of its device, and so does the number of its uses`() async throws {
        try await withNodes { nodes in
            var desk = try await nodes.start("desk")
            let text = try await token(desk, uses: 2)
            desk = try await nodes.restart(desk)
            let one = try await nodes.start("one", peers: [desk.address])
            _ = try await Enrolment(one.node.sync).enrol(EnrolmentToken(typed: text))
            try await nodes.kill(desk)
            desk = try await nodes.start("desk", in: desk.directory)
            let two = try await nodes.start("two", peers: [desk.address])
            _ = try await Enrolment(two.node.sync).enrol(EnrolmentToken(typed: text))
            let three = try await nodes.start("three", peers: [desk.address])
            try await expectRefusal(.ticketUsed) {
                try await Enrolment(three.node.sync).enrol(EnrolmentToken(typed: text))
            }
        }
    }

    @Test func `an expired token vanishes, from the file too`() async throws {
        try await withNodes { nodes in
            let clock = TurnedClock()
            let desk = try await nodes.start("desk", clock: clock.clock)
            let text = try await token(desk, seconds: 60)
            clock.advance(by: 60_000)
            let new = try await nodes.start(peers: [desk.address])
            let code = try await refusal {
                try await Enrolment(new.node.sync).enrol(EnrolmentToken(typed: text), timeoutMilliseconds: 400)
            }
            // The ticket is refused at first, and unknown once the node has forgotten it.
            #expect(code == .ticketExpired || code == .ticketNotFound)
            await DevicePairing(desk.node.sync).endExpiredOffers()
            let bytes = try #require(try desk.node.identity.files.enrolments.read())
            #expect(try EnrolmentBook(decoding: bytes).offers.isEmpty)
            #expect(try await desk.node.devices.account().devices.count == 1)
        }
    }

    @Test func `withdrawn tokens admit no device`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let text = try await token(desk)
            try await desk.node.pairing.withdrawEnrolmentTokens()
            let new = try await nodes.start(peers: [desk.address])
            let code = try await refusal {
                try await Enrolment(new.node.sync).enrol(EnrolmentToken(typed: text), timeoutMilliseconds: 400)
            }
            #expect(code == .ticketNotFound)
        }
    }

    @Test func `a device whose account has other devices ignores the file, and reports it`() async throws {
        try await withNodes { nodes in
            let (desk, lap, other) = (try await nodes.start(), try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            await lap.node.sync.add(peers: [other.address])
            let file = try file(try await token(other), on: lap)
            await UnattendedEnrolment(lap.node.sync, file: file).run()
            #expect(exists(file))
            #expect(try await warning(lap).contains("is ignored"))
            #expect(try await other.node.devices.account().devices.count == 1)
        }
    }

    @Test func `a file that others may read, or that holds something else, is not used`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let text = try await token(desk)
            let new = try await nodes.start(peers: [desk.address])
            await UnattendedEnrolment(new.node.sync, file: try file(text, on: new, mode: 0o640)).run()
            #expect(try await warning(new).contains("used by users other"))
            await UnattendedEnrolment(new.node.sync, file: try file("KAIRAN-ENROL:ABCD", on: new)).run()
            #expect(try await warning(new).contains("no enrolment token"))
            let link = EnrolmentFile(path: new.directory.path + "/link")
            #expect(symlink(try file(text, on: new).path, link.path) == 0)
            await UnattendedEnrolment(new.node.sync, file: link).run()
            #expect(try await warning(new).contains("cannot be opened"))
            await UnattendedEnrolment(new.node.sync, file: EnrolmentFile(path: new.directory.path)).run()
            #expect(try await warning(new).contains("is not a file"))
            #expect(try await desk.node.devices.account().devices.count == 1)
            // Usually there is no such file.
            await UnattendedEnrolment(new.node.sync, file: EnrolmentFile(path: new.directory.path + "/nothing")).run()
        }
    }

    @Test func `a search for a token yields to pairing by a person`() async throws {
        try await withNodes { nodes in
            let (desk, elsewhere) = (try await nodes.start(), try await nodes.start())
            let text = try await token(elsewhere)
            let new = try await nodes.start(peers: [desk.address])
            async let enrolled = refusal { try await Enrolment(new.node.sync).enrol(EnrolmentToken(typed: text)) }
            // A search that begins is no event of the node.
            while await new.node.sync.core.joining.search == nil { await Task.yield() }
            try await pair(desk, new)
            #expect(try await enrolled == .busy)
            #expect(try await new.node.health.status().account == desk.node.health.status().account)
        }
    }

    @Test func `a machine that is in already, and asks again, costs no use`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let text = try await token(desk)
            var new = try await nodes.start("new")
            try await nodes.stop(new)
            let before = try new.directory.copy()
            new = try await nodes.start("new", in: new.directory, peers: [desk.address])
            let alone = try await nodes.start("spare", peers: [desk.address])
            _ = try await Enrolment(new.node.sync).enrol(EnrolmentToken(typed: text))
            // It lost everything that it was given, except its keys.
            try await nodes.stop(new)
            try new.directory.restore(from: before)
            let again = try await nodes.start("new", in: new.directory, peers: [desk.address])
            _ = try await Enrolment(again.node.sync).enrol(EnrolmentToken(typed: text))
            #expect(try await again.node.health.status().account == desk.node.health.status().account)
            try await expectRefusal(.ticketUsed) {
                try await Enrolment(alone.node.sync).enrol(EnrolmentToken(typed: text))
            }
            #expect(try await desk.node.devices.account().devices.count == 2)
        }
    }

    @Test func `tokens have their limits`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            for (uses, lifetime) in [(0, 60_000), (257, 60_000), (1, 59_999), (1, 2_592_000_001)] as [(Int, UInt64)] {
                try await expectRefusal(.invalidArgument) {
                    try await desk.node.pairing.makeEnrolmentToken(
                        uses: uses,
                        lifetimeMilliseconds: lifetime,
                        role: .full
                    )
                }
            }
            for _ in 0..<EnrolmentBook.countMax { _ = try await token(desk) }
            try await expectRefusal(.enrolmentTooMany) { try await token(desk) }
        }
    }
}
