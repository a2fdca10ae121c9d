import Wire

// The account logs, which come before everything else: they decide which devices may send about zones, and whose runs
// are taken.
extension PeerSession {
    // MARK: Heads

    /// Sends the known heads of accounts' logs, as far as the handshake has not.
    ///
    /// Of one account both sides hold copies of the same log; of two each side asks for the other's, and sends the
    /// entries of its own that the other lacks.
    mutating func tellHeads(in context: inout SyncContext) {
        let isOwn = account == context.rights.account
        let (theirs, known) = (accounts.heads[account] ?? [], context.rights.heads(of: account))
        guard theirs != known, !context.rights.isServedAsStranger(account) else { return }
        if isInitiator || !isOwn { tellHeads(known ?? [], of: account, wantsReply: isOwn, in: &context) }
        // For our account: the heads in the handshake were equal if our log has grown since, and then no side would
        // ask. For another one: runs of devices that it has not learnt of follow.
        if isOwn ? !isInitiator : known != nil { tellLog(of: account, notIn: theirs, in: &context) }
    }

    /// States the heads of all other accounts' logs that a session may exchange, once it is active.
    ///
    /// Between accounts one side's statement is enough for both, except for accounts that are unknown here and that a
    /// zone names. Between devices of one account both sides send: each may know accounts that no zone names yet,
    /// such as those that ask to join.
    mutating func tellOtherHeads(in context: inout SyncContext) {
        askForAccounts(in: &context)
        let isOwn = account == context.rights.account
        guard isOwn || isInitiator else { return }
        for other in context.rights.contacts.keys.sorted()
        where other != account && context.rights.isRelevant(other, to: self) {
            guard let heads = context.rights.heads(of: other) else { continue }
            tellHeads(heads, of: other, wantsReply: !isOwn, in: &context)
        }
    }

    /// Sends the heads again that the peer may have dropped while it did not know this device: as it compares now, it
    /// takes them.
    mutating func tellHeadsAgain(in context: inout SyncContext) {
        guard accounts.tellsHeadsAgain else { return }
        accounts.tellsHeadsAgain = false
        tellOtherHeads(in: &context)
    }

    private func tellHeads(_ heads: [Hash], of other: AccountID, wantsReply: Bool, in context: inout SyncContext) {
        context.send(.accountHave(AccountHave(account: other, heads: heads, wantsReply: wantsReply)), to: id)
    }

    /// Asks for the logs of accounts that a zone names and that are not known here.
    mutating func askForAccounts(of authority: ZoneAuthority, in context: inout SyncContext) {
        guard isActive, context.rights.access(to: authority.zone, for: self) != .nothing else { return }
        for other in authority.parties.sorted()
        where other != context.rights.account && other != account && context.rights.contacts[other] == nil {
            guard accounts.ask(other, at: context.now, context.limits) else { continue }
            tellHeads([], of: other, wantsReply: false, in: &context)
        }
    }

    /// Asks again for all logs that are not known here: the peer may have learnt of the participants only after it
    /// was asked.
    mutating func askForAccounts(in context: inout SyncContext) {
        for zone in context.rights.authorities.keys.sorted() {
            if let authority = context.rights.authorities[zone] { askForAccounts(of: authority, in: &context) }
        }
    }

    /// Takes in the heads of an account's log at the peer, and sends the entries that it lacks.
    mutating func take(_ have: AccountHave, in context: inout SyncContext) {
        guard context.rights.isRelevant(have.account, to: self) else { return }
        let stated = accounts.heads[have.account]
        if context.rights.isNamed(have.account, to: self) { accounts.heads[have.account] = have.heads }
        guard let heads = context.rights.heads(of: have.account) else {
            // Devices of one account get the logs that they lack from each other, one after the other.
            if account == context.rights.account, !have.heads.isEmpty, accounts.fetches.add(have.account) {
                fetchNextLog(in: &context)
            }
            return
        }
        // A device of which nothing is proven could have a long log sent again by naming other heads each time.
        let wasTold = accounts.told[have.account] == heads && (isUnproven || stated == have.heads)
        if !wasTold, have.heads != heads { tellLog(of: have.account, notIn: have.heads, in: &context) }
        if have.wantsReply { tellHeads(heads, of: have.account, wantsReply: false, in: &context) }
    }

    // MARK: Entries

    private mutating func fetchNextLog(in context: inout SyncContext) {
        let contacts = context.rights.contacts
        guard let next = accounts.fetches.next(isNeeded: { contacts[$0] == nil }) else { return }
        tellHeads([], of: next, wantsReply: false, in: &context)
    }

    /// Takes in entries of an account's log.
    mutating func take(_ answer: AccountEntries, in context: inout SyncContext) {
        if !answer.more, accounts.fetches.ended(answer.account) { fetchNextLog(in: &context) }
        guard context.rights.isRelevant(answer.account, to: self) else { return }
        sending.wantsAnew()
        for batch in accounts.arriving.take(answer) {
            context.effects.append(.insertAccountEntries(id, batch.account, batch.entries))
        }
    }

    private mutating func tellLog(of other: AccountID, notIn heads: [Hash], in context: inout SyncContext) {
        accounts.told[other] = context.rights.heads(of: other)
        sending.wantsAnew()
        context.effects.append(.readAccountEntries(id, other, notIn: heads))
    }

    /// Sends entries in messages that the peer takes, parents still before children.
    func send(_ entries: [[UInt8]], of other: AccountID, in context: inout SyncContext) {
        for message in AccountEntries.messages(entries, account: other) {
            context.send(.accountEntries(message), to: id)
        }
    }

    /// An account's log has grown here.
    mutating func logGrew(of other: AccountID, in context: inout SyncContext) {
        guard context.rights.isRelevant(other, to: self) else { return }
        let known = accounts.heads[other]
        if known != context.rights.heads(of: other) {
            tellLog(of: other, notIn: (known ?? []) + (accounts.told[other] ?? []), in: &context)
        }
        if isActive { comparison.askAnewForWaiting(at: context.now, context.limits) }
    }

    // MARK: Secrets of the account's devices

    /// Sends this device's part of the recovery words to another device of the account.
    func tellRecoverySecret(in context: inout SyncContext) {
        guard context.rights.isFellow(self), let secret = context.recoverySecret else { return }
        context.send(.recoverySecret(secret), to: id)
    }

    /// Takes in new recovery words from another device of the account.
    func take(_ secret: RecoverySecret, in context: inout SyncContext) {
        guard account == context.rights.account, secret != context.recoverySecret else { return }
        context.effects.append(.takeRecoverySecret(secret))
    }

    /// Sends the present key to a device of the account that dialled by an earlier one, and that dials again by it.
    func tellFleetSecret(in context: inout SyncContext) {
        let rights = context.rights
        guard account == rights.account, isByEarlierKey, rights.standing(of: device, in: account) == .active,
            !rights.isRemoved, let secret = context.fleetSecret
        else { return }
        context.send(.fleetSecret(secret), to: id)
    }

    /// Takes in the present key from a device of the account that takes the channel for one under an earlier key.
    mutating func take(_ secret: FleetSecret, in context: inout SyncContext) {
        guard account == context.rights.account, !context.rights.isRemovedFellow(self) else { return }
        handedKey = secret.entry
        if !context.fleetKeys.contains(secret.entry) { context.effects.append(.takeFleetSecret(secret)) }
        expectCallAgain(in: context)
    }

    /// Ends the session when the key that a peer has delivered is held: at once where both have the same log.
    mutating func expectCallAgain(in context: SyncContext) {
        guard let handedKey, context.fleetKeys.contains(handedKey) else { return }
        let isLevel = accounts.heads[context.rights.account] == context.rights.own.heads
        let time = isLevel ? context.now : context.now + context.limits.callAgainMilliseconds
        callsAgainAt = min(callsAgainAt ?? .max, time)
    }
}
