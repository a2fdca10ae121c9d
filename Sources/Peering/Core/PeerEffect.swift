import Identity
package import Session
package import Sync
package import Wire

/// An instruction of a ``PeerCore`` to its driver; instructions are performed in order.
package enum PeerEffect<Address: Hashable & Sendable>: Sendable {
    /// Send a message on a channel.
    case send(SessionID, PeerMessage)
    /// End a channel with a coarse code.
    case close(SessionID, SyncCloseCode)
    /// The purpose of a channel is certain: its connection has other limits from now on.
    case setRoom(SessionID, DoorRoom)
    /// Call an address; answered by `opened` or `dialFailed`.
    case dial(PeerDial<Address>)
    /// Try whether the device of a session can be called, and answer `reachProbed` within a few seconds.
    case probe(SessionID, number: UInt64)
    /// Ask the store; its answer comes as the inputs that the question names.
    case read(StoreRead)
    /// Change the store; changes are made in the order of these effects.
    case write(StoreWrite)
    /// Apply the accounts' logs to the zones in the store; `suppliesKeys` where this device gives keys of zones at once.
    case ruleZones(suppliesKeys: Bool)
    /// Read the account's book, and answer `bookRead`.
    case readBook
    /// Decide about a request to take part in a zone, and answer `decided`.
    case redeem(SessionID, JoinAttempt, claimed: ClaimedUse?)
    /// Grant a noted request that a relay has answered.
    case grantClaimed(ClaimedUse)
    /// Ask a relay that counts the uses of an invitation; answered by `heard` where a channel waits for it.
    case claim(UseClaim, isAwaited: Bool)
    /// Make a zone known here, with an address of its member, and answer `entered`.
    case enterZone(InvitedZone<Address>)
    /// Write the opened invitations down.
    case keepInvitations
    /// Read the log of an account that asks for writes in a public zone, have the store decide, and answer `guestWriteServed`.
    case serveGuestWrite(SessionID, GuestWrite, from: DeviceID, of: AccountID)
    /// The answer to `requestWrite`, by the order's number.
    case guestWriteSettled(UInt64, GuestSettlement)
    /// The answer to `evictionAsked`, by the order's name.
    case evictionSettled(UInt64, EvictionOutcome)
    /// The answer to `holdersAsked`, by the question's name.
    case holdersFound(UInt64, [HolderAnswer])
    /// The answer to `mailed`.
    case mailSettled(SessionID, MailOutcome)
    /// Connections are accepted under other secrets from now on.
    case secretsChanged
    /// The announcement on the local network is to be made again.
    case announce
    /// The log of an account has changed, or is reported for the first time.
    case logChanged(AccountID)
    /// This device is one of another account from now on.
    case accountReplaced
    /// Note the reading of a member's clock, in milliseconds since 1970, at a time of the monotonic clock.
    case heardClock(UInt64, of: DeviceID, AccountID, at: UInt64)
    /// A step in the exchange of a zone.
    case transfer(Transfer)
    /// Report to people and programs.
    case report(PeerReport)
}

/// A report about peers.
package enum PeerReport: Sendable {
    /// A report about sessions.
    case session(SessionReport)
    /// A report of the synchronisation core.
    case sync(SyncReport)
    /// A report about invitations.
    case invitation(InvitationReport)
    /// The synchronisation core ends a session, for a reason.
    case closing(SessionID, SyncCloseCode, reason: String)
    /// Bytes of a channel are no message.
    case malformed(SessionID, any Error)
    /// Entries of an account's log that came in a session are not, or not all, kept.
    case entries(SessionID, EntriesFault)
    /// A newer certificate of a device was entered in the account log.
    case certificateEntered(DeviceID)
    /// A newer certificate of a device could not be entered.
    case certificateNotEntered(DeviceID, any Error)
    /// A secret of the account could not be stored.
    case secretNotStored(SecretKind, any Error)
    /// The account's devices have another key.
    case fleetKeyReplaced(Hash)
    /// A session is closed since its account is blocked.
    case blocked(AccountID)
    /// A zone is offered.
    case offered(ZoneID, by: AccountID)
    /// A device was admitted to the account.
    case admitted(JoiningLink)
    /// A step of joining failed, in words for a log.
    case joiningFailed(String, (any Error)?)

    /// A secret of the account.
    package enum SecretKind: Sendable {
        /// The secret of the recovery words' channel.
        case recovery
        /// Keys of the account's devices.
        case fleet
        /// The days of retired keys.
        case retirement
        /// Another key, which is due since a device was removed.
        case renewal
    }
}
