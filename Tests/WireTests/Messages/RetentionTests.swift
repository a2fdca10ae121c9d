import Testing
import Wire

@Suite struct `A question about the holders of payloads` {
    private static let zone = Layout.id(1) as ZoneID

    private func request(_ payloads: [UInt8], promises: Bool = true) -> RetentionRequest {
        RetentionRequest(zone: Self.zone, asksForPromises: promises, payloads: payloads.map { Layout.id($0) })
    }

    @Test func `names each payload once, in order, and at least one`() {
        #expect(request([3, 2, 3]).payloads == [Layout.id(2), Layout.id(3)])
        let head = Self.zone.bytes + [1]
        let two = (Layout.id(2) as PayloadID).bytes
        #expect(throws: WireError.notAscending) { try RetentionRequest(decoding: head + [2] + two + two) }
        #expect(throws: WireError.invalidValue("payloads")) { try RetentionRequest(decoding: head + [0]) }
    }

    @Test func `names at most 64 payloads, and so does its answer`() throws {
        let payloads = (0..<65).map { UInt8($0) }
        #expect(try request(Array(payloads.prefix(64))).checkedEncoding().count == 32 + 1 + 1 + 64 * 32)
        #expect(throws: WireError.tooLong(limit: 64)) { try request(payloads).checkedEncoding() }
        #expect(throws: WireError.tooLong(limit: 64)) {
            try RetentionAnswer(to: request(payloads), .absent).checkedEncoding()
        }
    }

    @Test func `has an answer with a promise only where promises are asked for`() throws {
        let two = Layout.id(2) as PayloadID
        func decode(_ isAboutPromises: Bool, _ word: RetentionStatus.Word) throws -> [UInt8] {
            let statuses = [RetentionStatus(payload: two, word: word)]
            let answer = RetentionAnswer(zone: Self.zone, isAboutPromises: isAboutPromises, statuses: statuses)
            return try answer.checkedEncoding()
        }
        #expect(throws: WireError.invalidValue("promise")) { try decode(false, .promised(until: 1)) }
        #expect(throws: WireError.invalidValue("held")) { try decode(true, .held) }
        for word in [RetentionStatus.Word.absent, .evicting, .refused] {
            #expect(try decode(true, word) != decode(false, word))
        }
        #expect(throws: WireError.unknownTag(6)) { try RetentionStatus(decoding: two.bytes + [6]) }
    }

    @Test func `is answered by an answer about the same payloads, and by no other`() {
        let asked = request([2, 3])
        let answer = RetentionAnswer(to: asked, .absent)
        #expect(answer.answers(asked))
        #expect(!answer.answers(request([2, 3], promises: false)))
        #expect(!answer.answers(request([2])) && !answer.answers(request([2, 4])))
        let elsewhere = RetentionRequest(zone: Layout.id(9), asksForPromises: true, payloads: asked.payloads)
        #expect(!answer.answers(elsewhere))
    }
}
