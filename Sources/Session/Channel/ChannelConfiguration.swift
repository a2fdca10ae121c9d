/// The settings that a caller may choose for one channel.
package struct ChannelConfiguration: Hashable, Sendable {
    /// The longest message in either direction.
    ///
    /// A longer one from the other side closes the channel.
    package var messageByteCountMax: Int
    /// The policy for changes of keys.
    package var rekey: RekeyPolicy
    /// The age from which on ``ChannelCore/shouldRenew(now:)`` is true, in milliseconds.
    package var ageMillisecondsMax: UInt64
    /// The extra age for the side that was connected to, so that the two sides do not end it crosswise, in
    /// milliseconds.
    package var renewalGraceMilliseconds: UInt64
    /// Whether no frame is opened after the handshake until ``ChannelCore/acceptMessages(upTo:dropsLonger:into:)``.
    package var waitsForVerdict: Bool
    /// The messages that the caller knows, as the side that connects states it with its last handshake message; 0
    /// states nothing.
    package var messageRevision: UInt8

    /// A configuration.
    /// - Parameters:
    ///   - messageByteCountMax: The longest message in either direction.
    ///   - rekey: The policy for changes of keys.
    ///   - ageMillisecondsMax: The age from which on a session is to be replaced.
    ///   - renewalGraceMilliseconds: The extra age for the side that was connected to.
    ///   - waitsForVerdict: Whether no frame is opened until the accepted messages are set.
    ///   - messageRevision: The messages that the caller knows; 0 states nothing.
    package init(
        messageByteCountMax: Int = ChannelLimits.messageByteCountMaxDefault,
        rekey: RekeyPolicy = .standard,
        ageMillisecondsMax: UInt64 = ChannelLimits.ageMillisecondsMax,
        renewalGraceMilliseconds: UInt64 = ChannelLimits.renewalGraceMilliseconds,
        waitsForVerdict: Bool = false,
        messageRevision: UInt8 = 0
    ) {
        self.messageByteCountMax = messageByteCountMax
        self.rekey = rekey
        self.ageMillisecondsMax = ageMillisecondsMax
        self.renewalGraceMilliseconds = renewalGraceMilliseconds
        self.waitsForVerdict = waitsForVerdict
        self.messageRevision = messageRevision
    }
}
