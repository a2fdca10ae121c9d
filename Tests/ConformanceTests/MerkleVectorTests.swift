import Foundation
import Records
import Sodium
import TestSupport
import Testing
import Wire

/// RFC 6962's own hashing, so that the published vectors run against the code that checks our logs.
private enum CertificateTreeHashing: TreeHashing {
    static func node(_ left: Hash, _ right: Hash) -> Hash {
        hash([0x01] + left.bytes + right.bytes)
    }

    static var emptyRoot: Hash { hash([]) }

    private static func hash(_ bytes: [UInt8]) -> Hash {
        Hash(SHA256.hash(bytes)) ?? .zero
    }
}

/// Bytes that a vector file writes in base64.
private struct Base64Bytes: Decodable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        bytes = [UInt8](Data(base64Encoded: text) ?? Data())
    }

    /// The bytes as a hash; nil when there are not 32.
    var hash: Hash? { Hash(bytes) }

    /// The bytes as a root; some cases name roots by words that only have to be equal or not.
    var root: Hash? { hash ?? Hash(SHA256.hash(bytes)) }
}

@Suite struct MerkleVectorTests {
    private typealias Proof = MerkleProof<CertificateTreeHashing>

    private struct Inclusion: Decodable {
        let leafIdx: UInt64
        let treeSize: UInt64
        let root: Base64Bytes
        let leafHash: Base64Bytes
        let proof: [Base64Bytes]?
        let desc: String
        let wantErr: Bool
    }

    private struct SubtreeInclusion: Decodable {
        let leafIdx: UInt64
        let start: UInt64
        let end: UInt64
        let root: Base64Bytes
        let leafHash: Base64Bytes
        let proof: [Base64Bytes]?
        let desc: String
        let wantErr: Bool
    }

    private struct Consistency: Decodable {
        let size1: UInt64
        let size2: UInt64
        let root1: Base64Bytes
        let root2: Base64Bytes
        let proof: [Base64Bytes]?
        let desc: String
        let wantErr: Bool
    }

    /// Hashes of a proof; nil when one has not 32 bytes, which no proof of ours can hold.
    private func hashes(_ proof: [Base64Bytes]?) -> [Hash]? {
        let hashes = (proof ?? []).map(\.hash)
        return hashes.contains(nil) ? nil : hashes.compactMap(\.self)
    }

    private func isIncluded(
        _ leaf: Base64Bytes,
        _ index: UInt64,
        _ size: UInt64,
        _ path: [Base64Bytes]?,
        _ root: Base64Bytes
    ) -> Bool {
        guard let leaf = leaf.hash, let root = root.hash, let path = hashes(path) else { return false }
        return Proof.isIncluded(leaf: leaf, index: index, size: size, path: path, root: root)
    }

    @Test func `every inclusion proof is judged as published`() throws {
        let cases = try PublishedVectors.load([String: Inclusion].self, "merkle-rfc6962/inclusion.json")
        for (name, test) in cases {
            let isIncluded = isIncluded(test.leafHash, test.leafIdx, test.treeSize, test.proof, test.root)
            #expect(isIncluded == !test.wantErr, "\(name): \(test.desc)")
        }
        #expect(cases.count == 98)
        #expect(cases.values.count(where: \.wantErr) == 92)
        print("merkle inclusion: \(cases.count) vectors checked")
    }

    @Test func `every subtree inclusion proof is judged as published`() throws {
        let cases = try PublishedVectors.load([String: SubtreeInclusion].self, "merkle-rfc6962/subtreeinclusion.json")
        for (name, test) in cases {
            // A subtree is a tree of its own over the leaves from its start to its end.
            let (size, isBackwards) = test.end.subtractingReportingOverflow(test.start)
            let (index, isBefore) = test.leafIdx.subtractingReportingOverflow(test.start)
            let isSubtree = !isBackwards && !isBefore && Self.isSubtree(test.start, size)
            let isIncluded = isSubtree && isIncluded(test.leafHash, index, size, test.proof, test.root)
            #expect(isIncluded == !test.wantErr, "\(name): \(test.desc)")
        }
        #expect(cases.count == 204)
        #expect(cases.values.count(where: \.wantErr) == 192)
        print("merkle subtree inclusion: \(cases.count) vectors checked")
    }

    /// A subtree begins at a multiple of the power of two that its size does not exceed.
    private static func isSubtree(_ start: UInt64, _ size: UInt64) -> Bool {
        guard size > 0, size <= UInt64(1) << 62 else { return false }
        var width: UInt64 = 1
        while width < size { width *= 2 }
        return start.isMultiple(of: width)
    }

    @Test func `every consistency proof is judged as published`() throws {
        let cases = try PublishedVectors.load([String: Consistency].self, "merkle-rfc6962/consistency.json")
        for (name, test) in cases {
            var isConsistent = false
            if let first = test.root1.root, let second = test.root2.root, let proof = hashes(test.proof) {
                isConsistent = Proof.isConsistent(
                    first: test.size1,
                    second: test.size2,
                    firstRoot: first,
                    secondRoot: second,
                    proof: proof
                )
            }
            #expect(isConsistent == !test.wantErr, "\(name): \(test.desc)")
        }
        #expect(cases.count == 98)
        #expect(cases.values.count(where: \.wantErr) == 92)
        print("merkle consistency: \(cases.count) vectors checked")
    }
}
