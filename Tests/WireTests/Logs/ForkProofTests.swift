import Testing
import Wire

/// What a fork proof must look like before anybody computes a hash.
@Suite struct ForkProofTests {
    private let first = Layout.signedHead(size: 5, root: 0x44)
    private let second = Layout.signedHead(size: 5, root: 0x45)
    private let longer = Layout.signedHead(size: 6, root: 0x46)

    @Test func `heads of one size need no evidence`() {
        let proof = ForkProof(second, first, forkPoint: 3)
        let expected = Layout.bytes(
            Layout.signedHeadHex(size: 5, root: 0x44),
            Layout.signedHeadHex(size: 5, root: 0x45),
            "03 00"
        )
        #expect(proof.isEncoded(as: expected))
        #expect(proof == ForkProof(first, second, forkPoint: 3))
    }

    @Test func `heads of two sizes need evidence`() {
        let proof = ForkProof(longer, first, evidence: [Layout.id(9)])
        let expected = Layout.bytes(
            Layout.signedHeadHex(size: 5, root: 0x44),
            Layout.signedHeadHex(size: 6, root: 0x46),
            "00 01",
            Layout.fill(9)
        )
        #expect(proof.isEncoded(as: expected))
        #expect(proof.shorter == first)
        #expect(proof.longer == longer)
        #expect(throws: WireError.invalidValue("fork evidence")) { try ForkProof(first, longer).checkedEncoding() }
    }

    @Test func `evidence for heads of one size is refused`() {
        let proof = ForkProof(first, second, evidence: [Layout.id(9)])
        #expect(throws: WireError.invalidValue("fork evidence")) { try proof.checkedEncoding() }
    }

    @Test func `heads of two logs prove nothing`() {
        var head = Layout.head()
        head.lane = .control
        let other = SignedTreeHead(head: head, signature: Layout.signature(1))
        #expect(throws: WireError.invalidValue("fork heads")) { try ForkProof(first, other).checkedEncoding() }
    }

    @Test func `heads of one size and one root prove nothing`() {
        var head = Layout.head()
        head.seen = VersionVector()
        let other = SignedTreeHead(head: head, signature: Layout.signature(1))
        #expect(throws: WireError.invalidValue("fork roots")) { try ForkProof(first, other).checkedEncoding() }
    }

    @Test func `heads out of order are refused`() {
        let bytes = second.encoded + first.encoded + [0, 0]
        #expect(throws: WireError.notAscending) { try ForkProof(decoding: bytes) }
        #expect(throws: WireError.notAscending) { try ForkProof(first, first).checkedEncoding() }
    }

    @Test func `a fork point beyond the shorter head is refused`() {
        let proof = ForkProof(first, longer, forkPoint: 6, evidence: [Layout.id(9)])
        #expect(throws: WireError.invalidValue("forkPoint")) { try proof.checkedEncoding() }
    }
}
