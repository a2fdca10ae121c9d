import Identity
import Peering
import Sync
import Wire

// The effects of the core, each for the part of the driver that owns the outside thing.
extension NodeProcess {
    func perform(_ effect: Core.Effect) throws {
        switch effect {
        case .send(let id, let message): try channels.send(message, on: id)
        case .close(let id, let code): try channels.close(id, code)
        case .setRoom(let id, let room): try channels.settle(id, in: room)
        case .dial(let dial): channels.dial(dial)
        // No scenario asks, and the network has no firewalls.
        case .probe(let id, let number): try feed(.reachProbed(id, number: number, .notTried))
        case .read(let question): storeWork.read(question)
        case .write(let change): try storeWork.write(change)
        case .ruleZones: upkeep.ruleZones()
        case .readBook: storeWork.readBook()
        case .redeem(let id, let attempt, let claimed): try storeWork.redeem(attempt, claimed: claimed, for: id)
        case .grantClaimed(let claimed):
            node.decide("settle") { committer, random, transaction in
                try Redemptions(committer).grant(claimed, random: &random, in: &transaction)
            }
        case .claim(let claim, let isAwaited): try mail.feed(.claim(claim, isAwaited: isAwaited))
        case .enterZone(let zone): storeWork.enter(zone)
        case .keepInvitations: keepInvitations()
        case .serveGuestWrite(let id, let write, let device, let account):
            try serve(write, session: id, from: device, of: account)
        case .mailSettled(let delivery, let outcome): try mail.settled(delivery, outcome)
        case .evictionSettled(let order, let outcome): try settled(order, outcome)
        case .announce: simulation.discovery.repeatAnnouncement(node)
        case .accountReplaced:
            account.replaced()
            storeWork.accountReplaced()
        case .heardClock(let wall, let device, let account, let time):
            self.account.heardClock(wall, of: device, account, at: time)
        case .report(let report): try note(report)
        // Keys are derived when a connection comes. No program asks for guest writes: the workload
        // writes where it has a right. People who ask for holders read the answer, and do nothing.
        case .secretsChanged, .guestWriteSettled, .logChanged, .transfer, .holdersFound: break
        }
    }

    private func settled(_ order: UInt64, _ outcome: EvictionOutcome) throws {
        simulation.trace.note(.answer, at: simulation.now, node: node.index, order, "evict: \(outcome)")
        try simulation.judge.settled(order, outcome, on: node, in: simulation)
    }

    private func serve(
        _ write: GuestWrite,
        session: SessionID,
        from device: DeviceID,
        of account: AccountID
    ) throws {
        let shown: AccountLog
        do {
            shown = try self.account.merged(write.entries, of: account)
        } catch {
            return try feed(.guestWriteServed(session, write.zone, number: write.number, .refused(.badAccount)))
        }
        try storeWork.write(.serve(session, GuestAttempt(device: device, account: shown.state, write: write)))
    }

    private func note(_ report: PeerReport) throws {
        switch report {
        case .session(.opened(let opening, _)): try channels.opened(opening)
        case .sync(let report): try note(report)
        case .closing(_, let code, let reason):
            simulation.trace.note(.report, at: simulation.now, node: node.index, UInt64(code.rawValue), reason)
        case .admitted(let link):
            try simulation.judge.admitted(link, by: node, in: simulation)
        case .joiningFailed(let text, let error):
            let reason = error.map { "\(text): \($0)" } ?? text
            simulation.trace.note(.report, at: simulation.now, node: node.index, 102, reason)
        default: break
        }
    }

    private func note(_ report: SyncReport) throws {
        let number: UInt64
        switch report {
        case .imported, .exported, .importFailed: number = 100
        case .inSync: number = 101
        case .anomaly: number = 102
        case .measured: return
        }
        simulation.trace.note(.report, at: simulation.now, node: node.index, number, "\(report)")
        if case .anomaly(let anomaly) = report { try simulation.judge.told(of: anomaly, on: node, in: simulation) }
    }
}
