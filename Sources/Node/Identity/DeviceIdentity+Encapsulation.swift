import Identity
import Sodium
import Sync

extension DeviceIdentity {
    /// Returns the public half of the key that other devices seal envelopes to.
    /// - Parameter envelopes: Derives it from the device's secret.
    /// - Returns: The key, as the device states it in its certificate.
    /// - Throws: The errors of the library.
    func encapsulationKey(_ envelopes: any EnvelopeSealing) throws -> [UInt8] {
        var seed = encapsulationSeed()
        defer { ConstantTime.wipe(&seed) }
        return try envelopes.encapsulationKey(seed: seed)
    }
}
