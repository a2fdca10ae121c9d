import Identity
import Sodium
import TestSupport
import Testing
import Wire

@Suite struct `Links of public zones` {
    private var generator = SeededGenerator(seed: 78)

    private mutating func link(name: String = "news") throws -> PublicLink {
        let genesis = ZoneGenesis(
            owner: try #require(AccountID(generator.bytes(32))),
            container: "org.example.news",
            name: name,
            salt: generator.bytes(ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        return PublicLink(ZoneTerms(genesis: genesis, tagKey: generator.bytes(ZoneTerms.tagKeyByteCount)))
    }

    @Test mutating func `a link is read back from its text, whatever white space is around it`() throws {
        for name in ["n", "news", String(repeating: "n", count: Limits.nameByteCountMax)] {
            let link = try link(name: name)
            #expect(link.text.hasPrefix("kairan://zone#") && link.text.utf8.allSatisfy { $0 < 0x7F })
            for text in [link.text, " \n" + link.text + "\r\n"] {
                #expect(try PublicLink(typed: text) == link)
                #expect(PublicLink.isMeant(by: text))
            }
        }
    }

    @Test mutating func `every wrong, missing or added character is reported as a mistyped link`() throws {
        let text = Array(try link().text)
        for place in PublicLink.prefix.count..<text.count {
            var wrong = text
            wrong[place] = wrong[place] == "a" ? "b" : "a"
            #expect(throws: InviteLinkError.mistyped) { try PublicLink(typed: String(wrong)) }
            #expect(throws: InviteLinkError.mistyped) { try PublicLink(typed: String(text[..<place])) }
        }
        #expect(throws: InviteLinkError.mistyped) { try PublicLink(typed: String(text) + "a") }
    }

    @Test mutating func `an invitation is not one, and a meaningless link is reported as such`() throws {
        let link = try link()
        let bytes = try #require(Base32.decode(String(link.text.dropFirst(PublicLink.prefix.count))))
        let asInvitation = InviteLink.prefix + Base32.encode(bytes)
        #expect(throws: InviteLinkError.notALink) { try PublicLink(typed: asInvitation) }
        #expect(throws: InviteLinkError.malformed) { try InviteLink(typed: asInvitation) }
        #expect(!PublicLink.isMeant(by: asInvitation))
        for payload in [[1], [1] + link.terms.encoded + [0], Array(([1] + link.terms.encoded).dropLast())] {
            let check = Blake2b.digest32(.inviteCheck, payload).prefix(4)
            #expect(throws: InviteLinkError.malformed) {
                try PublicLink(typed: PublicLink.prefix + Base32.encode(payload + check))
            }
        }
    }
}
