import CoreFuzz
import Foundation
import FuzzKit
import OuterFuzz
import StoreFuzz

/// The inputs of one fuzz target that are kept in the tree: those that together reach all code that the fuzzers have reached, and those
/// that failed once.
struct FuzzCorpus {
    /// A corpus cannot be read.
    struct Unreadable: Error, CustomStringConvertible {
        /// The file, and the reason.
        let description: String
    }

    static let targets = coreTargets + outerTargets + storeTargets

    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz")

    let target: FuzzTarget
    /// By name.
    let inputs: [(name: String, bytes: [UInt8])]

    /// Reads the inputs of a target.
    init(of name: String) throws {
        guard let target = Self.targets.first(where: { $0.name == name }) else {
            throw Unreadable(description: "no fuzz target has the name \(name)")
        }
        self.target = target
        let unpacked = FileManager.default.temporaryDirectory.appending(path: "kairan-corpus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: unpacked, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: unpacked) }
        try Self.unpack(Self.folder.appending(path: "Corpus/\(name).tar.gz"), into: unpacked)
        inputs = try Self.files(below: unpacked) + Self.files(below: Self.folder.appending(path: "FailCases/\(name)"))
    }

    private static func unpack(_ archive: URL, into folder: URL) throws {
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/tar")
        tar.arguments = ["-xzf", archive.path, "-C", folder.path]
        try tar.run()
        tar.waitUntilExit()
        guard tar.terminationStatus == 0 else {
            throw Unreadable(description: "tar cannot unpack \(archive.path): code \(tar.terminationStatus)")
        }
    }

    private static func files(below folder: URL) throws -> [(name: String, bytes: [UInt8])] {
        guard let paths = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        return try paths.compactMap { $0 as? String }.sorted().compactMap { path in
            let file = folder.appending(path: path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { return nil }
            return (path, Array(try Data(contentsOf: file)))
        }
    }
}
