import Foundation
import Wire

/// A foreign implementation of the channel in a process of its own, driven line by line.
final class InteropPeer {
    struct Answer {
        let bytes: [UInt8]
        let messages: [[UInt8]]
        let state: String
    }

    struct Failure: Error {
        let line: String
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var pending: [UInt8] = []

    /// Starts the script with the Python that has its package.
    init(python: String) throws {
        let script = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Interop/noise_interop.py")
        process.executableURL = URL(filePath: python)
        process.arguments = [script.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Ends the process by closing its input.
    func stop() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func start(
        role: String,
        version: ChannelVersion,
        secret: [UInt8],
        fixed: [UInt8],
        payload: [UInt8],
        rekeyFrames: UInt64
    ) throws -> Answer {
        try ask("new \(role) \(version.rawValue) \(hex(secret)) \(hex(fixed)) \(hex(payload)) \(rekeyFrames)")
    }

    func received(_ bytes: [UInt8]) throws -> Answer { try ask("in \(hex(bytes))") }
    func send(_ message: [UInt8]) throws -> Answer { try ask("send \(hex(message))") }
    func close(_ code: UInt8) throws -> Answer { try ask("close \(code)") }

    /// Handshake hash, our static key as the peer saw it, our payload.
    func result() throws -> [[UInt8]] {
        try words("result").map(bytes)
    }

    private func ask(_ command: String) throws -> Answer {
        let words = try words(command)
        guard words.count == 3 else { throw Failure(line: words.joined(separator: " ")) }
        let messages = words[1] == "-" ? [] : words[1].split(separator: ",").map { $0 == "." ? [] : bytes(String($0)) }
        return Answer(bytes: bytes(words[0]), messages: messages, state: words[2])
    }

    private func words(_ command: String) throws -> [String] {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        let line = try readLine()
        let words = line.split(separator: " ").map(String.init)
        guard words.first == "ok" else { throw Failure(line: line) }
        return Array(words.dropFirst())
    }

    private func readLine() throws -> String {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeSubrange(...end) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(line: "the process ended") }
            pending += data
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return bytes.isEmpty ? "-" : String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private func bytes(_ text: String) -> [UInt8] {
        guard text != "-" else { return [] }
        let digits = text.utf8.map { $0 < UInt8(ascii: "a") ? $0 - 48 : $0 - 87 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
