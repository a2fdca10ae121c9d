package import Identity
package import Sodium

/// The seal of a state directory: whether there is one, opening it, and moving the files with secrets between their forms.
///
/// Each step leaves every file in one form or the other, and the seal that is needed to read both: it is there before
/// the first file is sealed, and removed after the last one is in the clear. The next start goes on with a step that
/// a crash interrupted.
package struct StateSeal: Sendable {
    /// The purpose of a secret that is asked for.
    package enum Request: Sendable, Equatable {
        /// To open a seal, which takes this kind.
        case open(UnlockingSecret.Kind)
        /// To make a seal; no secret means that there is to be none.
        case make
    }

    /// The source of secrets, which the caller provides.
    package typealias Source = @Sendable (Request) throws -> UnlockingSecret?

    /// The state directory.
    package let directory: String
    private let files: IdentityFiles
    private let parameters: Argon2id.Parameters

    /// Names a state directory; nothing is touched.
    /// - Parameters:
    ///   - directory: The state directory, this process's alone.
    ///   - parameters: The cost of a guess at a passphrase, for seals that are made or locked again.
    package init(directory: String, parameters: Argon2id.Parameters = .moderate) {
        self.directory = directory
        self.parameters = parameters
        files = IdentityFiles(directory: directory)
    }

    /// Returns the kind of secret that opens the seal.
    /// - Returns: `nil` when there is none.
    /// - Throws: ``StateSealError``, `PrivateFile.Failure`.
    package func kind() throws -> UnlockingSecret.Kind? { try read()?.kind }

    /// Opens the seal, or makes one if a secret is given; all files with secrets are sealed then.
    /// - Parameter source: Asked at most once.
    /// - Returns: The key; `nil` = there is no seal, and none is wanted.
    /// - Throws: ``StateSealError``, `PrivateFile.Failure`, the errors of `source`. No file has changed then that
    ///   cannot be read by the same secret or without any, and no key is ever made in the place of one that cannot be
    ///   read.
    package func unlock(_ source: Source) throws -> SealingKey? {
        if let seal = try read() {
            guard let secret = try source(.open(seal.kind)) else {
                throw StateSealError(directory: directory, reason: .noSecret(seal.kind))
            }
            let key = try open(seal, with: secret)
            try sealFiles(under: key)
            return key
        }
        guard let secret = try source(.make) else { return nil }
        try files.prepare()
        // A seal in the place of one that is lost would make those files look foreign.
        for file in files.secrets where try file.isSealed() {
            throw SecretFile.Failure(path: file.path, reason: .sealed)
        }
        var random = SystemRandom()
        let key = SealingKey(using: &random)
        try write(key, lockedWith: secret)
        try sealFiles(under: key)
        return key
    }

    /// Locks the seal with another secret; the files stay as they are.
    /// - Parameters:
    ///   - key: The key from ``unlock(_:)``.
    ///   - secret: The secret that opens the seal from now on.
    /// - Throws: ``StateSealError``, `PrivateFile.Failure`; then the seal is the old one, or the new one.
    package func relock(_ key: SealingKey, with secret: UnlockingSecret) throws {
        try write(key, lockedWith: secret)
    }

    /// Puts all files with secrets in the clear and removes the seal.
    /// - Parameter source: Asked if any file is sealed.
    /// - Returns: Whether there was a seal.
    /// - Throws: ``StateSealError``, `SecretFile.Failure`, `PrivateFile.Failure`, the errors of `source`; files that
    ///   are in the clear by then stay so, and the seal stays.
    package func remove(_ source: Source) throws -> Bool {
        guard let seal = try read() else { return false }
        if try files.secrets.contains(where: { try $0.isSealed() }) {
            guard let secret = try source(.open(seal.kind)) else {
                throw StateSealError(directory: directory, reason: .noSecret(seal.kind))
            }
            let opened = IdentityFiles(directory: directory, sealingKey: try open(seal, with: secret))
            for (sealed, clear) in zip(opened.secrets, files.secrets) {
                guard var bytes = try sealed.read() else { continue }
                try rewrite(clear, wiping: &bytes)
            }
        }
        try files.seal.erase()
        return true
    }

    // MARK: Steps

    private func read() throws -> SealFile? {
        guard let bytes = try files.seal.read() else { return nil }
        do throws(SealFileError) {
            return try SealFile(decoding: bytes)
        } catch {
            throw StateSealError(directory: directory, reason: .seal(error))
        }
    }

    private func open(_ seal: SealFile, with secret: UnlockingSecret) throws(StateSealError) -> SealingKey {
        do {
            return try seal.open(with: secret)
        } catch {
            throw StateSealError(
                directory: directory,
                reason: error == .otherKind ? .noSecret(seal.kind) : .seal(error)
            )
        }
    }

    private func write(_ key: SealingKey, lockedWith secret: UnlockingSecret) throws {
        var random = SystemRandom()
        let seal: SealFile
        do throws(SealFileError) {
            seal = try SealFile(locking: key, with: secret, parameters: parameters, using: &random)
        } catch {
            throw StateSealError(directory: directory, reason: .seal(error))
        }
        try files.seal.replace(seal.encoded, erasesOld: true)
    }

    /// Seals the files in the clear; sealed ones stay as they are.
    private func sealFiles(under key: SealingKey) throws {
        let sealed = IdentityFiles(directory: directory, sealingKey: key)
        for file in sealed.secrets {
            // The temporary file that a crash has left may be in the clear.
            try PrivateFile(path: file.path + PrivateFile.temporarySuffix).erase()
            guard try !file.isSealed(), var bytes = try file.read() else { continue }
            defer { ConstantTime.wipe(&bytes) }
            // A damaged file stays as it is; its reader reports the damage.
            guard file.isWhole(bytes) else { continue }
            try rewrite(file, wiping: &bytes)
        }
    }

    private func rewrite(_ file: SecretFile, wiping bytes: inout [UInt8]) throws {
        defer { ConstantTime.wipe(&bytes) }
        guard file.content == .device else { return try file.write(bytes, erasesOld: true) }
        try SentinelFile.keeping(files.sentinel, witness: file.file) { try file.write(bytes, erasesOld: true) }
    }
}
