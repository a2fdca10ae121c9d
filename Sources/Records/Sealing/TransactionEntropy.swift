package import Sodium

/// The randomness of one transaction: 32 secret bytes that are drawn for it and used for nothing else.
///
/// Every unpredictable value in a transaction is a hash of this and of the value's purpose, so that the core draws
/// nothing by itself and a run of the simulator can be replayed.
package final class TransactionEntropy: Sendable {
    private let seed: SymmetricKey

    /// Draws from the operating system.
    package init() {
        seed = SymmetricKey.generate(placement: .transient)
    }

    /// Draws from a generator.
    /// - Parameter generator: Where the randomness comes from.
    package init(using generator: inout some RandomNumberGenerator) {
        seed = SymmetricKey.generate(using: &generator, placement: .transient)
    }

    /// Bytes for one purpose.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - message: The use of the bytes; different for each use in the transaction.
    /// - Returns: 32 bytes.
    package func hash(_ context: ContextString, _ message: [UInt8]) -> [UInt8] {
        Blake2b.keyedHash(context, key: seed, message)
    }
}
