import Foundation

/// The result of reading a text with Prometheus' own parser, in a process of its own.
struct ForeignReader {
    /// A family as it was understood.
    struct Family: Decodable {
        var name: String
        var type: String
        var help: String
        var samples: [Sample]
    }

    /// A sample as it was understood.
    struct Sample: Decodable {
        var name: String
        var labels: [String: String]
        var value: Double

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            name = try parts.decode(String.self)
            labels = try parts.decode([String: String].self)
            let text = try parts.decode(String.self)
            guard let value = Double(text) else { throw Failure(words: "no number: \(text)") }
            self.value = value
        }
    }

    struct Failure: Error {
        var words: String
    }

    /// A Python that has the packages of `Tests/Interop/requirements.txt`; `nil` where the environment names none.
    static var python: String? { ProcessInfo.processInfo.environment["KAIRAN_INTEROP_PYTHON"] }

    /// Reads a text with the parser.
    /// - Throws: ``Failure`` when the parser refuses it.
    static func families(in text: String, python: String) throws -> [Family] {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        let script = Repository.root.appending(path: "Tests/Interop/prometheus_text.py")
        process.executableURL = URL(filePath: python)
        process.arguments = [script.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(words: "it ended with \(process.terminationStatus)") }
        return try JSONDecoder().decode([Family].self, from: answer)
    }
}

/// The project's own files.
enum Repository {
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
