import Sodium
package import Wire

/// Six words that two people compare, aloud or at a glance.
///
/// Six words of 2,048 are 66 bits. An attacker in the middle of a pairing gets one attempt at a time and would need
/// about 2⁶⁵ of them; one that wants a device with another device's fingerprint needs as many key pairs.
package enum FingerprintWords {
    /// The number of words shown.
    package static let count = 6

    /// The words of a session: both ends show the same ones exactly if no attacker is between them.
    /// - Parameter handshakeHash: The hash of the whole handshake, as the channel gives it.
    /// - Returns: Six words.
    package static func six(from handshakeHash: [UInt8]) -> [String] {
        words(of: Blake2b.digest32(.sessionWords, handshakeHash))
    }

    /// The words of a device, which never change.
    /// - Parameter device: The device.
    /// - Returns: Six words.
    package static func six(of device: DeviceID) -> [String] {
        words(of: Blake2b.digest32(.fingerprintWords, device.bytes))
    }

    /// The first 66 bits, eleven at a time.
    private static func words(of hash: [UInt8]) -> [String] {
        ElevenBitGroups.split(hash).prefix(count).map { WordList.words[$0] }
    }
}
