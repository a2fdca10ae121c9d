import Identity
import Wire

// Joining, from the view of the asking device: it has found a device with the key of its search, asks, and enters the
// account.
extension JoiningCore {
    mutating func joiningOpened(
        _ link: JoiningLink,
        in account: some JoiningAccount,
        random: inout some RandomNumberGenerator,
        into effects: inout [JoiningEffect]
    ) {
        // One device has several addresses, and the search dials them all: the first channel is the one.
        guard let search, search.outcome == nil, !isAsking, search.key == link.key else {
            effects.append(.close(link.session, .goodbye))
            return
        }
        insert(link)
        effects.append(.setRoom(link.session, link.role, link.key))
        guard let key = search.recoveryKey else {
            requestPairing(link, in: account, into: &effects)
            return
        }
        requestRecovery(link, key, search, in: account, random: &random, into: &effects)
    }

    private func requestPairing(
        _ link: JoiningLink,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        let request = PairRequest(
            certificate: account.certificate.signed.encoded,
            account: account.accountState.account
        )
        effects.append(.send(link.session, .pairRequest(request)))
    }

    /// Asks the device at the other end to take this one in, with the entry that does so.
    private mutating func requestRecovery(
        _ link: JoiningLink,
        _ key: RecoveryKey,
        _ search: Search,
        in account: some JoiningAccount,
        random: inout some RandomNumberGenerator,
        into effects: inout [JoiningEffect]
    ) {
        guard search.isFor(link.payload.account) else {
            let text = "a device that knows the recovery words is from another account than the named one; ignored"
            effects.append(.failed(text, nil))
            close(link.session, .goodbye, into: &effects)
            return
        }
        do {
            let entry = try key.entryAdding(
                account.certificate,
                account: link.payload.account,
                heads: link.payload.accountHeads,
                using: &random
            )
            effects.append(.send(link.session, .recoverRequest(RecoverRequest(entry: entry.encoded))))
        } catch {
            effects.append(.failed("peer names no account", error))
            close(link.session, .violation, into: &effects)
        }
    }

    /// Accepts the offered rights of this device, or stays in its account.
    mutating func hear(
        _ terms: PairTerms,
        on link: JoiningLink,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        guard let search, search.recoveryKey == nil, !link.hasHeardTerms else {
            close(link.session, .violation, into: &effects)
            return
        }
        guard terms.role == .full || !search.hasZones else {
            self.search?.outcome = .failure(.zonesInTheWay)
            close(link.session, .goodbye, into: &effects)
            return
        }
        told(link.session)
        requestPairing(link, in: account, into: &effects)
    }

    mutating func enter(
        _ link: JoiningLink,
        _ welcome: PairWelcome,
        at wall: UInt64,
        in account: some JoiningAccount,
        into effects: inout [JoiningEffect]
    ) {
        let log: AccountLog
        do {
            guard let entries = link.log.whole(with: welcome.entries) else { throw AccountError.notGenesis }
            log = try entered(with: entries, from: link, in: account)
            let keyring = try AccountKeyring(welcome.secrets)
            try account.replaceAccount(log: log, keyring: keyring)
        } catch {
            effects.append(.failed("account not joined", error))
            search?.outcome = .failure((error as? JoiningFailure) ?? .notEntered(error))
            close(link.session, .violation, into: &effects)
            return
        }
        effects.append(.send(link.session, .pairDone))
        // An offer was for the account that was left, and so were the tokens.
        endOffer(.failure(.refused(.used, to: nil)), refusal: .used, at: wall, into: &effects)
        if !enrolments.offers.isEmpty { keepIfPossible(EnrolmentBook(), in: account, into: &effects) }
        effects.append(.accountReplaced(link))
        search?.outcome = .success(JoiningSuccess(account: log.account, link: link))
        close(link.session, .goodbye, into: &effects)
    }

    /// The log of an account that this device may enter.
    private func entered(
        with entries: [[UInt8]],
        from link: JoiningLink,
        in account: some JoiningAccount
    ) throws -> AccountLog {
        // This device may have admitted another one itself while it searched.
        guard account.mayJoin else { throw JoiningFailure.accountHasDevices }
        guard let genesis = entries.first else { throw AccountError.notGenesis }
        var log = try AccountLog(genesis: genesis)
        try log.insert(contentsOf: Array(entries.dropFirst()))
        guard case .active(let role) = log.state.standing(of: account.device),
            case .active = log.state.standing(of: link.certificate.device)
        else { throw AccountError.notAllowed }
        if role != .full, search?.hasZones != false { throw JoiningFailure.zonesInTheWay }
        if let search, let key = search.recoveryKey {
            guard log.state.recoveryKey == key.publicKey, search.isFor(log.account) else {
                throw AccountError.otherRecoveryKey
            }
        }
        return log
    }
}
