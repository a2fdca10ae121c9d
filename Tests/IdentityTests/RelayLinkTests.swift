import Identity
import Testing
import Wire

@Suite struct `A link to a relay` {
    private func link(_ addressCount: Int) throws -> RelayLink {
        try RelayLink(
            relay: RelayID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4)),
            channelSecret: [UInt8](repeating: 5, count: RelayLink.secretByteCount),
            admissionSecret: [UInt8](repeating: 6, count: RelayLink.secretByteCount),
            addresses: (0..<addressCount).map { "front-\($0).example:7420" }
        )
    }

    @Test(arguments: [1, RelayLink.addressCountMax])
    func `names one address, or one of each front end, and is read back from its text`(count: Int) throws {
        let link = try link(count)
        let read = try RelayLink(typed: " " + link.text + "\n")
        #expect(read == link && read.addresses.count == count)
    }

    @Test(arguments: [0, RelayLink.addressCountMax + 1])
    func `is not made without an address, or with more than a link may name`(count: Int) {
        #expect(throws: RelayLinkError.addressCount) { try link(count) }
    }
}
