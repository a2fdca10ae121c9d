import CoreMetrics
import Identity
import Logging
import Peering
import Records
import Session
import Sync
import Wire

// Performs the effects of the core. The answers of the store are facts, in the order of commits.
extension SyncService {
    func perform(_ effect: Core.Effect, in group: inout DiscardingTaskGroup) {
        switch effect {
        case .send(let id, let message): send(message, on: id)
        case .close(let id, let code): board.connections[id]?.close(code: code.rawValue)
        case .setRoom(let id, let room): board.connections[id]?.setRoom(room)
        case .dial(let dial):
            transport?.dial(dial.address, id: dial.id, secret: dial.secret, version: dial.version)
        case .probe(let id, let number): probe(id, number: number)
        case .read(let question): read(question, in: &group)
        case .write(let change): write(change)
        case .ruleZones(let suppliesKeys):
            dependencies.commitService.ruleZones(suppliesKeys: suppliesKeys, through: dependencies.commits)
        case .readBook: readBook()
        case .redeem(let id, let attempt, let claimed): invitations.redeem(attempt, claimed: claimed, for: id)
        case .grantClaimed(let claimed): invitations.grant(claimed)
        case .claim(let claim, let isAwaited): mail.put(.claim(claim, isAwaited: isAwaited))
        case .enterZone(let zone): invitations.enter(zone)
        case .keepInvitations: keepInvitationsIfPossible()
        case .serveGuestWrite(let id, let write, let device, let account):
            serve(write, on: id, from: device, of: account, in: &group)
        case .guestWriteSettled(let order, let settlement): guestOrders.settle(order, settlement)
        case .evictionSettled(let order, let outcome): holderCalls.settle(order, outcome)
        case .holdersFound(let question, let answers): holderCalls.settle(question, answers)
        case .mailSettled(let delivery, let outcome): mail.put(.settled(delivery, outcome))
        // Secrets are set as soon as the step is over, and the announcement is compared with the last one in each round.
        case .secretsChanged, .announce: break
        case .logChanged(let account): logChanged(of: account)
        case .accountReplaced: accountReplaced()
        case .heardClock(let wall, let device, let account, let time):
            dependencies.commitService.clocks.heard(wall, from: device, of: account, at: time)
        case .transfer(let step):
            reporter.moved(step)
        case .report(let report): reporter.report(report, &board, core)
        }
    }

    private func send(_ message: PeerMessage, on id: ConnectionID) {
        do throws(WireError) {
            try board.connections[id]?.send(message)
        } catch {
            dependencies.logger.error(
                "a message that no peer would accept is not sent",
                metadata: ["error": "\(error)"]
            )
            // On a channel that is no session the other device would wait in vain.
            if board.links[id] == nil { board.connections[id]?.close(code: SyncCloseCode.goodbye.rawValue) }
        }
    }

    /// Follows a change of an account's log with what is not the core's.
    private func logChanged(of account: AccountID) {
        mail.put(.accountChanged)
        let identity = dependencies.identity
        guard account == identity.account else {
            board.publishRenamed(of: account, core)
            return
        }
        let others = board.publishMembers(core)
        // No device is left that could return the content of a lost store.
        if others.isEmpty { dependencies.commitService.cannotRecover() }
        warnIfRemoved()
    }

    /// Starts afresh for another account; this device's earlier writes are repeated there.
    private func accountReplaced() {
        mayWantPayloads = true
        guestOrders.giveUp()
        holderCalls.giveUp()
        // This store has met no device of this account, and nothing of it is missing here.
        dependencies.commitService.recovered()
        dependencies.commitService.health.clear(HealthWarning.deviceRemoved.code)
        dependencies.commitService.health.clear(EnrolmentBook.lostCode)
        dependencies.commitService.moveOldZones(through: dependencies.commits)
    }

    /// The store's work for invitations.
    private var invitations: InvitationCommits {
        InvitationCommits(
            commits: dependencies.commits,
            commitService: dependencies.commitService,
            facts: facts,
            logger: dependencies.logger
        )
    }

    /// Grants the requests that wait for this device, and passes the facts of the book to the core.
    func readBook() {
        mail.put(.bookMayHaveChanged)
        invitations.readBook()
    }

    /// An invitation that stays in the file too long is asked about once more after a restart, and answered the same.
    private func keepInvitationsIfPossible() {
        do {
            try keepInvitations()
        } catch {
            dependencies.logger.warning("opened invitations not written", metadata: ["error": "\(error)"])
        }
    }

    /// Raises the warning that a removed device keeps its data, and that no peer opens a session with it.
    private func warnIfRemoved() {
        guard dependencies.identity.isRemoved else {
            // The removal may turn out to be ignored.
            dependencies.commitService.health.clear(HealthWarning.deviceRemoved.code)
            return
        }
        guard !dependencies.commitService.health.contains(HealthWarning.deviceRemoved.code) else { return }
        dependencies.commitService.health.set(.deviceRemoved)
        // Watchers look again.
        board.publishMembersAgain(core)
    }
}
