package import Sodium
package import Wire

extension Identifier where Kind == DeviceKind {
    /// The device that signs with a key.
    package init(_ key: VerifyingKey) {
        guard let device = DeviceID(key.bytes) else {
            preconditionFailure("a verifying key and a device identifier both have 32 bytes")
        }
        self = device
    }

    /// The key that the device signs with.
    package var verifyingKey: VerifyingKey {
        do {
            return try VerifyingKey(bytes: bytes)
        } catch {
            preconditionFailure("a device identifier and a verifying key both have 32 bytes: \(error)")
        }
    }
}
