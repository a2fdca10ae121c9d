package import Sodium
package import Wire

extension Signature64 {
    /// A signature as it is written down.
    package init(_ signature: Signature) {
        guard let value = Signature64(signature.bytes) else {
            preconditionFailure("both forms of a signature have 64 bytes")
        }
        self = value
    }

    /// The signature in the form that keys verify.
    package var signature: Signature {
        do {
            return try Signature(bytes: bytes)
        } catch {
            preconditionFailure("both forms of a signature have 64 bytes: \(error)")
        }
    }
}
