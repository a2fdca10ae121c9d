/// The policy by which a direction changes its key.
///
/// Both sides count the same frames, so no message about it is needed.
package struct RekeyPolicy: Hashable, Sendable {
    /// Frames under one key.
    package var frameCount: UInt64
    /// Plaintext bytes under one key, padding included.
    package var byteCount: UInt64

    /// 65,536 frames or 1 GiB, whichever comes first: far below the limits of ChaCha20-Poly1305, and often enough
    /// that a key stolen from memory opens little of the past.
    package static let standard = RekeyPolicy(frameCount: 1 << 16, byteCount: 1 << 30)

    /// A policy; both sides must have the same one.
    ///
    /// Other than ``standard`` only in tests.
    /// - Parameters:
    ///   - frameCount: Frames under one key; at least 1.
    ///   - byteCount: Plaintext bytes under one key; at least 1.
    package init(frameCount: UInt64, byteCount: UInt64) {
        precondition(frameCount > 0 && byteCount > 0, "a key must be good for something")
        self.frameCount = frameCount
        self.byteCount = byteCount
    }
}
