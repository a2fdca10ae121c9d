import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct `The secret of two accounts` {
    private static func keyring(_ seed: UInt64) -> AccountKeyring {
        var generator = SeededGenerator(seed: seed)
        return AccountKeyring(using: &generator)
    }

    private static func account(_ number: UInt64) -> AccountID {
        AccountID(Digest32(word0: number, word1: 1, word2: 2, word3: 3))
    }

    /// Returns the terms that account `own` derives with `other`; the accounts' secrets come from their numbers.
    private static func terms(
        _ own: UInt64,
        _ other: UInt64,
        container: String = "org.example.chat",
        name: String = "chat",
        keyring: AccountKeyring? = nil
    ) throws -> ZoneTerms {
        let otherKey = try Self.keyring(other).pairKey().publicKey
        let secret = try PairSecret(
            keyring ?? Self.keyring(own),
            of: account(own),
            with: account(other),
            otherKey
        )
        return secret.terms(container: container, name: name)
    }

    @Test func `gives both the same zone, offline, whichever asks`() throws {
        let (first, second) = (try Self.terms(1, 2), try Self.terms(2, 1))
        #expect(first == second && ZoneID(first.genesis) == ZoneID(second.genesis))
        #expect(first.genesis.owners == [Self.account(1), Self.account(2)] && first.genesis.form == .pair)
        #expect(first.genesis.partner(of: Self.account(2)) == Self.account(1))
        #expect(first.genesis.partner(of: Self.account(3)) == nil)
        let parts = Self.keyring(1).exportParts()
        let sibling = try AccountKeyring(
            fleetKey: parts.fleetKey,
            accountSalt: parts.accountSalt,
            zoneKey: parts.zoneKey
        )
        #expect(try Self.terms(1, 2, keyring: sibling) == first, "a device that was let in later")
    }

    @Test func `gives each pair, container and name a zone of its own`() throws {
        let all = [
            try Self.terms(1, 2), try Self.terms(1, 3), try Self.terms(2, 3),
            try Self.terms(1, 2, container: "org.example.other"), try Self.terms(1, 2, name: "other"),
            try Self.terms(1, 2, container: "org.example.cha", name: "tchat"),
        ]
        #expect(Set(all.map { ZoneID($0.genesis) }).count == all.count)
        #expect(Set(all.map(\.genesis.salt)).count == all.count && Set(all.map(\.tagKey)).count == all.count)
    }

    @Test func `cannot be made by a third account that knows both logs`() throws {
        let wanted = try Self.terms(1, 2)
        let outsider = Self.keyring(3)
        let keys = [try Self.keyring(1).pairKey().publicKey, try Self.keyring(2).pairKey().publicKey]
        // A third account can only claim to be one of the two.
        for (own, other, key) in [(1, 2, keys[1]), (2, 1, keys[0]), (1, 2, keys[0]), (2, 1, keys[1])] {
            let guess = try PairSecret(
                outsider,
                of: Self.account(UInt64(own)),
                with: Self.account(UInt64(other)),
                key
            )
            let terms = guess.terms(container: "org.example.chat", name: "chat")
            #expect(ZoneID(terms.genesis) != ZoneID(wanted.genesis) && terms.tagKey != wanted.tagKey)
        }
    }

    @Test func `is refused with a key that is none`() throws {
        let none = try AgreementPublicKey(bytes: Array(repeating: 0, count: 32))
        #expect(throws: SodiumError.self) {
            _ = try PairSecret(Self.keyring(1), of: Self.account(1), with: Self.account(2), none).terms(
                container: "c",
                name: "n"
            ).tagKey
        }
    }

    @Test func `is part of the identity of its zones with both accounts`() throws {
        let genesis = try Self.terms(1, 2).genesis
        let other = ZoneGenesis(
            owners: (Self.account(1), Self.account(3)),
            container: genesis.container,
            name: genesis.name,
            salt: genesis.salt
        )
        let alone = ZoneGenesis(
            owner: Self.account(1),
            container: genesis.container,
            name: genesis.name,
            salt: genesis.salt,
            history: .full,
            isDefault: false
        )
        #expect(Set([genesis, other, alone].map { ZoneID($0) }).count == 3)
        #expect(try ZoneGenesis(decoding: genesis.encoded) == genesis)
        // The two in the wrong order, one account twice, and an unknown form.
        let bytes = genesis.encoded
        let (start, end) = (Array(bytes[..<32]), Array(bytes[(bytes.count - 32)...]))
        let middle = Array(bytes[32..<(bytes.count - 32)])
        #expect(throws: WireError.self) { try ZoneGenesis(decoding: end + middle + start) }
        #expect(throws: WireError.self) { try ZoneGenesis(decoding: start + middle + start) }
        #expect(throws: WireError.self) { try ZoneGenesis(decoding: start + middle.dropLast() + [3] + end) }
    }
}

@Suite struct `The pair key of an account` {
    private struct World {
        var random = SeededGenerator(seed: 61)
        let keyring: AccountKeyring
        let recovery: RecoveryKey
        let devices: [DeviceIdentity]
        var log: AccountLog

        init() throws {
            keyring = AccountKeyring(using: &random)
            recovery = RecoveryKey(RecoveryPhrase(using: &random))
            devices = [DeviceIdentity(using: &random), DeviceIdentity(using: &random)]
            log = try AccountLog.create(
                identity: devices[0],
                certificate: try devices[0].certificate(name: "d", issued: 1),
                recoveryKey: recovery.publicKey,
                name: "d",
                using: &random
            )
            let second = try log.addingDevice(
                try devices[1].certificate(name: "e", issued: 1),
                role: .full,
                name: "e",
                signer: .device(devices[0]),
                using: &random
            )
            try log.insert(second.encoded)
        }

        mutating func state(_ key: AgreementPublicKey, by device: Int) throws -> [UInt8]? {
            try log.statingPairKey(key, by: devices[device], using: &random)?.encoded
        }
    }

    private static func other(_ seed: UInt64) throws -> AgreementPublicKey {
        var random = SeededGenerator(seed: seed)
        return try AccountKeyring(using: &random).pairKey().publicKey
    }

    @Test func `is unknown until it is stated, and is stated once`() throws {
        var world = try World()
        let key = try world.keyring.pairKey().publicKey
        #expect(world.log.state.pairKey == nil)
        let before = world.log
        let first = try #require(try world.state(key, by: 0))
        world.log = before
        let second = try #require(try world.state(key, by: 1))
        // Two devices state it concurrently.
        for entries in [[first, second], [second, first]] {
            world.log = before
            for entry in entries { try world.log.insert(entry) }
            #expect(world.log.state.pairKey == key)
        }
        #expect(try world.state(key, by: 0) == nil && world.state(key, by: 1) == nil)
    }

    @Test func `that a device made up goes with the device`() throws {
        var world = try World()
        let (right, wrong) = (try world.keyring.pairKey().publicKey, try Self.other(7))
        try world.log.insert(try #require(try world.state(wrong, by: 1)))
        #expect(world.log.state.pairKey == wrong)
        try world.log.insert(try #require(try world.state(right, by: 0)))
        #expect(world.log.state.pairKey == wrong, "of equal ones the first")
        let removal = try world.log.removingDevice(
            world.devices[1].deviceID,
            witness: world.devices[0].deviceID,
            signer: .device(world.devices[0]),
            using: &world.random
        )
        try world.log.insert(removal.encoded)
        #expect(world.log.state.pairKey == right)
    }
}
