import Identity
import Sodium
import Sync

extension DeviceIdentity {
    /// The public half of the key that others seal envelopes to.
    /// - Parameter envelopes: What makes it of the device's secret.
    /// - Returns: What the device states in its certificate.
    /// - Throws: What the library throws.
    func encapsulationKey(_ envelopes: any EnvelopeSealing) throws -> [UInt8] {
        var seed = encapsulationSeed()
        defer { ConstantTime.wipe(&seed) }
        return try envelopes.encapsulationKey(seed: seed)
    }
}
