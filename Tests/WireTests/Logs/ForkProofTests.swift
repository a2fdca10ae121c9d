import Testing
import Wire

/// The form that a fork proof must have before any hash is computed.
@Suite struct ForkProofTests {
    private let first = Layout.signedHead(size: 5, root: 0x44)
    private let second = Layout.signedHead(size: 5, root: 0x45)
    private let longer = Layout.signedHead(size: 6, root: 0x46)
    private let shared = ForkProof.Path(shared: [Layout.id(9)])
    private let both = ForkProof.Path(shared: [Layout.id(9)], split: [Layout.id(8), Layout.id(7)])

    private func proof(
        _ one: (head: SignedTreeHead, path: ForkProof.Path),
        _ other: (head: SignedTreeHead, path: ForkProof.Path),
        forkPoint: UInt64 = 3,
        forkRoot: Hash = Layout.id(6),
        splitPoint: UInt64? = nil
    ) -> ForkProof {
        ForkProof(one, other, forkPoint: forkPoint, forkRoot: forkRoot, splitPoint: splitPoint)
    }

    private func refusal(_ proof: ForkProof) -> WireError? {
        do throws(WireError) {
            _ = try proof.checkedEncoding()
            return nil
        } catch {
            return error
        }
    }

    @Test func `heads of one size that share nothing need no evidence`() {
        let proof = ForkProof(second, first)
        let expected = Layout.bytes(
            "00",
            Layout.fill(0),
            "05",
            Layout.signedHeadHex(size: 5, root: 0x44),
            "00 00",
            Layout.signedHeadHex(size: 5, root: 0x45),
            "00 00"
        )
        #expect(proof.isEncoded(as: expected))
        #expect(proof == ForkProof(first, second))
    }

    @Test func `each path stays with its head`() {
        let proof = proof((longer, both), (first, shared))
        let expected = Layout.bytes(
            "03",
            Layout.fill(6),
            "05",
            Layout.signedHeadHex(size: 5, root: 0x44),
            "01",
            Layout.fill(9),
            "00",
            Layout.signedHeadHex(size: 6, root: 0x46),
            "01",
            Layout.fill(9),
            "02",
            Layout.fill(8),
            Layout.fill(7)
        )
        #expect(proof.isEncoded(as: expected))
    }

    @Test func `a path that shows too little or too much is refused`() {
        #expect(refusal(proof((first, shared), (longer, shared))) == .invalidValue("fork path"))
        #expect(refusal(proof((first, both), (longer, both))) == .invalidValue("fork path"))
        let nothing = ForkProof.Path()
        #expect(refusal(proof((first, nothing), (second, nothing))) == .invalidValue("fork path"))
        #expect(
            refusal(proof((first, shared), (second, shared), forkPoint: 0, forkRoot: .zero))
                == .invalidValue("fork path")
        )
        #expect(refusal(proof((first, shared), (longer, both))) == nil)
    }

    @Test func `heads of two logs prove nothing`() {
        var head = first.head
        head.lane = .control
        let other = SignedTreeHead(head, signature: first.signature)
        #expect(refusal(ForkProof(first, other)) == .invalidValue("fork heads"))
    }

    @Test func `heads of one size and one root prove nothing`() {
        var head = first.head
        head.seen = [Layout.id(0x77): 4]
        let other = SignedTreeHead(head, signature: first.signature)
        #expect(refusal(ForkProof(first, other)) == .invalidValue("fork roots"))
    }

    @Test func `heads out of order, or the same twice, are refused`() throws {
        #expect(refusal(ForkProof(first, first)) == .notAscending)
        let bytes = try ForkProof(first, second).checkedEncoding()
        let headCount = first.encoded.count
        let start = 34
        let firstPart = bytes[start..<(start + headCount + 2)]
        let secondPart = bytes[(start + headCount + 2)...]
        #expect(throws: WireError.notAscending) {
            try ForkProof(decoding: Array(bytes[..<start] + secondPart + firstPart))
        }
    }

    @Test func `points out of order, beyond a head, or without their root are refused`() {
        func refusal(_ fork: UInt64, _ split: UInt64, root: Hash = Layout.id(6)) -> WireError? {
            let path = ForkProof.Path(shared: [Layout.id(9)], split: split == 5 ? [] : [Layout.id(8)])
            return self.refusal(
                proof((first, path), (second, path), forkPoint: fork, forkRoot: root, splitPoint: split)
            )
        }
        #expect(refusal(3, 4) == nil)
        #expect(refusal(4, 4) == .invalidValue("fork point"))
        #expect(refusal(3, 6) == .invalidValue("split point"))
        #expect(refusal(3, 4, root: .zero) == .invalidValue("fork point"))
        #expect(refusal(0, 4) == .invalidValue("fork point"))
    }
}
