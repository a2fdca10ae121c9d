package import KairanInterface
package import Wire

/// The connection to one other device.
package struct PeerStatus: Sendable {
    /// The device.
    package var device: DeviceID
    /// Its account.
    package var account: AccountID
    /// Its name in the account.
    package var name: String
    /// Whether it can be talked to.
    package var state: Peer.State
    /// Its address; `nil` when none is known.
    package var address: String?
    /// The source of the address.
    package var via: Peer.Source?
    /// The obstacle between the two, where it is ``State/unreachable``.
    package var trouble: PeerTrouble?
    /// The time since the last message in its session, in milliseconds; nil without one.
    package var silenceMilliseconds: UInt64?
    /// Round-trip time of the last ping in milliseconds.
    package var roundTripMilliseconds: Double?
    /// Its clock minus ours in milliseconds, as of the last ping.
    package var skewMilliseconds: Int64?
    /// Its role in the account.
    package var role: DeviceRole
    /// The version of the channel that the session speaks; `nil` without one.
    package var channelVersion: ChannelVersion?
    /// The highest version that was ever spoken with it, below which it is refused; `nil` where none was noted.
    package var pinnedVersion: ChannelVersion?
    /// The program that runs there, as it reports; `nil` without a session, and for a program that reports none.
    package var program: ProgramNote?

    /// Makes a status.
    package init(
        device: DeviceID,
        account: AccountID,
        name: String,
        state: Peer.State,
        address: String?,
        via: Peer.Source?,
        trouble: PeerTrouble? = nil,
        silenceMilliseconds: UInt64? = nil,
        roundTripMilliseconds: Double?,
        skewMilliseconds: Int64?,
        role: DeviceRole,
        channelVersion: ChannelVersion? = nil,
        pinnedVersion: ChannelVersion? = nil,
        program: ProgramNote? = nil
    ) {
        self.device = device
        self.account = account
        self.name = name
        self.state = state
        self.address = address
        self.via = via
        self.trouble = trouble
        self.silenceMilliseconds = silenceMilliseconds
        self.roundTripMilliseconds = roundTripMilliseconds
        self.skewMilliseconds = skewMilliseconds
        self.role = role
        self.channelVersion = channelVersion
        self.pinnedVersion = pinnedVersion
        self.program = program
    }
}
