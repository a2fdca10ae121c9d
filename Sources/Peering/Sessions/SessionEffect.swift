package import Identity
package import Sync
package import Wire

/// An instruction of ``PeerSessions`` to the driver.
package enum SessionEffect: Sendable {
    /// Give the core an input, and perform its effects.
    case feed(SyncInput)
    /// Close a channel with a coarse code.
    case close(SessionID, SyncCloseCode)
    /// Go on with a channel by which a device wants to join the account.
    case join(SessionID, VerifiedCertificate, HandshakePayload)
    /// Go on with a channel about an invitation.
    case invite(SessionID, VerifiedCertificate, HandshakePayload)
    /// Change the store.
    case write(StoreWrite)
    /// Note the reading of a member's clock, in milliseconds since 1970, at a time of the monotonic clock.
    case heardClock(UInt64, of: DeviceID, AccountID, at: UInt64)
    /// Report to people and programs.
    case report(SessionReport)
}

/// A report about sessions.
package enum SessionReport: Sendable {
    /// The peer of a channel has shown no certificate that is bound to the channel.
    case noCertificate(SessionID)
    /// The peer of a channel is of an account that is not accepted.
    case otherAccount(SessionID)
    /// A channel has a lower version than its device supports.
    case downgraded(SessionID, DeviceID, expected: ChannelVersion, isMember: Bool)
    /// A device that was refused for its version has connected with the expected version.
    case versionRestored(DeviceID)
    /// A session begins; its input for the core follows.
    case opened(SessionOpening, HandshakePayload)
    /// A session has ended for the core.
    case closing(SessionID)
}
