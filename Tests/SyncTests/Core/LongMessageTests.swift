import Identity
import Sync
import Testing
import Wire

/// Long messages of a session, which come in parts.
@Suite struct LongMessageTests {
    private static func parts(of message: PeerMessage) throws -> [PeerMessage] {
        let parts = try message.outgoingEncodings().map { try PeerMessage(decoding: $0) }
        try #require(parts.count > 1)
        return parts
    }

    /// An entry that is longer than any door takes.
    private static func entries(byteCount: Int = 100_000) -> PeerMessage {
        let entry = [UInt8](repeating: 5, count: byteCount)
        return .accountEntries(AccountEntries(account: Sample.account, entries: [entry], more: false))
    }

    private static let digests = PeerMessage.rangeDigests(RangeDigests(ranges: []))

    /// The first part of a message that its sender did not make.
    private static func first(_ kind: LongMessage, byteCount: Int = 100_000) throws -> PeerMessage {
        .part(try #require(MessagePart(0, of: [kind.rawValue] + [UInt8](repeating: 255, count: byteCount - 1))))
    }

    private static func isTakenIn(_ effects: [SyncEffect]) -> Bool {
        effects.contains { if case .insertAccountEntries(_, Sample.account, _) = $0 { true } else { false } }
    }

    @Test func `an entry of an account's log of any size is accepted from a device that is not confirmed`() throws {
        var harness = CoreHarness()
        harness.open(9, standing: .unknown, heads: [Sample.hash(7)])
        let parts = try Self.parts(of: Self.entries(byteCount: 260_000))
        for part in parts.dropLast() { #expect(harness.hear(9, part).isEmpty) }
        #expect(Self.isTakenIn(harness.hear(9, parts[parts.count - 1])))
    }

    @Test func `messages that are ignored as a whole are also ignored in parts`() throws {
        var harness = CoreHarness()
        harness.open(9, standing: .unknown, heads: [Sample.hash(7)])
        for kind in [LongMessage.zoneState, .rangeItems, .guestWrite] {
            let bytes = [kind.rawValue] + [UInt8](repeating: 255, count: 149_999)
            for position in 0..<3 {
                let part = try #require(MessagePart(position, of: bytes))
                #expect(harness.hear(9, .part(part)).isEmpty, "\(kind)")
            }
        }
        for part in try Self.parts(of: Self.entries()).dropLast() { #expect(harness.hear(9, part).isEmpty) }
        #expect(harness.hear(9, Self.digests).closed == [9: .violation], "another message in between")
    }

    @Test func `parts that are no message end the session`() throws {
        let parts = try Self.parts(of: Self.entries(byteCount: 150_000))
        let wrong: [[PeerMessage]] = [
            [parts[1]], [parts[0], parts[2]], [parts[0], parts[0]], [parts[0], Self.digests],
            [try Self.first(.pairWelcome)], [try Self.first(.joinRequest)], [try Self.first(.joinAnswer)],
            [try Self.first(.accountEntries, byteCount: LongMessage.accountEntries.byteCountMax + 1)],
        ]
        for (index, messages) in wrong.enumerated() {
            for standing in [Standing.active, .unknown] {
                var harness = CoreHarness()
                harness.open(2, standing: standing)
                for message in messages.dropLast() { #expect(harness.hear(2, message).closed.isEmpty) }
                #expect(harness.hear(2, messages[messages.count - 1]).closed == [2: .violation], "\(index)")
            }
        }
    }

    @Test
    func `of long messages of devices that are not known no more is held than the bound, and members have theirs`()
        throws
    {
        var limits = SyncLimits()
        limits.strangerPartsByteCountMax = 2 * Limits.messagePartByteCount
        var harness = CoreHarness(limits: limits)
        harness.open(2)
        for device in [7, 8, 9] { harness.open(device, standing: .unknown, heads: [Sample.hash(7)]) }
        let parts = try Self.parts(of: Self.entries())
        #expect(harness.hear(7, parts[0]).closed.isEmpty)
        #expect(harness.hear(8, parts[0]).closed.isEmpty)
        #expect(harness.hear(9, parts[0]).closed == [9: .busy])
        #expect(harness.hear(2, parts[0]).closed.isEmpty)
        #expect(Self.isTakenIn(harness.hear(2, parts[1])))
        // A whole message frees its room.
        #expect(Self.isTakenIn(harness.hear(7, parts[1])))
        harness.open(9, standing: .unknown, heads: [Sample.hash(7)])
        #expect(harness.hear(9, parts[0]).closed.isEmpty)
        #expect(Self.isTakenIn(harness.hear(9, parts[1])))
    }

    @Test func `a long message of a device that is not known has a deadline, however its parts drip in`() throws {
        var limits = SyncLimits()
        limits.confirmationMilliseconds = 10 * limits.strangerPartsMilliseconds
        var harness = CoreHarness(limits: limits)
        harness.open(9, standing: .unknown, heads: [Sample.hash(7)])
        let parts = try Self.parts(of: Self.entries(byteCount: 260_000))
        #expect(harness.hear(9, parts[0]).closed.isEmpty)
        #expect(harness.core.nextDeadline.map { $0 <= harness.now + limits.strangerPartsMilliseconds } == true)
        #expect(harness.wait(limits.strangerPartsMilliseconds - 1).closed.isEmpty)
        #expect(harness.hear(9, parts[1]).closed.isEmpty)
        #expect(harness.wait(1).closed == [9: .busy])
    }
}
