package import Identity
import Peering
import Sodium
import Wire

/// A private file that holds secrets: sealed as a whole when the state directory is, and in the clear otherwise.
package struct SecretFile: Sendable {
    /// Why a file's secrets cannot be used.
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The path of the file.
        package var path: String
        /// Why.
        package var reason: KeyFileError

        /// The fault, its place and its remedy; nothing of the file's content.
        package var description: String {
            switch reason {
            case .otherFormat: "\(path) is not a file of Kairan; move it away and restore the right one"
            case .damaged: "\(path) is damaged; restore it from a backup. Kairan does not replace it"
            case .laterVersion(let version):
                "\(path) was written by a later version of Kairan (format \(version)); use that one"
            case .otherContent: "\(path) holds the secrets of another file; restore the right one"
            case .sealed: "\(path) is sealed, and the seal of its state directory is missing; restore the file \"seal\""
            case .otherSeal:
                "\(path) is sealed under another seal than the one of its state directory; restore the file \"seal\""
                    + " that belongs to it"
            }
        }
    }

    /// The file itself.
    package let file: PrivateFile
    let content: SealingKey.Content
    /// The key that seals it; `nil` = it is in the clear.
    let seal: SealingKey?

    /// The path of the file.
    package var path: String { file.path }

    /// The content in the clear.
    /// - Returns: `nil` when there is no such file; otherwise a secret, to be wiped with `ConstantTime.wipe`.
    /// - Throws: `Failure`, `PrivateFile.Failure`.
    package func read() throws -> [UInt8]? {
        guard var bytes = try file.read() else { return nil }
        // In the clear it is read in any case: a start that was interrupted while sealing leaves both kinds.
        guard SealingKey.isSealed(bytes) else { return bytes }
        defer { ConstantTime.wipe(&bytes) }
        guard let seal else { throw Failure(path: path, reason: .sealed) }
        do {
            return try seal.open(bytes, as: content)
        } catch {
            throw Failure(path: path, reason: error)
        }
    }

    /// Reads the content, and wipes it once it has become a value.
    /// - Parameter decode: Makes the value.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: `Failure`, also for content that `decode` refuses; `PrivateFile.Failure`.
    package func read<Value: ~Copyable>(
        _ decode: ([UInt8]) throws(KeyFileError) -> Value
    ) throws -> Value? {
        guard var bytes = try read() else { return nil }
        defer { ConstantTime.wipe(&bytes) }
        do {
            return try decode(bytes)
        } catch {
            throw Failure(path: path, reason: error)
        }
    }

    /// Replaces the content, durably.
    /// - Parameter bytes: The new content; wiped unless other code holds it too.
    /// - Throws: `PrivateFile.Failure`; then the old content is there, or the new one, but nothing in between.
    package func replace(_ bytes: consuming [UInt8]) throws(PrivateFile.Failure) {
        defer { ConstantTime.wipe(&bytes) }
        try write(bytes, erasesOld: false)
    }

    /// Replaces the content, durably.
    /// - Parameters:
    ///   - bytes: The new content; the caller has to wipe it.
    ///   - erasesOld: Whether to overwrite the content of the old file.
    /// - Throws: As ``replace(_:)``.
    func write(_ bytes: [UInt8], erasesOld: Bool) throws(PrivateFile.Failure) {
        guard let seal else { return try file.replace(bytes, erasesOld: erasesOld) }
        var random = SystemRandom()
        try file.replace(seal.seal(bytes, as: content, using: &random), erasesOld: erasesOld)
    }

    /// Whether it is there and sealed; damaged or not.
    func isSealed() throws(PrivateFile.Failure) -> Bool {
        guard var bytes = try file.read() else { return false }
        defer { ConstantTime.wipe(&bytes) }
        return SealingKey.isSealed(bytes)
    }

    /// Whether bytes in the clear are the content that this file is meant to hold.
    func isWhole(_ bytes: [UInt8]) -> Bool {
        switch content {
        case .device: isRead { try KeyFile.device(from: bytes) }
        case .account: isRead { try KeyFile.accountKeys(from: bytes) }
        case .recovery: isRead { try KeyFile.recoveryPhrase(from: bytes) }
        case .store: isRead { try KeyFile.storeKey(from: bytes) }
        case .relay: isRead { try KeyFile.relaySeed(from: bytes) }
        case .enrolments: isRead { try EnrolmentBook(decoding: bytes) }
        case .joins: isRead { try OpenedInvitations(decoding: bytes) }
        }
    }

    private func isRead<Value: ~Copyable>(_ decode: () throws -> Value) -> Bool {
        do {
            _ = try decode()
            return true
        } catch {
            return false
        }
    }
}
