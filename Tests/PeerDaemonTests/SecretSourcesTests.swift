import Foundation
import Identity
import Node
import Testing

@testable import PeerDaemon

@Suite struct `The secret that opens a seal` {
    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("secrets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url.appending(path: "credentials"),
            withIntermediateDirectories: true
        )
        folder = url.path
        try write("passphrase", "the passphrase of the file\n")
        try write("credentials/kairan-key", "a credential that is long enough to be a key")
        try write("credentials/kairan-passphrase", "the passphrase of the service")
    }

    private func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func passphrase(_ text: String) throws -> UnlockingSecret {
        var bytes = Array(text.utf8)
        return try #require(UnlockingSecret.passphrase(wiping: &bytes))
    }

    private func refusal(_ sources: SecretSources) throws -> String {
        try #require(#expect(throws: DaemonConfiguration.Refusal.self) { try sources.secret(for: .make) }).description
    }

    @Test func `is the nearest there is, of the kind that the seal takes`() throws {
        var sources = SecretSources(
            passphraseFile: folder + "/passphrase",
            credentialDirectory: folder + "/credentials"
        )
        let file = try passphrase("the passphrase of the file")
        let made = try #require(try sources.secret(for: .make))
        #expect(made.isEqual(to: file))
        #expect(try sources.secret(for: .open(.passphrase))?.isEqual(to: file) == true)
        #expect(try sources.secret(for: .open(.credential))?.kind == .credential)
        sources.passphraseFile = nil
        #expect(try sources.secret(for: .make)?.kind == .credential)
        let service = try passphrase("the passphrase of the service")
        #expect(try sources.secret(for: .open(.passphrase))?.isEqual(to: service) == true)
        try FileManager.default.removeItem(atPath: folder + "/credentials/kairan-key")
        #expect(try sources.secret(for: .make)?.isEqual(to: service) == true)
        #expect(try sources.secret(for: .open(.credential)) == nil)
        sources.credentialDirectory = nil
        #expect(try sources.secret(for: .make) == nil && sources.secret(for: .open(.passphrase)) == nil)
    }

    @Test func `is refused from a file that others may use, that is none, or that is too short, without showing it`()
        throws
    {
        let path = folder + "/passphrase"
        for mode in [0o640, 0o604, 0o660, 0o602] {
            try write("passphrase", "the passphrase of the file", mode: mode)
            let text = try refusal(SecretSources(passphraseFile: path))
            #expect(text.contains("chmod 600") && !text.contains("the passphrase of"), "\(text)")
        }
        try write("passphrase", "short\n")
        #expect(try refusal(SecretSources(passphraseFile: path)).contains("at least 8 bytes"))
        #expect(try refusal(SecretSources(passphraseFile: folder)).contains("is not a file"))
        #expect(try refusal(SecretSources(passphraseFile: path + "x")).contains("No such file"))
        try write("credentials/kairan-key", "too short for a key")
        #expect(try refusal(SecretSources(credentialDirectory: folder + "/credentials")).contains("at least 32 bytes"))
    }

    @Test func `is requested only at a terminal`() throws {
        // Tests have none.
        #expect(try refusal(SecretSources(asksPassphrase: true)).contains("not a terminal"))
    }

    @Test func `is named by the configuration, except for options of the command line`() throws {
        let file = try ConfigurationFile(path: "/etc/k.yaml", text: "passphrase-file: /etc/kairan/passphrase")
        let configuration = try DaemonConfiguration(
            flags: [:],
            environment: ["CREDENTIALS_DIRECTORY": "/run/credentials/kairand.service"],
            files: [file],
            defaults: ("/s", "/k")
        )
        let expected = SecretSources(
            passphraseFile: "/etc/kairan/passphrase",
            credentialDirectory: "/run/credentials/kairand.service"
        )
        #expect(configuration.secretSources == expected)
        #expect(throws: DaemonConfiguration.Refusal.self) {
            try ConfigurationFile(path: "/etc/k.yaml", text: "ask-passphrase: true")
        }
        #expect(throws: DaemonConfiguration.Refusal.self) {
            let relative = try ConfigurationFile(path: "/etc/k.yaml", text: "passphrase-file: here")
            _ = try DaemonConfiguration(flags: [:], environment: [:], files: [relative], defaults: ("/s", "/k"))
        }
    }
}
