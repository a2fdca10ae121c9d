import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct `Enrolment tokens` {
    private var generator = SeededGenerator(seed: 31)

    private mutating func offer(uses: UInt32 = 1, end: UInt64 = 1_000, role: DeviceRole = .full) -> EnrolmentOffer {
        EnrolmentOffer(token: EnrolmentToken(using: &generator), role: role, uses: uses, endMilliseconds: end)
    }

    @Test mutating func `a token is read back from its text, with or without its label`() throws {
        let token = EnrolmentToken(using: &generator)
        #expect(token.text.hasPrefix("KAIRAN-ENROL:") && token.text.split(separator: "-").count == 9)
        for text in [token.text, token.text.lowercased() + "\n", "  " + token.text.dropFirst(13)] {
            let read = try EnrolmentToken(typed: String(text))
            #expect(read == token && read.identifier == token.identifier)
            let keys = [read.presharedKey().exportBytes(), token.presharedKey().exportBytes()]
            #expect(keys[0] == keys[1])
        }
        let other = EnrolmentToken(using: &generator)
        #expect(other != token && other.identifier != token.identifier && token.identifier.count == 16)
    }

    @Test mutating func `a wrong character is found, and a pairing ticket is no token`() {
        var text = Array(EnrolmentToken(using: &generator).text)
        text[20] = text[20] == "A" ? "B" : "A"
        #expect(throws: CheckedGroupsError.self) { try EnrolmentToken(typed: String(text)) }
        let ticket = PairingTicket(using: &generator)
        #expect(throws: CheckedGroupsError.self) { try EnrolmentToken(typed: ticket.text) }
    }

    @Test mutating func `printing a token gives nothing away`() {
        let token = EnrolmentToken(using: &generator)
        var dumped = ""
        dump(token, to: &dumped)
        #expect("\(token)" + String(reflecting: token) + dumped == "enrolment tokenenrolment token- enrolment token\n")
    }

    /// A book with these tokens, and whether there was room for each.
    private func book(_ offers: [EnrolmentOffer]) -> (book: EnrolmentBook, hasRoom: [Bool]) {
        var book = EnrolmentBook()
        let hasRoom = offers.map { book.add($0) }
        return (book, hasRoom)
    }

    @Test mutating func `each new machine costs a use, one that is in already costs none`() {
        let offer = offer(uses: 2, role: .readOnly)
        let token = offer.token.identifier
        var (book, _) = book([offer])
        // The last: a machine whose welcome was lost receives another one.
        let verdicts = [false, true, false, false, true].map { book.redeem(token, isMember: $0, at: 1) }
        #expect(verdicts == [.accepted(.readOnly), .known, .accepted(.readOnly), .used, .known])
        let foreign = book.redeem([1], isMember: true, at: 6)
        #expect(foreign == .unknown)
    }

    @Test mutating func `a token expires for all devices`() {
        let offer = offer(uses: 9, end: 100)
        let token = offer.token.identifier
        var (book, _) = book([offer, self.offer(end: 200)])
        let shown: [(Bool, UInt64)] = [(false, 99), (false, 100), (true, 100)]
        let verdicts = shown.map { book.redeem(token, isMember: $0.0, at: $0.1) }
        #expect(verdicts == [.accepted(.full), .unknown, .unknown])
        let forgotten = [book.forgetExpired(at: 99), book.forgetExpired(at: 100)]
        #expect(forgotten == [false, true] && book.offers.map(\.endMilliseconds) == [200])
    }

    @Test mutating func `there are at most eight; a used-up one gives way`() {
        let offers = (0...EnrolmentBook.countMax).map { _ in offer() }
        var (book, hasRoom) = book(offers)
        #expect(hasRoom == Array(repeating: true, count: 8) + [false] && book.offers == offers.dropLast())
        _ = book.redeem(offers[3].token.identifier, isMember: false, at: 1)
        let late = offers[8]
        let hasRoomNow = book.add(late)
        #expect(hasRoomNow && book.offers.count == 8 && book.offers.last == late && !book.offers.contains(offers[3]))
    }

    @Test mutating func `the file is read back, and another one is not`() throws {
        var book = EnrolmentBook()
        #expect(try EnrolmentBook(decoding: book.encoded) == book)
        for role in DeviceRole.allCases { _ = book.add(offer(uses: 300, end: 1 << 40, role: role)) }
        let bytes = book.encoded
        #expect(try EnrolmentBook(decoding: bytes) == book)
        for count in bytes.indices {
            #expect(throws: WireError.self) { try EnrolmentBook(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: WireError.invalidValue("enrolment format")) { try EnrolmentBook(decoding: [2] + bytes[1...]) }
    }
}
