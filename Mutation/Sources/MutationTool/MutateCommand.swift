import ArgumentParser
import Foundation
import Mutating

/// Draws a sample of mutants from modules, and writes the modules with all of these mutants inside.
@main
struct MutateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kairan-mutate",
        abstract: "Writes sources that contain mutants, each selected by its number when a program starts.",
        discussion: "The driver is scripts/mutation."
    )

    @Option(help: "The tree whose sources are read.")
    var root = "."

    @Option(help: "The tree whose sources are written; only changed files are.")
    var into: String

    @Option(help: "The modules, with commas between them.")
    var modules = "Records,Sync,Capabilities,Identity"

    @Option(help: "The number of mutants.")
    var count = 600

    @Option(help: "The seed that determines the sample.")
    var seed: UInt64 = 1

    @Option(help: "Numbers of mutants that are left out, since they do not compile, with commas between them.")
    var without = ""

    /// A mutant as the driver reads it.
    private struct Row: Encodable {
        var number: Int
        var module: String
        var path: String
        var line: Int
        var lastLine: Int
        var column: Int
        var kind: String
        var before: String
        var after: String
    }

    func run() throws {
        let left = Set(without.split(separator: ",").compactMap { Int($0) })
        var files: [String: SourceFile] = [:]
        for module in modules.split(separator: ",") {
            for path in try paths(below: "Sources/\(module)") {
                files[path] = SourceFile(try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
            }
        }
        guard !files.isEmpty else { throw ValidationError("There are no sources of \(modules) in \(root).") }
        let strata = files.map { Stratum(path: $0.key, lineCount: $0.value.lineCount, candidates: $0.value.candidates) }
        let sample = Sample(of: strata, count: count, seed: seed)
        var rows: [Row] = []
        for (path, file) in files.sorted(by: { $0.key < $1.key }) {
            var mutants: [(number: Int, candidate: Candidate)] = []
            for candidate in sample.drawn[path] ?? [] {
                mutants.append((rows.count, candidate))
                rows.append(row(rows.count, path, candidate, in: file))
            }
            let instrumented = file.instrumented(with: mutants.filter { !left.contains($0.number) })
            try write(instrumented, to: "\(into)/\(path)")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        try write(String(decoding: encoder.encode(rows), as: UTF8.self) + "\n", to: "\(into)/mutants.json")
        let available = strata.reduce(0) { $0 + $1.candidates.count }
        print(
            "\(rows.count) of \(available) possible mutants of \(files.count) files are drawn, \(left.count) are left out"
        )
    }

    private func row(_ number: Int, _ path: String, _ candidate: Candidate, in file: SourceFile) -> Row {
        let place = file.place(of: candidate.range.lowerBound)
        return Row(
            number: number,
            module: String(path.split(separator: "/")[1]),
            path: path,
            line: place.line,
            lastLine: file.place(of: candidate.range.upperBound - 1).line,
            column: place.column,
            kind: candidate.kind.rawValue,
            before: candidate.before,
            after: candidate.after
        )
    }

    /// The paths of the Swift files in a folder, relative to the root.
    private func paths(below folder: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")
        return names.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    }

    /// Writes a file whose content is another one now: a build compiles the files that were written.
    private func write(_ text: String, to path: String) throws {
        if let present = try? String(contentsOfFile: path, encoding: .utf8), present == text { return }
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
