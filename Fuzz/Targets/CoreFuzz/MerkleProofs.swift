import FuzzKit
import Records
import Sodium
import TestSupport
import Wire

/// Proofs of trees: any sizes and any hashes are answered, and only true evidence is believed.
let merkleProofTarget = FuzzTarget(
    "merkle-proofs",
    inputByteCountMax: 1_024,
    run: { bytes in
        var input = FuzzInput(bytes)
        let (first, second, index) = (input.number(), input.number(), input.number())
        let isReal = input.bool()
        var hashes: [Hash] = []
        while !input.isEmpty, hashes.count < 80 { hashes.append(hash(input.byte())) }
        _ = MerkleProof<LogTreeHashing>.roots(first: first, second: second, evidence: hashes)
        _ = MerkleProof<LogTreeHashing>.root(leaf: hash(1), index: index, size: second, path: hashes)
        _ = MerkleProof<LogTreeHashing>.isConsistent(
            first: first,
            second: second,
            firstRoot: hash(0),
            secondRoot: hash(1),
            proof: hashes
        )
        if isReal { proveTree(leaves: hashes, first: first) }
    },
    seeds: {
        var generator = SeededGenerator(seed: 4)
        return (1..<40).map { count in
            [UInt8(generator.below(count)), UInt8(count), UInt8(generator.below(count)), 1] + generator.bytes(count)
        }
    }
)

private func proveTree(leaves: [Hash], first: UInt64) {
    guard !leaves.isEmpty else { return }
    var tiles = MerkleTiles<LogTreeHashing>()
    var frontier = TreeFrontier()
    var early: Hash?
    let first = first % UInt64(leaves.count)
    for (place, leaf) in leaves.enumerated() {
        demand(tiles.append(leaf), "a leaf can be appended")
        frontier.append(leaf)
        if UInt64(place + 1) == first { early = frontier.root }
    }
    guard let early, let evidence = tiles.consistencyEvidence(first: first) else { return }
    let roots = MerkleProof<LogTreeHashing>.roots(first: first, second: frontier.size, evidence: evidence)
    demand(roots?.first == early && roots?.second == frontier.root, "true evidence proves both roots")
    for place in evidence.indices {
        var changed = evidence
        changed[place] = Hash(digesting: .rangeDigest, changed[place].bytes)
        let roots = MerkleProof<LogTreeHashing>.roots(first: first, second: frontier.size, evidence: changed)
        demand(roots?.first != early || roots?.second != frontier.root, "changed evidence proves something else")
    }
}

private func hash(_ byte: UInt8) -> Hash {
    Hash(Digest32(word0: UInt64(byte), word1: 0, word2: 0, word3: 0))
}
