import Foundation
import TestSupport
import Testing
import Wire

/// The parts of long messages: the parts of one message come together again, and nothing else does.
@Suite struct MessageAssemblyTests {
    private typealias Fault = MessageAssembly.Fault

    /// A welcome whose encoding has so many bytes.
    private static func welcome(byteCount: Int, fill: UInt8 = 7) throws -> PeerMessage {
        let secrets = AccountSecrets(
            fleetKey: [UInt8](repeating: 1, count: 32),
            accountSalt: [UInt8](repeating: 2, count: 32),
            zoneKey: [UInt8](repeating: 3, count: 32)
        )
        func message(_ count: Int) -> PeerMessage {
            .pairWelcome(PairWelcome(secrets: secrets, entries: [[UInt8](repeating: fill, count: count)]))
        }
        let rest = message(byteCount - 200).encoded.count - (byteCount - 200)
        let exact = message(byteCount - rest)
        try #require(exact.encoded.count == byteCount)
        return exact
    }

    private static func parts(of message: PeerMessage) throws -> [PeerMessage] {
        try message.outgoingEncodings().map { try PeerMessage(decoding: $0) }
    }

    private static let ping = PeerMessage.ping(Ping(nonce: 1, wallMilliseconds: 1))

    @Test(arguments: [20_000, 61_440, 61_441, 122_880, 122_881, 600_000, 1_048_576])
    func `a message comes whole out of its parts, and each fits a frame`(byteCount: Int) throws {
        let message = try Self.welcome(byteCount: byteCount)
        let encodings = try message.outgoingEncodings()
        #expect(encodings.count == (byteCount + 61_439) / 61_440)
        #expect(encodings.allSatisfy { $0.count <= 65_497 })
        var assembly = MessageAssembly()
        for (index, bytes) in encodings.enumerated() {
            let whole = try assembly.take(PeerMessage(decoding: bytes), of: [.pairWelcome])
            let isLast = index == encodings.count - 1
            #expect(whole == (isLast ? message : nil))
            #expect(assembly.isOpen == !isLast)
            #expect(assembly.byteCount == (isLast ? 0 : (index + 1) * 61_440))
        }
    }

    @Test func `messages that are whole pass as they are, and so does the next long one`() throws {
        var assembly = MessageAssembly()
        for _ in 0..<2 {
            #expect(try assembly.take(Self.ping, of: []) == Self.ping)
            let message = try Self.welcome(byteCount: 70_000)
            let parts = try Self.parts(of: message)
            #expect(try assembly.take(parts[0], of: [.pairWelcome]) == nil)
            #expect(try assembly.take(parts[1], of: []) == message, "the kind is asked for once")
        }
    }

    @Test func `a part that is not the next one is refused: left out, twice, too many, of another message`() throws {
        let parts = try Self.parts(of: try Self.welcome(byteCount: 150_000))
        let other = try Self.parts(of: try Self.welcome(byteCount: 150_001))
        try #require(parts.count == 3)
        let wrong: [[PeerMessage]] = [
            [parts[1]], [parts[2]], [parts[0], parts[2]], [parts[0], parts[0]], [parts[0], parts[1], parts[1]],
            [parts[0], parts[1], parts[0]], [parts[0], other[1]], parts + [parts[2]],
        ]
        for order in wrong {
            var assembly = MessageAssembly()
            for part in order.dropLast() { _ = try assembly.take(part, of: [.pairWelcome]) }
            #expect(throws: Fault.outOfOrder) { try assembly.take(order[order.count - 1], of: [.pairWelcome]) }
            #expect(!assembly.isOpen && assembly.byteCount == 0)
        }
    }

    @Test func `another message between the parts of one is refused`() throws {
        let parts = try Self.parts(of: try Self.welcome(byteCount: 150_000))
        var assembly = MessageAssembly()
        _ = try assembly.take(parts[0], of: [.pairWelcome])
        #expect(throws: Fault.interrupted) { try assembly.take(Self.ping, of: [.pairWelcome]) }
        #expect(throws: Fault.outOfOrder) { try assembly.take(parts[1], of: [.pairWelcome]) }
    }

    @Test func `an unwanted kind, or one that is never sent in parts, is refused at its first part`() throws {
        var assembly = MessageAssembly()
        let first = try Self.parts(of: try Self.welcome(byteCount: 150_000))[0]
        #expect(throws: Fault.refused) { try assembly.take(first, of: []) }
        for tag in (0...UInt8.max) where LongMessage(rawValue: tag) == nil {
            let bytes = [tag] + [UInt8](repeating: 0, count: 100_000)
            let part = try #require(MessagePart(0, of: bytes))
            #expect(part.kind == nil)
            #expect(throws: Fault.refused) { try assembly.take(.part(part), of: Set(LongMessage.allCases)) }
        }
        #expect(assembly.byteCount == 0)
    }

    @Test(arguments: LongMessage.allCases)
    func `a total beyond the kind's limit is refused before anything is kept`(kind: LongMessage) throws {
        var assembly = MessageAssembly()
        func first(_ total: Int) -> MessagePart? {
            MessagePart(0, of: [kind.rawValue] + [UInt8](repeating: 0, count: total - 1))
        }
        let longest = try #require(first(kind.byteCountMax))
        #expect(try assembly.take(.part(longest), of: [kind]) == nil)
        assembly = MessageAssembly()
        guard let longer = first(kind.byteCountMax + 1) else {
            // No message is that long.
            #expect(kind.byteCountMax == Limits.smallMessageByteCountMax)
            return
        }
        #expect(throws: Fault.refused) { try assembly.take(.part(longer), of: [kind]) }
    }

    @Test func `of a message that is passed over nothing is held, and the order of its parts is asked all the same`()
        throws
    {
        let parts = try Self.parts(of: try Self.welcome(byteCount: 150_000))
        var assembly = MessageAssembly()
        func take(_ part: PeerMessage) throws -> PeerMessage? {
            try assembly.take(part, of: [.zoneState], passingOver: [.pairWelcome])
        }
        for part in parts {
            #expect(try take(part) == nil)
            #expect(assembly.byteCount == 0)
        }
        #expect(!assembly.isOpen)
        #expect(try take(parts[0]) == nil)
        #expect(throws: Fault.outOfOrder) { try take(parts[2]) }
        #expect(try take(parts[0]) == nil)
        #expect(throws: Fault.interrupted) { try take(Self.ping) }
    }

    @Test func `parts that are no message together are refused at the last one`() throws {
        var assembly = MessageAssembly()
        let bytes = [LongMessage.pairWelcome.rawValue] + [UInt8](repeating: 255, count: 70_000)
        let parts = try (0..<2).map { try #require(MessagePart($0, of: bytes)) }
        #expect(try assembly.take(.part(parts[0]), of: [.pairWelcome]) == nil)
        #expect(throws: Fault.malformed(.notMinimal)) { try assembly.take(.part(parts[1]), of: [.pairWelcome]) }
    }

    @Test func `a part has the bytes of its place, and a message that fits one has no parts`() throws {
        let invalid = WireError.invalidValue("part of a message")
        func decode(_ total: UInt64, _ position: UInt64, _ count: Int) -> Result<MessagePart, WireError> {
            var writer = WireWriter()
            writer.writeVarint(total)
            writer.writeVarint(position)
            writer.writeRaw([UInt8](repeating: 0, count: count))
            let bytes = writer.bytes
            return Result { () throws(WireError) in try MessagePart(decoding: bytes) }
        }
        #expect(throws: Never.self) { try decode(61_441, 1, 1).get() }
        #expect(decode(61_441, 1, 0) == .failure(.truncated))
        #expect(decode(61_441, 1, 2) == .failure(.trailingBytes))
        #expect(decode(61_441, 0, 61_439) == .failure(.truncated))
        #expect(decode(61_441, 2, 1) == .failure(invalid))
        #expect(decode(61_440, 0, 61_440) == .failure(invalid))
        #expect(decode(0, 0, 0) == .failure(invalid))
        #expect(decode(1_048_577, 0, 61_440) == .failure(invalid))
        #expect(decode(.max, .max, 1) == .failure(invalid))
    }

    @Test func `each kind that goes in parts has the tag of its message, in the code and on the page`() throws {
        var generator = SeededGenerator(seed: 1)
        var tags: [String: UInt8] = [:]
        for _ in 0..<2_000 {
            let message = PeerMessage.sample(&generator)
            tags[String("\(message)".prefix { $0 != "(" })] = message.tag
        }
        let page = try Self.page()
        for kind in LongMessage.allCases {
            #expect(tags["\(kind)"] == kind.rawValue, "\(kind)")
            #expect(page.contains("\n| \(kind.rawValue) | \(kind) | "), "\(kind)")
        }
    }

    private static func page() throws -> String {
        let page = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            .appendingPathComponent("docs/protocol/messages.md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    @Test func `the page names the kinds that go in parts with their sizes, as the code does`() throws {
        let text = try Self.page()
        let rows = LongMessage.allCases.map { kind in
            let (mebi, rest) = (kind.byteCountMax >> 20, kind.byteCountMax % (1 << 20))
            return "| \(kind) | \(kind.rawValue) | \(rest == 0 ? "\(mebi) MiB" : "\(kind.byteCountMax >> 10) KiB") |"
        }
        let table = text.split(separator: "\n").drop { $0 != "| long message | tag | bytes in all parts |" }
        #expect(table.dropFirst(2).prefix { $0.hasPrefix("|") }.map(String.init) == rows)
    }
}
