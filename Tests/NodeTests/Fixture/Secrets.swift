import Identity
import Testing

@testable import Node

/// The secrets that open seals in tests.
enum Secrets {
    static func passphrase(_ text: String = "correct horse battery staple") throws -> UnlockingSecret {
        var bytes = Array(text.utf8)
        return try #require(UnlockingSecret.passphrase(wiping: &bytes))
    }

    static func credential(_ byte: UInt8 = 7) throws -> UnlockingSecret {
        var bytes = (0..<40).map { UInt8(truncatingIfNeeded: $0) &* 31 &+ byte }
        return try #require(UnlockingSecret.credential(wiping: &bytes))
    }

    /// A source that answers every request with this secret.
    static func always(_ secret: UnlockingSecret) -> StateSeal.Source { { _ in secret } }

    static let none: StateSeal.Source = { _ in nil }
}
