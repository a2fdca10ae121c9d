import Identity
import Peering
import Records
import Session
import Sync
import Wire

// The driver's work in production: effects become transactions and messages, whose outcome becomes input.
extension NodeProcess {
    func perform(_ effects: inout [SyncEffect]) throws {
        var done = 0
        while done < effects.count {
            try perform(effects[done], more: &effects)
            done += 1
            guard done < 100_000 else {
                throw Violation(invariant: 10, node: node.index, "endless effects")
            }
        }
    }

    private func perform(_ effect: SyncEffect, more: inout [SyncEffect]) throws {
        switch effect {
        case .send(let id, let message):
            try send(message, on: id)
        case .read(let question):
            read(question)
        case .write(let change):
            try write(change)
        case .offerZone(_, let terms):
            // A pair zone of this account is not accepted on a peer's word: its terms must be the derived ones.
            if terms.genesis.partner != nil, !PairZones(committer()).derives(terms) { break }
            offers[ZoneID(terms.genesis)] = terms
        case .insertAccountEntries(let id, let account, let entries):
            try insertAccountEntries(entries, of: account, session: id, into: &more)
        case .takeRecoverySecret(let secret):
            try take(secret, into: &more)
        case .takeFleetSecret(let secret):
            try take(secret, into: &more)
        case .readAccountEntries(let id, let account, let heads):
            handle(.accountEntriesRead(id, account, log(of: account)?.entries(notIn: heads) ?? []), into: &more)
        case .serveGuestWrite(let id, let write):
            try serve(write, session: id, into: &more)
        case .guestWriteSettled:
            // No program asks here: the workload writes where it has a right.
            break
        case .mailSettled(let delivery, let isDone):
            try mailSettled(delivery, isDone: isDone)
        case .probe(let id, let number):
            // No scenario asks, and the network has no firewalls.
            try feed(.reachProbed(id, number: number, .notTried))
        case .settle(let id, let place):
            if let link = links[id] { try settle(link.end, in: DoorRoom(place)) }
        case .close(let id, let code, let reason):
            simulation.trace.note(.report, at: simulation.now, node: node.index, UInt64(code.rawValue), reason)
            closeLink(id, code)
        case .report(let report):
            try note(report, into: &more)
        case .transfer:
            break
        }
    }

    private func serve(_ write: GuestWrite, session: SessionID, into effects: inout [SyncEffect]) throws {
        guard let link = links[session] else {
            handle(.guestWriteServed(session, write.zone, number: write.number, .refused(.busy)), into: &effects)
            return
        }
        let shown: AccountLog
        do {
            shown = try merged(write.entries, of: link.account)
        } catch {
            handle(
                .guestWriteServed(session, write.zone, number: write.number, .refused(.badAccount)),
                into: &effects
            )
            return
        }
        let attempt = GuestAttempt(device: link.device, account: shown.state, write: write)
        try self.write(.serve(session, attempt))
    }

    private func note(_ report: SyncReport, into effects: inout [SyncEffect]) throws {
        switch report {
        case .anomaly(let anomaly):
            simulation.trace.note(.report, at: simulation.now, node: node.index, 102, "\(report)")
            try simulation.judge.told(of: anomaly, on: node, in: simulation)
        case .imported, .exported, .importFailed:
            simulation.trace.note(.report, at: simulation.now, node: node.index, 100, "\(report)")
        case .inSync:
            simulation.trace.note(.report, at: simulation.now, node: node.index, 101, "\(report)")
            if !hasMetPeer {
                hasMetPeer = true
                isRecovering = false
            }
        case .measured(let peer, _, let skew):
            let wall = node.wallMilliseconds
            try changeSessions(
                { $0.measured(peer, skewMilliseconds: skew, at: monotonic, wall: wall, into: &$1) },
                into: &effects
            )
        }
    }

    // MARK: The account

    private func insertAccountEntries(
        _ entries: [[UInt8]],
        of account: AccountID,
        session: SessionID,
        into effects: inout [SyncEffect]
    ) throws {
        let before = log(of: account)?.revision
        do {
            if account == log.account {
                try change { log in _ = try log.insert(contentsOf: entries) }
            } else {
                try insertContactEntries(entries, of: account)
            }
        } catch is StorageError {
            try close(session, .busy, into: &effects)
        } catch is AccountError {
            try close(session, .violation, into: &effects)
        }
        // This includes a bad entry after good ones, which stay.
        guard log(of: account)?.revision != before else { return }
        if account == log.account {
            try accountChanged(into: &effects)
        } else {
            try contactChanged(account, into: &effects)
        }
    }

    /// Runs a change of the log and keeps it only once it is on the disk.
    func change(_ body: (inout AccountLog) throws -> Void) throws {
        var changed = log
        let outcome = Result { try body(&changed) }
        // A bad entry does not undo the good ones before it, whose children may arrive any time.
        if changed.revision != log.revision {
            try node.disk.writeDurably(AccountFile.encode(changed.storedEntries), to: .accountLog)
            log = changed
            accountSecretsChanged()
            simulation.trace.note(.account, at: simulation.now, node: node.index, UInt64(log.count))
        }
        try outcome.get()
    }

    /// Handles a change of the account log: cuts take effect in the store, sessions of removed devices end.
    private func accountChanged(into effects: inout [SyncEffect]) throws {
        let standings = standings
        sessions.logChanged(standings, of: log.account, routes: routes)
        enqueueCuts()
        handle(.accountChanged(heads: log.announcedHeads, standings: standings), into: &effects)
        try settleRecoverySecret(into: &effects)
        try settleFleetKeys(into: &effects)
        try rememberMembers(into: &effects)
        directoryChanged()
    }

    func add(_ certificate: VerifiedCertificate) throws {
        try change { log in
            let entry = try log.addingDevice(
                certificate,
                role: .full,
                name: certificate.certificate.name,
                signer: .device(keys),
                using: &node.random
            )
            _ = try log.insert(entry.encoded)
        }
        try tellAccountChanged()
    }

    /// Removes a device; the next rulings of the zones state how many of its operations are effective.
    func remove(_ device: DeviceID) throws {
        var made: FleetKey?
        try change { log in
            let entry = try log.removingDevice(device, witness: node.device, signer: .device(keys), using: &node.random)
            _ = try log.insert(entry.encoded)
            made = renewFleetKey(in: &log, signer: .device(keys))
        }
        do {
            if let made { try hold([made]) }
        } catch is StorageError {
            // The removal stands; the envelope is opened when the log changes, or at the next start.
        }
        try tellAccountChanged()
    }

    /// Names the account, or one of its devices.
    /// - Throws: `AccountError`, `StorageError`; then nothing changed.
    func name(_ device: DeviceID?, _ name: String) throws {
        try change { log in
            let entry = try log.naming(device, name, signer: .device(keys), using: &node.random)
            if let entry { _ = try log.insert(entry.encoded) }
        }
        try tellAccountChanged()
    }

    /// Takes in entries that the process itself has signed, as far as there is room.
    func insertOwn(_ entries: [[UInt8]]) throws {
        do {
            try change { log in _ = try log.insert(contentsOf: entries) }
        } catch is AccountError {
            // The log is full.
        }
        try tellAccountChanged()
    }

    func tellAccountChanged() throws {
        var effects: [SyncEffect] = []
        try accountChanged(into: &effects)
        try perform(&effects)
    }
}
