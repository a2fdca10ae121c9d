import KairanInterface
import Foundation
import Logging
import Records
import Sodium
import Store
import Sync
import Testing
import Wire

@testable import Identity
@testable import Node

/// Each secret lies in its own file only, and in none at all once the files are sealed; none is logged or printed.
@Suite(.timeLimit(.minutes(5))) struct `Secrets at rest` {
    private static let passphrase = "canary correct horse battery staple"

    @Test func `lie in their own files alone while they are not sealed`() async throws {
        try await withNodes { nodes in
            let log = LogCatcher()
            let desk = try await nodes.start("desk", log: log)
            let canaries = try await live(desk, nodes, log)
            #expect(try canaries.leaks(in: desk.directory.path, isSealed: false, texts: texts(desk, log)) == [])
            try await nodes.stop(desk)
            #expect(try canaries.leaks(in: desk.directory.path, isSealed: false, texts: ["log": log.text]) == [])
            // The secrets are in the files that are searched: a test that cannot find them would always pass.
            let homes = Set(canaries.compactMap(\.home))
            let found = try canaries.leaks(in: desk.directory.path, isSealed: true)
            for home in homes { #expect(found.contains { $0.hasSuffix(" in " + home) }, "\(home)") }
        }
    }

    @Test func `lie nowhere once they are sealed, after a migration, and after errors`() async throws {
        try await withNodes { nodes in
            let log = LogCatcher()
            var desk = try await nodes.start("desk", log: log)
            let incarnation = try await desk.node.health.status().incarnation
            #expect(try await desk.node.health.status().health.map(\.code).contains("keys.unsealed"))
            var canaries = try await live(desk, nodes, log)
            try await nodes.stop(desk)
            let source = Secrets.always(try Secrets.passphrase(Self.passphrase))
            desk = try await nodes.start("desk", in: desk.directory, log: log, unlocking: source)
            // Not a restored store: only the form of its keys has changed.
            #expect(try await desk.node.health.status().incarnation == incarnation)
            #expect(try await desk.node.health.status().health.isEmpty)
            #expect(try await desk.node.records.field("text", of: "milk", in: "notes") == .string("two"))
            canaries += try await live(desk, nodes, log, zone: "more")
            canaries += try sealCanaries(desk.directory.path)
            #expect(try canaries.leaks(in: desk.directory.path, isSealed: true, texts: texts(desk, log)) == [])
            try await nodes.stop(desk)
            var texts = ["log": log.text]
            texts["errors"] = try await errors(desk, nodes, log).joined(separator: "\n")
            #expect(try canaries.leaks(in: desk.directory.path, isSealed: true, texts: texts) == [])
            desk = try await nodes.start("desk", in: desk.directory, log: log, unlocking: source)
            #expect(try await desk.node.health.status().incarnation == incarnation)
        }
    }

    /// The test's own test.
    @Test func `that are planted are found, in every form and in every place`() throws {
        let bytes = (0..<32).map { UInt8($0) &* 7 &+ 3 }
        let canary = Canary("planted", bytes)
        let forms = [
            Hexadecimal.encode(bytes), Hexadecimal.encode(bytes).uppercased(), Data(bytes).base64EncodedString(),
            Base32.encode(bytes), "\(bytes)", Data([1] + bytes).base64EncodedString(),
            Data([1, 2] + bytes).base64EncodedString(), Hexadecimal.encode(bytes.suffix(20)),
        ]
        for form in forms { #expect(canary.isIn("level=error key=\(form) more"), "\(form)") }
        #expect(!canary.isIn("level=error key=\(Hexadecimal.encode((0..<32).map { $0 })) more"))
        let directory = try TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path + "/store", withIntermediateDirectories: true)
        try PrivateFile(path: directory.path + "/store/kairan.db-wal").replace([9, 9] + bytes + [9])
        #expect(try [canary].leaks(in: directory.path, isSealed: true) == ["planted in store/kairan.db-wal"])
        #expect(try [canary].leaks(in: directory.path, isSealed: false) == ["planted in store/kairan.db-wal"])
        let atHome = Canary("planted", bytes, home: "store/kairan.db-wal")
        #expect(try [atHome].leaks(in: directory.path, isSealed: false) == [])
        #expect(try [canary].leaks(in: directory.path, isSealed: true, texts: ["log": forms[0]]).count == 2)
    }

    // MARK: A life with secrets

    /// Makes and uses every kind of secret.
    /// - Returns: The secrets.
    private func live(
        _ desk: RunningNode,
        _ nodes: Neighbourhood,
        _ log: LogCatcher,
        zone name: String = "notes"
    ) async throws -> [Canary] {
        let zone = try await desk.makeZone(name)
        try await desk.put("milk", in: name, text: "two")
        let token = try await desk.node.pairing.makeEnrolmentToken(
            uses: 2,
            lifetimeMilliseconds: 3_600_000,
            role: .full
        ).token
        let guest = try await nodes.start("guest", peers: [desk.address], log: log)
        try await pair(desk, guest)
        // A zone of another account, with the key that its owner delivered, and an invitation that waits.
        let other = try await nodes.start("other", log: log)
        let foreign = try await other.makeZone("theirs")
        let invite = try await other.node.inviting.invite(
            zone: "theirs",
            terms: ShareTerms(level: .read),
            limits: InviteLimits()
        )
        _ = try await InvitationOpening(desk.node.sync).open(invite.invite.link, timeoutMilliseconds: 1)
        let own = desk.node.identity.committer(wallMilliseconds: 0).keyring
        let theirs = other.node.identity.committer(wallMilliseconds: 0).keyring
        let terms = ZoneTerms(
            genesis: try await genesis(of: foreign, on: other),
            tagKey: theirs.zoneTagKey(foreign).exportBytes()
        )
        try await desk.change { committer, _, transaction in
            try ZoneLifecycle(committer).join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
        }
        _ = try await refusal { try await desk.node.pairing.acceptPairing(ticket: token) }
        try await nodes.stop(guest)
        try await nodes.stop(other)
        let epoch = try #require(try await desk.node.zones.zone(name).epoch.flatMap { Hash(text: $0) })
        let epochKey = try #require(try await desk.storage.read { $0.keyring.key(epoch)?.exportBytes() })
        let device = Array(KeyFile.encode(desk.node.identity.keys).dropFirst(13).prefix(64))
        let account = own.exportParts()
        let link = try InviteLink(typed: invite.invite.link)
        let words = try #require(try desk.node.identity.recoveryWords())
        let phrase = try #require(try desk.node.identity.files.recoveryKey.read())
        var stored = try #require(try desk.node.identity.files.storeKey.read())
        stored = Array(stored.dropFirst(13).prefix(32))
        return [
            Canary("signing seed", Array(device[..<32]), home: "keys/device.key"),
            Canary("agreement key", Array(device[32...]), home: "keys/device.key"),
            Canary("fleet key", account.fleetKey, home: "keys/account.key"),
            Canary("account salt", account.accountSalt, home: "keys/account.key"),
            Canary("zone key", account.zoneKey, home: "keys/account.key"),
            Canary("recovery phrase", Array(phrase.dropFirst(13).prefix(32)), home: "keys/recovery.key"),
            Canary("recovery words", text: words.joined(separator: " ")),
            Canary("store key", stored, home: "store.key"),
            Canary("enrolment token", try EnrolmentToken(typed: token).exportBytes(), home: "keys/enrolments"),
            Canary("enrolment token's text", text: String(token.suffix(40))),
            Canary("link's secret", link.secret.exportBytes()),
            Canary("opened link", text: invite.invite.link, home: "keys/joins"),
            Canary("key of an epoch", epochKey),
            Canary("encapsulation seed", desk.node.identity.keys.encapsulationSeed()),
            Canary("own zone's key", own.zoneTagKey(zone).exportBytes()),
            Canary("foreign zone's key", terms.tagKey),
            Canary("channel key", own.presharedKey().exportBytes()),
            Canary("discovery key", own.discoveryKey().exportBytes()),
        ]
    }

    private func genesis(of zone: ZoneID, on node: RunningNode) async throws -> ZoneGenesis {
        try #require(try await node.storage.read { try $0.zone(zone) }).genesis
    }

    /// Returns the passphrase that opens the seal, and the key in it.
    private func sealCanaries(_ directory: String) throws -> [Canary] {
        let seal = try SealFile(decoding: try #require(try PrivateFile(path: directory + "/seal").read()))
        let key = try seal.open(with: Secrets.passphrase(Self.passphrase))
        return [Canary("passphrase", text: Self.passphrase), Canary("sealing key", key.exportBytes())]
    }

    /// Returns everything that is printed of values that hold secrets, and the node's own texts.
    private func texts(_ desk: RunningNode, _ log: LogCatcher) throws -> [String: String] {
        let identity = desk.node.identity
        let row = ZoneRow(
            id: ZoneID(identity.keys.deviceID.digest),
            genesis: identity.committer(wallMilliseconds: 0).keyring.defaultZoneGenesis(
                container: "a.b",
                name: "c",
                owner: identity.account
            ),
            tagKey: identity.committer(wallMilliseconds: 0).keyring.exportParts().zoneKey
        )
        var texts = ["log": log.text]
        let values: [Any] = [
            identity, identity.keys, identity.committer(wallMilliseconds: 0), identity.fleetSecret, identity.welcome(),
            identity.files, identity.files.secrets, identity.acceptedSecrets(), desk.node, row,
            try Secrets.passphrase(Self.passphrase), ZoneTerms(genesis: row.genesis, tagKey: row.tagKey),
        ]
        for (index, value) in values.enumerated() {
            var dumped = ""
            dump(value, to: &dumped, maxDepth: 12, maxItems: 20_000)
            texts["value \(index)"] = String(describing: value) + String(reflecting: value) + dumped
        }
        return texts
    }

    /// Returns the messages of starts that fail.
    private func errors(_ desk: RunningNode, _ nodes: Neighbourhood, _ log: LogCatcher) async throws -> [String] {
        var texts: [String] = []
        func failing(_ unlocking: StateSeal.Source) async throws {
            let error = await #expect(throws: NodeStartError.self) {
                try await nodes.start("desk", in: desk.directory, log: log, unlocking: unlocking)
            }
            texts.append("\(String(describing: error)) \(String(reflecting: error))")
        }
        let right = Secrets.always(try Secrets.passphrase(Self.passphrase))
        try await failing(Secrets.none)
        try await failing(Secrets.always(try Secrets.passphrase("not the right one")))
        try await failing(Secrets.always(try Secrets.credential()))
        for name in ["seal", "keys/device.key", "keys/account.key", "keys/recovery.key", "store.key"]
        where name != "keys/recovery.key" {
            let file = PrivateFile(path: desk.directory.path + "/" + name)
            let whole = try desk.directory.bytes(name)
            var damaged = whole
            damaged[damaged.count / 2] ^= 1
            for bytes in [damaged, Array(whole.dropLast(7)), []] {
                try replace(file, bytes, desk)
                try await failing(right)
                // Nothing was made in its place.
                #expect(try desk.directory.bytes(name) == bytes, "\(name)")
            }
            try replace(file, whole, desk)
        }
        return texts
    }

    /// Replaces a file without making the directory look like a restored backup.
    private func replace(_ file: PrivateFile, _ bytes: [UInt8], _ desk: RunningNode) throws {
        let witness = desk.node.identity.files.deviceKey.file
        try SentinelFile.keeping(desk.node.identity.files.sentinel, witness: witness) { try file.replace(bytes) }
    }
}
