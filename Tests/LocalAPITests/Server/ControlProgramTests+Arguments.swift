import Glibc
import KairanClient
import Synchronization
import TestSupport
import Node
import Testing

@testable import LocalAPI

/// Names that are not UTF-8, as a disk in another encoding has them.
extension `The program kairan` {
    private static func run(
        _ line: String,
        _ environment: [String: String] = [:]
    ) async throws -> Subprocess.Result {
        // The shell makes the bytes: a Swift string has none that are not UTF-8.
        try await Subprocess.run(["/bin/sh", "-c", line], environment: environment)
    }

    @Test(.timeLimit(.minutes(5))) func `refuses arguments and variables that are not UTF-8, and asks nothing`()
        async throws
    {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            _ = try await kairan("zone", "create", "notes")
            let calls = node.calls.count
            for (octal, shown) in [("351", "\\xE9"), ("350", "\\xE8")] {
                let line = #"exec "$K" put notes "$(printf 'photo-\\#(octal).jpg')" t=x"#
                let result = try await Self.run(line, ["K": kairan.path, "KAIRAN_SOCKET": kairan.socket])
                #expect(result.status == 64 && result.output.isEmpty, "\(result)")
                #expect(result.error.contains("Argument 3 is not UTF-8: photo-\(shown).jpg"), "\(result.error)")
            }
            let json = try await Self.run(#"exec "$K" --json ls "$(printf '\351')""#, ["K": kairan.path])
            #expect(json.status == 64)
            #expect(try JSONParser.parse(Array(json.error.utf8))["code"] == "usage")
            let variable = try await Self.run(
                #"KAIRAN_SOCKET="$(printf '/\351')" exec "$K" status"#,
                ["K": kairan.path]
            )
            #expect(variable.status == 64 && variable.error.contains("KAIRAN_SOCKET is not UTF-8"), "\(variable)")
            #expect(node.calls.count == calls, "nothing was asked")
            let other = #"LC_NAME="$(printf '\351')" exec "$K" status"#
            #expect(try await Self.run(other, ["K": kairan.path, "KAIRAN_SOCKET": kairan.socket]).status == 0)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["kairand", "kairan-sim"]) func `and the other programs refuse them too`(
        program: String
    ) async throws {
        let path = (Subprocess.products ?? "") + "/" + program
        guard access(path, X_OK) == 0 else {
            return try cannotRun("the program \(program) was not built beside the tests")
        }
        let option = program == "kairand" ? "--state" : "--scenario"
        let line = #"exec "$K" \#(option) "$(printf '/nowhere-\351')""#
        let argument = try await Self.run(line, ["K": path])
        #expect(
            argument.status == 64 && argument.error.contains("Argument 2 is not UTF-8: /nowhere-\\xE9"),
            "\(argument)"
        )
        let variable = try await Self.run(#"KAIRAN_STATE="$(printf '\351')" exec "$K" --help"#, ["K": path])
        #expect(variable.status == 64 && variable.error.contains("KAIRAN_STATE is not UTF-8"), "\(variable)")
    }

    @Test(.timeLimit(.minutes(5))) func `does not accept an empty text as the beginning of an id`() async throws {
        let node = FakeNode()
        try await Self.withProgram(node: node) { kairan in
            #expect(
                try await node.quarantine.list(zone: nil).count == 1,
                "one that an empty text would be the beginning of"
            )
            for arguments in [["quarantine", "purge", ""], ["quarantine", "adopt", ""]] {
                let result = try await Subprocess.run([kairan.path] + arguments, environment: kairan.environment)
                #expect(result.status == 64, "\(arguments): \(result)")
            }
        }
    }
}
