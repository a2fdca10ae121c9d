import Identity
import Sodium
import TestSupport

/// One check of a signature by libsodium, with which other figures are compared.
struct SignatureCheck {
    /// The measurement: over as many bytes as a capability has.
    let measured: Measurement

    /// Measures.
    init() {
        var generator = SeededGenerator(seed: 3)
        let key = DeviceIdentity(using: &generator)
        let message = [UInt8](repeating: 1, count: 256)
        let signature = key.sign(message, context: .capability)
        measured = Measurement {
            key.deviceID.verifyingKey.isValid(signature.signature, over: message, context: .capability) ? 1 : 0
        }
    }
}
