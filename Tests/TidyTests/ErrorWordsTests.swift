import Foundation
import Testing

/// An error ends up in the log, in an answer, or at a terminal: as a sentence, never as the layout of a Swift type.
@Suite struct `The errors` {
    /// The errors that never leave the function or the type that throws them.
    ///
    /// The list may become shorter, and not longer.
    private static let silent: Set<String> = [
        // The answer is a document that the error carries.
        "LocalAPI.LineError", "LocalAPI.ProblemError",
        // Caught where the batch was begun.
        "Records.RefusedWrite",
        // Ends of a story and of a machine's power, which the simulator itself catches.
        "Simulator.StoryEnd", "Simulator.PowerLoss",
        // They close a connection on purpose without a message.
        "Transport.Stopped", "Transport.Refusal", "Transport.DoorClosed",
        // The reader of a pipe went away: no reader is left for a message.
        "PeerControl.OutputClosed",
    ]

    /// The types of errors, and the types that state a description, both as the target and the type's own name.
    private func types() throws -> (errors: Set<String>, described: Set<String>) {
        let declaration = try Regex(#"\b(?:struct|enum|class|actor)\s+(\w+)\s*:\s*([^{]*)\{"#)
        let `extension` = try Regex(#"\bextension\s+(?:\w+\.)*(\w+)\s*:\s*([^{]*)\{"#)
        let stated = try Regex(#"\b(?:var|let) description(?:: String| = ")"#)
        var (errors, described): (Set<String>, Set<String>) = ([], [])
        for file in try SourceTree("Sources").files {
            let text = file.lines.map(SourceTree.withoutComment).joined(separator: "\n")
            let states = text.contains(stated)
            for match in text.matches(of: declaration) + text.matches(of: `extension`) {
                guard let name = match.output[1].substring, let list = match.output[2].substring else { continue }
                let inherited = list.split { !$0.isLetter && $0 != "_" }
                if inherited.contains("Error") { errors.insert("\(file.target).\(name)") }
                if inherited.contains("CustomStringConvertible"), states { described.insert("\(file.target).\(name)") }
            }
        }
        return (errors, described)
    }

    @Test func `state a sentence each, for logs and people`() throws {
        let (errors, described) = try types()
        #expect(errors.count > 60)
        let wordless = errors.subtracting(described).subtracting(Self.silent)
        #expect(wordless.isEmpty, "no description: \(wordless.sorted())")
    }

    @Test func `that are silent are few, and each of them is one still`() throws {
        let (errors, described) = try types()
        #expect(Self.silent.count <= 9)
        #expect(Self.silent.isSubset(of: errors.subtracting(described)))
    }

    @Test func `have no message that is a library's own words for its error`() throws {
        let words = #"(?:message|description): ?(?:String\(describing: ?error|"(?:\\\(path\): )?\\\(error\)")"#
        let places = try SourceTree("Sources").places(of: words)
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }

    @Test func `are never shown by the layout of their type`() throws {
        let places = try SourceTree("Sources").places(of: #"(?:reflecting|dumping): ?(?:error|failure|cause)\b"#)
        #expect(places.isEmpty, "\(places.joined(separator: "\n"))")
    }
}
