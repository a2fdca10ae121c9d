import KairanInterface
import Identity
import Session
import Sodium
import Sync
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `Recovery of an account` {
    private func words(of node: RunningNode) async throws -> String {
        try await node.node.devices.recoveryPhrase().joined(separator: " ")
    }

    @Test func `a machine that has nothing but the words becomes a device and gets the records`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            try await lap.untilConnected(to: desk)
            let zone = try await lap.makeZone("notes")
            try await lap.put("milk", in: "notes", text: "two")
            try await converged(zone, lap, desk)
            let words = try await words(of: desk)
            // The device that made the account, and kept the words, is gone for good.
            try await nodes.stop(desk)
            let new = try await nodes.start("new", peers: [lap.address])
            let outcome = try await new.node.devices.recoverAccount(words: words.uppercased())
            #expect(outcome.name == "lap" && outcome.words.count == 6)
            #expect(try await new.node.health.status().account == lap.node.health.status().account)
            try await new.untilField("text", of: "milk", in: "notes", is: .string("two"))
            try await lap.untilConnected(to: new)
            #expect(try await lap.node.devices.account().devices.map(\.name) == ["desk", "lap", "new"])
            // It has all rights: the lost device can be removed.
            try await new.node.devices.removeDevice(desk.node.identity.device, words: nil)
            try await lap.until("the lost device is out") {
                try await $0.devices.account().devices.map(\.name) == ["lap", "new"]
            }
            try await new.put("bread", in: "notes", text: "one")
            try await lap.untilField("text", of: "bread", in: "notes", is: .string("one"))
        }
    }

    @Test func `earlier writes of the machine are kept`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start("desk")
            let new = try await nodes.start("new", peers: [desk.address])
            try await new.makeZone("notes")
            try await new.put("milk", in: "notes", text: "two")
            _ = try await new.node.devices.recoverAccount(words: try await words(of: desk))
            try await desk.untilField("text", of: "milk", in: "notes", is: .string("two"))
        }
    }

    @Test func `mistyped words are refused without a search, and the wrong one is named`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let words = try await desk.node.devices.recoveryPhrase()
            var wrong = words
            wrong[3] = "kairan"
            do {
                _ = try await desk.node.devices.recoverAccount(words: wrong.joined(separator: " "))
                Issue.record("accepted")
            } catch let error as NodeError {
                #expect(error.code == .recoveryMalformed && error.message.contains("kairan"))
            }
            try await expectRefusal(.recoveryMalformed) {
                try await desk.node.devices.recoverAccount(words: words.dropLast().joined(separator: " "))
            }
            // Other words in another order have a right checksum once in 256 times; these never.
            try await expectRefusal(.recoveryMalformed) {
                try await desk.node.devices.recoverAccount(
                    words: Array(repeating: "abandon", count: 24).joined(separator: " ")
                )
            }
        }
    }

    @Test func `words of an account without a reachable device are not found`() async throws {
        try await withNodes { nodes in
            let (desk, elsewhere) = (try await nodes.start(), try await nodes.start())
            let new = try await nodes.start(peers: [desk.address])
            let words = try await words(of: elsewhere)
            let code = try await refusal {
                try await AccountRecovery(new.node.sync).recover(words: words, timeoutMilliseconds: 400)
            }
            #expect(code == .recoveryNotFound)
            #expect(try await desk.node.devices.account().devices.count == 1)
        }
    }

    @Test func `an account named by its id is found despite a forged one with the same recovery key`() async throws {
        try await withNodes { nodes in
            let (desk, thief) = (try await nodes.start("desk"), try await nodes.start("thief"))
            let words = try await words(of: desk)
            let account = try await desk.node.health.status().account
            // A device that was in the account once has its secrets, and founds an account of its own with the same recovery key.
            let identity = thief.node.identity
            var random = SystemRandom()
            let log = try AccountLog.create(
                identity: identity.keys,
                certificate: identity.certificate,
                recoveryKey: desk.node.identity.accountState.recoveryKey,
                name: "thief",
                using: &random
            )
            try identity.replaceAccount(log: log, keyring: AccountKeyring(desk.node.identity.welcome().secrets))
            let new = try await nodes.start("new", peers: [thief.address])
            let code = try await refusal {
                try await AccountRecovery(new.node.sync).recover(
                    words: words,
                    account: account.text,
                    timeoutMilliseconds: 400
                )
            }
            #expect(code == .recoveryNotFound)
            #expect(try await thief.node.devices.account().devices.count == 1)
            await new.node.sync.add(peers: [desk.address])
            let outcome = try await new.node.devices.recoverAccount(
                words: words,
                account: String(account.text.prefix(16))
            )
            #expect(outcome.account == account && outcome.name == "desk")
            try await expectRefusal(.invalidArgument) {
                try await thief.node.devices.recoverAccount(words: words, account: "abc")
            }
        }
    }

    @Test func `the words of the own account are not needed`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let words = try await words(of: desk)
            try await expectRefusal(.recoveryNotNeeded) { try await desk.node.devices.recoverAccount(words: words) }
        }
    }

    @Test func `a device whose account has other devices stays in it`() async throws {
        try await withNodes { nodes in
            let (desk, lap, other) = (try await nodes.start(), try await nodes.start(), try await nodes.start())
            try await pair(desk, lap)
            let words = try await words(of: other)
            try await expectRefusal(.accountHasDevices) { try await lap.node.devices.recoverAccount(words: words) }
        }
    }

    @Test func `words that were replaced are refused with the reason`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let words = try await words(of: desk)
            let old = RecoveryKey(try RecoveryPhrase(typed: words))
            var random = SystemRandom()
            let phrase = RecoveryPhrase(using: &random)
            _ = try desk.node.identity.change { log in
                let entry = try log.replacingRecoveryKey(with: phrase.publicKey, recoveryKey: old, using: &random)
                return try log.insert(entry.encoded)
            }
            try desk.node.identity.answer(RecoveryDoor(phrase))
            let new = try await nodes.start(peers: [desk.address])
            try await expectRefusal(.recoveryReplaced) { try await new.node.devices.recoverAccount(words: words) }
            let current = phrase.words.joined(separator: " ")
            #expect(
                try await new.node.devices.recoverAccount(words: current).account == desk.node.health.status().account
            )
        }
    }

    @Test func `the words remove the stolen first device for good, and bring the one back that it had removed`()
        async throws
    {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            let words = try await words(of: desk)
            try await pair(desk, lap)
            try await lap.untilConnected(to: desk)
            _ = try await lap.makeZone("notes")
            let (thief, account) = (desk.node.identity, desk.node.identity.account)
            let old = try #require(thief.log(of: account))
            func answer() throws -> [UInt8] {
                var random = SystemRandom()
                let signer = AccountSigner.device(thief.keys)
                return try old.removingDevice(lap.node.identity.device, witness: nil, signer: signer, using: &random)
                    .encoded
            }
            try await nodes.stop(desk)
            try await lap.node.devices.removeDevice(thief.device, words: nil)
            // A modified program answers like one that does not know of it.
            _ = try lap.node.identity.insert([try answer()])
            #expect(lap.node.identity.standing(of: lap.node.identity.device) == .removed)
            try await lap.node.devices.removeDevice(thief.device, words: words)
            let status = try await lap.node.devices.account()
            #expect(status.devices.map(\.name) == ["lap"] && status.removed.map(\.device) == [thief.device])
            try await lap.put("milk", in: "notes", text: "two")
            for _ in 0..<2 { _ = try lap.node.identity.insert([try answer()]) }
            #expect(try await lap.node.devices.account().devices.map(\.name) == ["lap"])
            try await lap.put("milk", in: "notes", text: "three")
        }
    }

    @Test func `words that are not this account's present ones remove and replace nothing`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            let (device, foreign) = (lap.node.identity.device, try await nodes.start("other"))
            let (present, others) = (try await words(of: desk), try await words(of: foreign))
            for (typed, code) in [(others, NodeError.Code.recoveryOtherAccount), ("abandon", .recoveryMalformed)] {
                try await expectRefusal(code) { try await desk.node.devices.removeDevice(device, words: typed) }
                try await expectRefusal(code) { try await desk.node.devices.replaceRecoveryWords(words: typed) }
            }
            let new = try await lap.node.devices.replaceRecoveryWords(words: present).joined(separator: " ")
            #expect(try await lap.node.devices.recoveryPhrase().joined(separator: " ") == new)
            let key = lap.node.identity.accountState.recoveryKey
            // No event reports it.
            while desk.node.identity.accountState.recoveryKey != key { await Task.yield() }
            try await expectRefusal(.recoveryUnavailable) { try await desk.node.devices.recoveryPhrase() }
            for node in [desk, lap] {
                try await expectRefusal(.recoveryReplaced) {
                    try await node.node.devices.replaceRecoveryWords(words: present)
                }
            }
            try await expectRefusal(.recoveryReplaced) {
                try await desk.node.devices.removeDevice(device, words: present)
            }
            try await desk.node.devices.removeDevice(device, words: new)
            #expect(try await desk.node.devices.account().devices.map(\.name) == ["desk"])
        }
    }

    @Test func `every device answers words that another one has made`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start("desk"), try await nodes.start("lap"))
            try await pair(desk, lap)
            try await lap.untilConnected(to: desk)
            let present = try await words(of: desk)
            let new = try await lap.node.devices.replaceRecoveryWords(words: present).joined(separator: " ")
            let key = lap.node.identity.accountState.recoveryKey
            // No event reports it.
            while desk.node.identity.recoverySecret == nil || desk.node.identity.accountState.recoveryKey != key {
                await Task.yield()
            }
            try await nodes.stop(lap)
            let guest = try await nodes.start("guest", peers: [desk.address])
            try await expectRefusal(.recoveryReplaced) { try await guest.node.devices.recoverAccount(words: present) }
            #expect(try await guest.node.devices.recoverAccount(words: new).name == "desk")
        }
    }

    @Test func `a removed device learns that it stays removed`() async throws {
        try await withNodes { nodes in
            let (desk, lap) = (try await nodes.start(), try await nodes.start())
            let words = try await words(of: desk)
            try await pair(desk, lap)
            try await lap.untilConnected(to: desk)
            try await desk.node.devices.removeDevice(lap.node.identity.device, words: nil)
            try await lap.until("it is notified") {
                try await $0.health.status().health.map(\.code).contains("account.removed")
            }
            try await expectRefusal(.forbidden) { try await lap.node.devices.recoverAccount(words: words) }
            // It does not help others into the account that it was removed from, either.
            let new = try await nodes.start(peers: [lap.address])
            let code = try await refusal {
                try await AccountRecovery(new.node.sync).recover(words: words, timeoutMilliseconds: 400)
            }
            #expect(code == .recoveryNotFound)
        }
    }

    /// An entry by other words than the account's.
    private func entry(_ impostor: Impostor, _ node: RunningNode) throws -> [UInt8] {
        var random = SystemRandom()
        return try RecoveryKey(RecoveryPhrase(using: &random)).entryAdding(
            try impostor.keys.certificate(name: "impostor", issued: 1),
            account: node.node.identity.account,
            heads: node.node.identity.accountHeads,
            using: &random
        ).encoded
    }

    @Test func `a caller with only the public half, or the secrets of a removed device, gets no answer`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let key = desk.node.identity.accountState.recoveryKey
            let purpose = ChannelSecret.Purpose.recovery(key: key.bytes)
            let half = try SymmetricKey(bytes: key.bytes)
            let door = try #require(desk.node.identity.welcome().secrets.recoverySecrets.first)
            #expect(door.key == key.bytes)
            var random = SystemRandom()
            let other = RecoveryKey(RecoveryPhrase(using: &random))
            let secrets = [
                // The secret that every peer can compute that receives the account log.
                ChannelSecret(purpose: purpose, key: half.derivedKey(.recoveryChannel, placement: .guarded)),
                // The secret that each device has, also one that was removed.
                ChannelSecret(purpose: purpose, key: try SymmetricKey(bytes: door.secret)),
                ChannelSecret(purpose: purpose, key: try SymmetricKey(bytes: door.secret)) { message, context in
                    other.signingKey.signature(over: message, context: context)
                },
            ]
            for secret in secrets {
                for version in [ChannelVersion.classical, .hybrid] {
                    let impostor = try Impostor(account: desk.node.identity.account)
                    try await impostor.meet(desk, secret: secret, version: version) { encounters in
                        let connection = await encounters.connection()
                        #expect(connection == nil)
                    }
                }
            }
        }
    }

    @Test func `a caller with the words and another entry is not added`() async throws {
        try await withNodes { nodes in
            let desk = try await nodes.start()
            let key = RecoveryKey(try RecoveryPhrase(typed: try await words(of: desk)))
            let secret = ChannelSecret(
                purpose: .recovery(key: key.publicKey.bytes),
                key: key.door.presharedKey()
            ) { message, context in key.signingKey.signature(over: message, context: context) }
            let impostor = try Impostor(account: desk.node.identity.account)
            let entry = try entry(impostor, desk)
            try await impostor.meet(desk, secret: secret) { encounters in
                let connection = try #require(await encounters.connection())
                connection.send(PeerMessage.recoverRequest(RecoverRequest(entry: entry)).encoded)
                guard case .message(.pairRefusal(let refusal)) = await encounters.next() else {
                    Issue.record("it was not refused")
                    return
                }
                #expect(refusal.code == PairingRefusal.failed.rawValue)
            }
            let second = try Impostor(account: desk.node.identity.account)
            try await second.meet(desk, secret: secret) { encounters in
                let connection = try #require(await encounters.connection())
                let request = PairRequest(
                    certificate: try second.keys.certificate(name: "impostor", issued: 1).signed.encoded,
                    account: desk.node.identity.account
                )
                connection.send(PeerMessage.pairRequest(request).encoded)
                #expect(await encounters.closeReason() == .peer(CloseCode(rawValue: SyncCloseCode.violation.rawValue)))
            }
            #expect(try await desk.node.devices.account().devices.count == 1)
        }
    }
}
