package import Sodium

/// The key by which this device is known on channels.
///
/// A class, because the key cannot be copied and every connection needs it.
package final class ChannelIdentity: Sendable {
    /// The static key of every handshake.
    let agreementKey: AgreementKey

    /// Takes the key.
    /// - Parameter agreementKey: The device's agreement key.
    package init(_ agreementKey: consuming AgreementKey) {
        self.agreementKey = agreementKey
    }
}
