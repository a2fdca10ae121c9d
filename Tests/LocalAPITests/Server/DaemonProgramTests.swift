import FoundationEssentials
import Glibc
import KairanClient
import TestSupport
import Testing

@testable import LocalAPI

/// The program `kairand` as a service manager runs it, with files of applications.
@Suite struct `The program kairand` {
    private struct Daemon: Sendable {
        let process: Subprocess
        let socket: String
        let applications: String

        /// Reads its log up to a line that has some words.
        func log(until words: String) async throws -> [String] {
            var lines: [String] = []
            while let line = await process.nextErrorLine() {
                lines.append(line)
                if line.contains(words) { return lines }
            }
            Issue.record("the daemon has ended without \(words): \(lines)")
            return lines
        }

        func write(_ text: String, _ name: String) throws {
            try text.write(toFile: applications + "/" + name, atomically: false, encoding: .utf8)
        }

        func disabled() async throws -> [HealthNotice] {
            try await DaemonClient.withClient(socketPath: socket) { client in
                try await client.status().health.filter { $0.code == "application.disabled" }
            }
        }
    }

    private static func withDaemon(
        files: [String: String],
        _ body: @escaping @Sendable (Daemon) async throws -> Void
    ) async throws {
        let path = (Subprocess.products ?? "") + "/kairand"
        guard access(path, X_OK) == 0 else {
            return try cannotRun("the program kairand was not built beside the tests")
        }
        try await LiveServer.withDirectory { directory in
            let (socket, applications) = (directory + "/s", directory + "/applications.d")
            try FileManager.default.createDirectory(atPath: applications, withIntermediateDirectories: false)
            try "mdns: false\n".write(toFile: directory + "/kairand.yaml", atomically: false, encoding: .utf8)
            let process = try Subprocess(
                [
                    path, "--config", directory + "/kairand.yaml", "--state", directory + "/state", "--socket", socket,
                    "--listen", "127.0.0.1:0", "--applications", applications,
                ],
                environment: ["HOME": directory]
            )
            let daemon = Daemon(process: process, socket: socket, applications: applications)
            for (name, text) in files { try daemon.write(text, name) }
            do {
                try await body(daemon)
            } catch {
                process.send(signal: SIGTERM)
                _ = await process.finish()
                throw error
            }
            process.send(signal: SIGTERM)
            let result = await process.finish()
            #expect(result.status == 0, "\(result.error)")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `starts with a wrong file of an application, names file and line, and uses it once it is right`() async throws
    {
        let files = [
            "good.yaml": "uid: 12345\ncontainers: [org.example.good]\n",
            "notes.yaml": "uid: 12346\ncontainers: [notes]\n",
        ]
        try await Self.withDaemon(files: files) { daemon in
            let start = try await daemon.log(until: "local interface listens")
            let place = daemon.applications + "/notes.yaml:2: containers: \"notes\" is not valid; allowed: "
            let warning = try #require(start.first { $0.contains("application.disabled") })
            #expect(warning.contains("warning") && warning.contains(place), "\(start)")
            let notice = try #require(try await daemon.disabled().first)
            #expect(
                notice.severity == .warning && notice.message.contains("The application notes is disabled: \(place)")
            )
            #expect(notice.fix.contains("reload"))
            let checks = try await DaemonClient.withClient(socketPath: daemon.socket) { try await $0.checks() }
            #expect(checks.filter { !$0.isGood }.map(\.code).contains("applications.bound"))

            try daemon.write("uid: 12346\ncontainers: [org.example.notes]\n", "notes.yaml")
            daemon.process.send(signal: SIGHUP)
            #expect(try await daemon.log(until: "configuration read again").last?.contains("nothing") == true)
            #expect(try await daemon.disabled().isEmpty)

            try daemon.write("uid: 12345\ncontainers: [org.example.good]\nburst: none\n", "good.yaml")
            daemon.process.send(signal: SIGHUP)
            _ = try await daemon.log(until: "configuration read again")
            #expect(try await daemon.disabled().map { $0.message.contains("good.yaml:3: burst must be ") } == [true])
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func `reports errors in its settings at the level error if its output is the journal`(
        isJournal: Bool
    ) async throws {
        let path = (Subprocess.products ?? "") + "/kairand"
        guard access(path, X_OK) == 0 else {
            return try cannotRun("the program kairand was not built beside the tests")
        }
        try await LiveServer.withDirectory { directory in
            let file = directory + "/kairand.yaml"
            try "mdns: perhaps\n".write(toFile: file, atomically: false, encoding: .utf8)
            let journal = isJournal ? "JOURNAL_STREAM=$(stat --dereference --format=%d:%i /proc/self/fd/2)" : ""
            let result = try await Subprocess.run(
                ["/bin/sh", "-c", journal + " exec \"$0\" --check --config \"$1\"", path, file],
                environment: ["HOME": directory]
            )
            #expect(result.status == 64)
            #expect(result.error.hasPrefix(isJournal ? "<3>kairand: " : "kairand: "), "\(result.error)")
            #expect(result.error.contains(file) && result.error.contains("mdns"))
        }
    }
}
