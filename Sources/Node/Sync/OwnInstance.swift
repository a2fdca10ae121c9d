import Identity
import Wire

/// This process as mDNS shows it to other devices.
struct OwnInstance {
    /// Its name, random for each process: a machine cannot be followed from one network to another.
    let name: String
    /// The bytes from which its tags are made.
    let nonce: [UInt8]
    private var advertised: ServiceAdvertisement?

    /// Begins without an announcement.
    /// - Parameter boot: The random bytes of the process.
    init(boot: [UInt8]) {
        name = "kairan-" + Hexadecimal.encode(boot.suffix(6))
        nonce = Array(boot.prefix(DiscoveryTag.nonceByteCount))
    }

    /// Notes an announcement.
    /// - Returns: Whether it differs from the last one.
    mutating func hasChanged(to advertisement: ServiceAdvertisement) -> Bool {
        guard advertisement != advertised else { return false }
        advertised = advertisement
        return true
    }
}
