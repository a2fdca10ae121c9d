import Identity
import Sodium
import TestSupport
import Testing
import Wire

@Suite struct `Links of invitations` {
    private var generator = SeededGenerator(seed: 77)

    private mutating func link(_ addresses: [String] = ["192.168.1.4:7420", "[fe80::1]:7420"]) throws -> InviteLink {
        let account = try #require(AccountID(generator.bytes(32)))
        return try InviteLink(secret: InviteSecret(using: &generator), account: account, addresses: addresses)
    }

    @Test mutating func `a link is read back from its text, whatever white space is around it`() throws {
        for addresses in [[], ["host.example:1"], ["a:1", "b:2", "c:3", "d:65535"]] {
            let link = try link(addresses)
            #expect(link.text.hasPrefix("kairan://join#") && link.text.utf8.allSatisfy { $0 < 0x7F })
            for text in [link.text, " \n" + link.text + "\r\n"] {
                let read = try InviteLink(typed: text)
                #expect(read == link && read.addresses == addresses && read.secret.identifier == link.secret.identifier)
            }
        }
    }

    @Test mutating func `every wrong, missing or added character is reported as a mistyped link`() throws {
        let text = Array(try link().text)
        for place in "kairan://join#".count..<text.count {
            var wrong = text
            wrong[place] = wrong[place] == "a" ? "b" : "a"
            #expect(throws: InviteLinkError.mistyped) { try InviteLink(typed: String(wrong)) }
            #expect(throws: InviteLinkError.mistyped) { try InviteLink(typed: String(text[..<place])) }
        }
        #expect(throws: InviteLinkError.mistyped) { try InviteLink(typed: String(text) + "a") }
        #expect(throws: InviteLinkError.mistyped) {
            try InviteLink(typed: "kairan://join#" + String(text.dropFirst(14)).uppercased())
        }
        let long = "kairan://join#" + String(repeating: "a", count: 5_000)
        #expect(throws: InviteLinkError.mistyped) { try InviteLink(typed: long) }
    }

    @Test mutating func `another text is no link`() throws {
        let text = try link().text
        for other in ["", "kairan://join", "https" + text.dropFirst(6), String(text.dropFirst()), "KAIRAN:ABC"] {
            #expect(throws: InviteLinkError.notALink) { try InviteLink(typed: other) }
        }
    }

    @Test mutating func `a whole link of another version, or a meaningless one, is reported as such`() throws {
        func text(_ payload: [UInt8]) -> String {
            let check = Blake2b.digest32(.inviteCheck, payload).prefix(4)
            return InviteLink.prefix + Base32.encode(payload + check)
        }
        let bytes = try #require(Base32.decode(String(try link().text.dropFirst(14))))
        let payload = Array(bytes.dropLast(4))
        #expect(throws: Never.self) { try InviteLink(typed: text(payload)) }
        #expect(throws: InviteLinkError.unknownVersion(2)) { try InviteLink(typed: text([2] + payload.dropFirst())) }
        #expect(throws: InviteLinkError.malformed) { try InviteLink(typed: text(payload + [0])) }
        #expect(throws: InviteLinkError.malformed) { try InviteLink(typed: text(Array(payload.prefix(65)))) }
        let many = payload.prefix(65) + [5] + [UInt8](repeating: 0, count: 5).flatMap { _ in [3, 0x61, 0x3A, 0x31] }
        #expect(throws: InviteLinkError.malformed) { try InviteLink(typed: text(Array(many))) }
        let space = payload.prefix(65) + [1, 4, 0x20, 0x61, 0x3A, 0x31]
        #expect(throws: InviteLinkError.malformed) { try InviteLink(typed: text(Array(space))) }
    }

    @Test mutating func `addresses are hosts with ports, few and short`() throws {
        let bad = [
            "", "host", ":1", "host:", "host:0", "host:01", "host:65536", "host:+1", "ho st:1", "höst:1",
            String(repeating: "h", count: 261) + ":1",
        ]
        for address in bad {
            #expect(throws: InviteLinkError.badAddress(address)) { try link([address]) }
        }
        #expect(throws: Never.self) { try link([String(repeating: "h", count: 260) + ":1"]) }
        #expect(throws: InviteLinkError.tooManyAddresses) { try link([String](repeating: "a:1", count: 5)) }
    }

    @Test mutating func `derived keys differ by secret and by use`() throws {
        let (first, second) = (InviteSecret(using: &generator), InviteSecret(using: &generator))
        #expect(first.identifier.count == 16 && first.identifier != second.identifier && first != second)
        let keys = [first, second].flatMap { [$0.presharedKey().exportBytes(), $0.discoveryKey().exportBytes()] }
        #expect(Set(keys).count == 4)
        let same = try InviteSecret(bytes: first.exportBytes())
        let sameKey = same.presharedKey().exportBytes()
        #expect(same == first && sameKey == keys[0])
        #expect(throws: SodiumError.self) { try InviteSecret(bytes: [1]) }
    }

    @Test mutating func `printing a link or a secret gives nothing away`() throws {
        let link = try link()
        var shown = "\(link) \(link.secret)" + String(reflecting: link) + String(reflecting: link.secret)
        dump(link, to: &shown)
        dump(link.secret, to: &shown)
        #expect(
            shown == "invite link invite secretinvite linkinvite secret- invite link\n- invite secret\n",
            "\(shown)"
        )
    }
}
