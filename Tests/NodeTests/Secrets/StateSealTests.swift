import KairanInterface
import Identity
import Peering
import Sodium
import TestSupport
import Testing
import Wire

@testable import Node

@Suite struct `A state directory's seal` {
    private let directory: TestDirectory
    private let clear: IdentityFiles
    private let contents: [[UInt8]]

    private var seal: StateSeal { StateSeal(directory: directory.path, parameters: .least) }

    /// A directory with every file that has secrets, in the clear.
    init() throws {
        directory = try TestDirectory()
        clear = IdentityFiles(directory: directory.path)
        try clear.prepare()
        var random = SeededGenerator(seed: 46)
        let token = EnrolmentToken(using: &random)
        var book = EnrolmentBook()
        _ = book.add(EnrolmentOffer(token: token, role: .full, uses: 1, endMilliseconds: 1 << 41))
        let account = AccountID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))
        contents = [
            KeyFile.encode(AccountKeyring(using: &random), of: account),
            KeyFile.encode(RecoveryPhrase(using: &random)),
            book.encoded,
            OpenedInvitations(InvitationCore<PeerAddress>()).encoded,
            KeyFile.encode(storeKey: .generate(using: &random)),
            KeyFile.encode(relaySeed: .generate(using: &random)), KeyFile.encode(DeviceIdentity(using: &random)),
        ]
        for (file, content) in zip(clear.secrets, contents) { try file.write(content, erasesOld: false) }
    }

    /// Returns the contents of the files in the clear, opened with the key if there is one.
    private func read(_ key: SealingKey?) throws -> [[UInt8]?] {
        try IdentityFiles(directory: directory.path, sealingKey: key).secrets.map { try $0.read() }
    }

    private func sealedCount() throws -> Int { try clear.secrets.count { try $0.isSealed() } }

    @Test func `is made when a secret is given, and opens with it from then on`() throws {
        for secret in [try Secrets.passphrase(), try Secrets.credential()] {
            let made = try #require(try seal.unlock(Secrets.always(secret)))
            #expect(try sealedCount() == contents.count && read(made) == contents)
            let opened = try #require(try seal.unlock(Secrets.always(secret)))
            #expect(opened.name == made.name)
            #expect(try seal.kind() == secret.kind)
            #expect(try seal.remove(Secrets.always(secret)))
            #expect(try sealedCount() == 0 && read(nil) == contents && !directory.exists("seal"))
        }
        #expect(try seal.unlock(Secrets.none) == nil)
        #expect(try !seal.remove(Secrets.none))
    }

    @Test func `asks for its kind of secret, and for any kind when there is no seal yet`() throws {
        let asked = Asked()
        _ = try seal.unlock { request in
            asked.note(request)
            return try Secrets.credential()
        }
        _ = try seal.unlock { request in
            asked.note(request)
            return try Secrets.credential()
        }
        #expect(asked.requests == [.make, .open(.credential)])
    }

    @Test func `changes nothing for a wrong secret, none, or one of another kind`() throws {
        _ = try seal.unlock(Secrets.always(Secrets.passphrase()))
        let before = try everything()
        for (source, reason) in [
            (Secrets.always(try Secrets.passphrase("another passphrase")), StateSealError.Reason.seal(.wrongSecret)),
            (Secrets.none, .noSecret(.passphrase)), (Secrets.always(try Secrets.credential()), .noSecret(.passphrase)),
        ] {
            let error = StateSealError(directory: directory.path, reason: reason)
            #expect(throws: error) { try seal.unlock(source) }
            #expect(throws: error) { try seal.remove(source) }
        }
        #expect(try everything() == before)
    }

    @Test func `is never replaced when it is damaged, of a later version, or lost`() throws {
        _ = try seal.unlock(Secrets.always(Secrets.credential()))
        let whole = try directory.bytes("seal")
        var later = whole
        later[11] = 2
        for bytes in [Array(whole.dropLast()), [], later, Array("something else".utf8)] {
            try PrivateFile(path: directory.path + "/seal").replace(bytes)
            let before = try everything()
            #expect(throws: StateSealError.self) { try seal.unlock(Secrets.always(Secrets.credential())) }
            #expect(throws: StateSealError.self) { try seal.unlock(Secrets.none) }
            #expect(try everything() == before)
        }
        try directory.remove("seal")
        let before = try everything()
        let lost = #expect(throws: SecretFile.Failure.self) { try seal.unlock(Secrets.always(Secrets.credential())) }
        #expect(lost?.reason == .sealed && lost?.description.contains("restore the file \"seal\"") == true)
        #expect(try everything() == before && !directory.exists("seal"))
        // The original seal can be restored.
        try PrivateFile(path: directory.path + "/seal").replace(whole)
        #expect(try read(seal.unlock(Secrets.always(Secrets.credential()))) == contents)
    }

    @Test func `of another directory does not open these files, and says so`() throws {
        _ = try seal.unlock(Secrets.always(Secrets.credential()))
        try directory.remove("seal")
        let other = try TestDirectory()
        _ = try StateSeal(directory: other.path).unlock(Secrets.always(Secrets.credential()))
        try PrivateFile(path: directory.path + "/seal").replace(try other.bytes("seal"))
        let key = try seal.unlock(Secrets.always(Secrets.credential()))
        let failure = #expect(throws: SecretFile.Failure.self) { try read(key) }
        #expect(failure?.reason == .otherSeal)
    }

    @Test func `is locked anew with another secret in one file, and the old one opens it no more`() throws {
        let key = try #require(try seal.unlock(Secrets.always(Secrets.passphrase())))
        let before = try everything().filter { $0.key != "seal" }
        try seal.relock(key, with: Secrets.credential())
        #expect(throws: StateSealError.self) { try seal.unlock(Secrets.always(Secrets.passphrase())) }
        #expect(try read(seal.unlock(Secrets.always(Secrets.credential()))) == contents)
        #expect(try everything().filter { $0.key != "seal" } == before)
    }

    /// The states that a crash can leave between two renames, in both directions.
    @Test(arguments: 0...6) func `resumes interrupted work from every point`(_ count: Int) throws {
        let secret = try Secrets.credential()
        let key = try #require(try seal.unlock(Secrets.always(secret)))
        for (file, content) in zip(clear.secrets, contents).prefix(count) {
            try file.write(content, erasesOld: false)
            // And the file that was being written.
            try PrivateFile(path: file.path + ".new").replace(Array(content.dropLast(9)))
        }
        #expect(try sealedCount() == contents.count - count)
        #expect(try read(key) == contents)
        #expect(try read(seal.unlock(Secrets.always(secret))) == contents)
        #expect(try sealedCount() == contents.count)
        #expect(try everything().keys.filter { $0.hasSuffix(".new") }.isEmpty)
        for (file, content) in zip(clear.secrets, contents).prefix(count) { try file.write(content, erasesOld: false) }
        // All in the clear, and only the seal left: it goes without any secret.
        #expect(try seal.remove(count == contents.count ? Secrets.none : Secrets.always(secret)))
        #expect(try read(nil) == contents)
    }

    @Test func `leaves a file alone that is damaged in the clear`() throws {
        for (index, file) in clear.secrets.enumerated() {
            let damaged = Array(contents[index].dropLast())
            try file.write(damaged, erasesOld: false)
            let key = try seal.unlock(Secrets.always(Secrets.credential()))
            #expect(try file.file.read() == damaged && sealedCount() == contents.count - 1, "\(file.path)")
            #expect(key != nil)
            try file.write(contents[index], erasesOld: false)
        }
    }

    @Test func `overwrites the plain content, as an open reader sees`() throws {
        let open = try clear.secrets.map { try OpenFile($0.path) }
        _ = try seal.unlock(Secrets.always(Secrets.credential()))
        for (file, content) in zip(open, contents) {
            #expect(file.bytes() == [UInt8](repeating: 0, count: content.count))
        }
    }

    private func everything() throws -> [String: [UInt8]] {
        var all: [String: [UInt8]] = [:]
        for name in ["keys", "."] {
            for entry in try PrivateFile.names(in: directory.path + "/" + name) where !entry.hasPrefix(".") {
                guard entry != "keys", entry != "contacts" else { continue }
                all[entry] = try directory.bytes(name + "/" + entry)
            }
        }
        return all
    }
}
