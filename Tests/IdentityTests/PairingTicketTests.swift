import Sodium
import TestSupport
import Testing

@testable import Identity

@Suite struct PairingTicketTests {
    @Test func `a ticket is read back from its text, however it is typed`() throws {
        var generator = SeededGenerator(seed: 11)
        let ticket = PairingTicket(using: &generator)
        #expect(try PairingTicket(typed: ticket.text) == ticket)
        #expect(try PairingTicket(typed: ticket.text.lowercased().filter { $0 != "-" }) == ticket)
        #expect(try PairingTicket(typed: "  " + ticket.text.replacing("-", with: " ")) == ticket)
    }

    @Test func `two tickets differ and so do their channel secrets`() {
        var generator = SeededGenerator(seed: 12)
        let (first, second) = (PairingTicket(using: &generator), PairingTicket(using: &generator))
        #expect(first != second && first.identifier != second.identifier)
        #expect(first.identifier.count == 16)
        let keys = [first.presharedKey().exportBytes(), second.presharedKey().exportBytes()]
        #expect(keys[0] != keys[1])
    }

    @Test func `both ends derive the same channel secret`() throws {
        var generator = SeededGenerator(seed: 13)
        let shown = PairingTicket(using: &generator)
        let typed = try PairingTicket(typed: shown.text)
        let keys = [shown.presharedKey().exportBytes(), typed.presharedKey().exportBytes()]
        #expect(keys[0] == keys[1])
    }

    @Test func `printing a ticket gives nothing away`() {
        var generator = SeededGenerator(seed: 14)
        let ticket = PairingTicket(using: &generator)
        var dumped = ""
        dump(ticket, to: &dumped)
        #expect("\(ticket)" == "pairing ticket")
        #expect(String(reflecting: ticket) == "pairing ticket")
        #expect(!dumped.contains("secret"))
    }
}
