import Foundation
import TestSupport
import Testing

@Suite struct `A test that cannot run here` {
    @Test func `fails with the reason where everything has to run, and is reported elsewhere`() throws {
        var told: [String] = []
        let error = #expect(throws: CannotRun.self) {
            try cannotRun("there is no moon", isStrict: true) { told.append($0) }
        }
        #expect(error?.description == "STRICT is set, and this test cannot run: there is no moon.")
        try cannotRun("there is no moon", isStrict: false) { told.append($0) }
        #expect(told == ["NOT RUN: there is no moon.\n", "NOT RUN: there is no moon.\n"])
    }

    @Test func `has no other way of being left out`() throws {
        let places = try SourceTree("Tests").places(
            of:
                #"@(?:Test|Suite)\(.*\.(?:enabled|disabled)\(|^\s*\.(?:enabled|disabled)\(|Test\.cancel|SKIPPED|skipped: |, skipped|print\(.*NOT RUN|is not set, the"#
        )
        let others = places.filter { !$0.hasPrefix("Tests/TidyTests/") }
        #expect(others.isEmpty, "\(others.joined(separator: "\n"))")
    }

    @Test func `is the same for scripts`() throws {
        for (strict, command, code, words) in [
            ("", ["no moon here"], 0, "NOT RUN: no moon here\n"),
            ("1", ["no moon here"], 1, "NOT RUN: no moon here\nSTRICT is set, so that this is a failure.\n"),
            ("", ["--try", "sh", "-c", "exit 77"], 0, "NOT RUN: sh -c exit 77\n"),
            (
                "1", ["--try", "sh", "-c", "exit 77"], 1,
                "NOT RUN: sh -c exit 77\nSTRICT is set, so that this is a failure.\n"
            ),
            ("1", ["--try", "sh", "-c", "exit 0"], 0, ""),
            ("", ["--try", "sh", "-c", "exit 3"], 3, ""),
        ] {
            let process = Process()
            let errors = Pipe()
            process.executableURL = Self.script
            process.arguments = command
            process.environment = ProcessInfo.processInfo.environment.merging(["STRICT": strict]) { $1 }
            process.standardError = errors
            try process.run()
            let said = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(Int(process.terminationStatus) == code, "\(command)")
            #expect(String(decoding: said, as: UTF8.self) == words, "\(command)")
        }
    }

    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "scripts/not-run")
}
