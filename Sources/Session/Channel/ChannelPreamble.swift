internal import Sodium
internal import Wire

/// The bytes that an initiator sends before its first handshake message.
///
/// They identify it to peers that share a secret with it, and tell nothing to others.
struct ChannelPreamble: Equatable {
    static let magic: [UInt8] = Array("KRN1".utf8)
    static let nonceByteCount = 16
    static let tagByteCount = 16
    static let byteCount = magic.count + 1 + nonceByteCount + tagByteCount

    let version: UInt8
    let nonce: [UInt8]
    let tag: [UInt8]

    /// The preamble for a secret.
    init(version: ChannelVersion, secret: ChannelSecret, nonce: [UInt8]) {
        self.init(version: version.rawValue, secret: secret, nonce: nonce)
    }

    /// The preamble for a secret, of a version that there may not be.
    init(version: UInt8, secret: ChannelSecret, nonce: [UInt8]) {
        self.version = version
        self.nonce = nonce
        tag = secret.selectorTag(version: version, nonce: nonce)
    }

    /// Reads a preamble.
    ///
    /// Whether its tag means anything is not looked at.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
        version = bytes[4]
        nonce = Array(bytes[5..<21])
        tag = Array(bytes[21..<37])
    }

    var bytes: [UInt8] {
        Self.magic + [version] + nonce + tag
    }

    /// The bytes that the handshake binds: the protocol's name, then the preamble.
    var prologue: [UInt8] {
        ContextString.channelPrologue.prefixed(bytes)
    }

    /// Returns the version of the preamble, if it is one that a side speaks.
    func version(upTo newest: ChannelVersion) -> ChannelVersion? {
        ChannelVersion(rawValue: version).flatMap { $0 <= newest ? $0 : nil }
    }

    /// The secret this preamble was made with.
    ///
    /// Every one is tried, so that the time does not show which it was.
    func secret(among secrets: [ChannelSecret]) -> ChannelSecret? {
        var found: ChannelSecret?
        for secret in secrets.prefix(ChannelLimits.secretCountMax) {
            let isMatch = ConstantTime.equal(secret.selectorTag(version: version, nonce: nonce), tag)
            if isMatch, found == nil {
                found = secret
            }
        }
        return found
    }
}
