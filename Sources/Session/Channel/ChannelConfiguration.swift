/// What a caller may set for one channel.
package struct ChannelConfiguration: Hashable, Sendable {
    /// The longest message in either direction.
    ///
    /// A longer one from the other side closes the channel.
    package var messageByteCountMax: Int
    /// When keys change.
    package var rekey: RekeyPolicy
    /// After which age ``ChannelCore/shouldRenew(now:)`` says yes, in milliseconds.
    package var ageMillisecondsMax: UInt64

    /// A configuration.
    /// - Parameters:
    ///   - messageByteCountMax: The longest message in either direction.
    ///   - rekey: When keys change.
    ///   - ageMillisecondsMax: After which age a session is to be replaced.
    package init(
        messageByteCountMax: Int = ChannelLimits.messageByteCountMaxDefault,
        rekey: RekeyPolicy = .standard,
        ageMillisecondsMax: UInt64 = ChannelLimits.ageMillisecondsMax
    ) {
        self.messageByteCountMax = messageByteCountMax
        self.rekey = rekey
        self.ageMillisecondsMax = ageMillisecondsMax
    }
}
