import Session
import Testing

@testable import Transport

@Suite struct OutboxTests {
    private func message(_ count: Int, _ byte: UInt8 = 0) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    @Test func `only the first message after a look asks for attention`() {
        let outbox = Outbox(byteCountMax: 100)
        #expect(outbox.add(message(1)))
        #expect(!outbox.add(message(1)))
        outbox.looked()
        #expect(outbox.add(message(1)))
    }

    @Test func `messages come out in order, in portions, but at least one at a time`() {
        let outbox = Outbox(byteCountMax: 100)
        for byte in 1...4 as ClosedRange<UInt8> { _ = outbox.add(message(10, byte)) }
        #expect(outbox.take(upTo: 25) == .messages([message(10, 1), message(10, 2)]))
        #expect(outbox.take(upTo: 5) == .messages([message(10, 3)]))
        #expect(outbox.take(upTo: 100) == .messages([message(10, 4)]))
        #expect(outbox.take(upTo: 100) == .nothing)
    }

    @Test func `an empty message is a message`() {
        let outbox = Outbox(byteCountMax: 100)
        _ = outbox.add([])
        #expect(outbox.take(upTo: 100) == .messages([[]]))
    }

    @Test func `taken items no longer count against the bound`() {
        let outbox = Outbox(byteCountMax: 100)
        for _ in 0..<1_000 {
            _ = outbox.add(message(100))
            #expect(outbox.take(upTo: 1) == .messages([message(100)]))
        }
    }

    @Test func `one byte too many closes the connection and frees the waiting bytes`() {
        let outbox = Outbox(byteCountMax: 100)
        _ = outbox.add(message(100))
        outbox.looked()
        #expect(!outbox.hasOverflown)
        #expect(outbox.add(message(1)))
        #expect(outbox.hasOverflown)
        #expect(!outbox.add(message(1)))
        #expect(outbox.take(upTo: 100) == .nothing)
    }

    @Test func `the goodbye follows waiting messages, the first code holds and later messages are dropped`() {
        let outbox = Outbox(byteCountMax: 100)
        _ = outbox.add(message(1, 1))
        #expect(outbox.close(.refused))
        #expect(!outbox.close(.done))
        #expect(!outbox.add(message(1, 2)))
        #expect(outbox.take(upTo: 100) == .messages([message(1, 1)]))
        #expect(outbox.take(upTo: 100) == .close(.refused))
    }

    @Test func `after the end nothing is accepted or returned`() {
        let outbox = Outbox(byteCountMax: 100)
        _ = outbox.add(message(1))
        outbox.end()
        #expect(!outbox.add(message(1)))
        #expect(!outbox.close(.done))
        #expect(outbox.take(upTo: 100) == .nothing)
    }
}
