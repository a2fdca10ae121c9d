import Sodium
package import Wire

/// The hashing of a Merkle tree's inner nodes.
///
/// Logs use ``LogTreeHashing``; the protocol is generic so that the published vectors for SHA-256 trees run against
/// the very code that checks our logs.
package protocol TreeHashing: Sendable {
    /// The hash of an inner node.
    static func node(_ left: Hash, _ right: Hash) -> Hash

    /// The root of a tree without leaves.
    static var emptyRoot: Hash { get }
}

/// The hashing of operation logs: BLAKE2b-256 under a purpose of its own, with RFC 6962's 0x01 in front of the children.
package enum LogTreeHashing: TreeHashing {
    /// `H(tree-node: 0x01 ‖ left ‖ right)`.
    package static func node(_ left: Hash, _ right: Hash) -> Hash {
        TreeNode.hash(.treeNode, left, right)
    }

    /// `H(tree-empty: nothing)`.
    package static let emptyRoot = Hash(digesting: .treeEmpty, [])
}

/// The hashing of a checkpoint's live set; its nodes can never pass for nodes of a log.
package enum LiveSetHashing: TreeHashing {
    /// `H(live-set-node: 0x01 ‖ left ‖ right)`.
    package static func node(_ left: Hash, _ right: Hash) -> Hash {
        TreeNode.hash(.liveSetNode, left, right)
    }

    /// The root of a live set with nothing in it: the hash of no entry at all.
    package static let emptyRoot = Hash(digesting: .liveSetNode, [])
}

private enum TreeNode {
    /// 0x01 and two digests.
    static let byteCount = 65

    static func hash(_ context: ContextString, _ left: Hash, _ right: Hash) -> Hash {
        let words = Blake2b.words32(context, messageByteCount: byteCount) { buffer in
            buffer[0] = 0x01
            store(left.digest, into: buffer, at: 1)
            store(right.digest, into: buffer, at: 33)
        }
        return Hash(Digest32(words))
    }

    private static func store(_ digest: Digest32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        buffer.storeBytes(of: digest.word0.bigEndian, toByteOffset: offset, as: UInt64.self)
        buffer.storeBytes(of: digest.word1.bigEndian, toByteOffset: offset + 8, as: UInt64.self)
        buffer.storeBytes(of: digest.word2.bigEndian, toByteOffset: offset + 16, as: UInt64.self)
        buffer.storeBytes(of: digest.word3.bigEndian, toByteOffset: offset + 24, as: UInt64.self)
    }
}
