import Foundation
import Testing
import Wire

@Suite struct `Planted bugs` {
    @Test func `are asked about in the code, each of them, and nowhere is one asked about that does not exist`() throws
    {
        let expression = try Regex(#"PlantedBug\.(\w+)\.isActive"#)
        var asked: Set<String> = []
        for line in try SourceTree("Sources").files.flatMap(\.lines) {
            for match in line.matches(of: expression) {
                if let name = match.output[1].substring { asked.insert(String(name)) }
            }
        }
        #expect(asked == Set(PlantedBug.allCases.map(\.rawValue)))
        #expect(PlantedBug.allCases.count >= 20)
    }

    @Test func `are not made in this build, and nothing but the self-test and continuous integration compiles them in`()
        throws
    {
        #expect(PlantedBug.allCases.allSatisfy { !$0.isActive })
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var setters: [String] = []
        for folder in ["scripts", "Makefile", "Package.swift", ".ci", "systemd", "Fuzz/Package.swift", "Fuzz/fuzz"] {
            let url = root.appending(path: folder)
            let inside = FileManager.default.enumerator(atPath: url.path())?.compactMap { $0 as? String } ?? []
            for path in [url.path()] + inside.map({ url.appending(path: $0).path() }) {
                guard let data = FileManager.default.contents(atPath: path) else { continue }
                if String(decoding: data, as: UTF8.self).contains("KAIRAN_PLANTED_BUGS") {
                    setters.append(String(path.dropFirst(root.path().count)))
                }
            }
        }
        #expect(Set(setters) == ["scripts/sim-selftest", ".ci/run"])
    }
}
