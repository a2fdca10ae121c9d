import Identity
import Peering
import Records
import Session
import Sync
import Wire

// The driver's work in production: effects become transactions and messages, whose outcome becomes input.
extension NodeProcess {
    func perform(_ effect: Core.Effect) throws {
        switch effect {
        case .send(let id, let message): try send(message, on: id)
        case .close(let id, let code):
            guard let end = ends[id] else { return }
            if end.isOfJoining { try countJoiningStep() }
            close(end, CloseCode(rawValue: code.rawValue))
        case .settle(let id, let room):
            if let end = ends[id] { try settle(end, in: room) }
        case .dial(let dial):
            dials[dial.id] = Dial(secret: dial.secret, version: dial.version, fleetKey: fleet.order.present.entry)
            simulation.network.dial(from: node, to: dial.address, dial: dial.id)
        // No scenario asks, and the network has no firewalls.
        case .probe(let id, let number): try feed(.reachProbed(id, number: number, .notTried))
        case .read(let question): read(question)
        case .write(let change): try write(change)
        case .ruleZones: enqueueCuts()
        case .readBook: readBook()
        case .redeem(let id, let attempt, let claimed): try redeem(attempt, claimed: claimed, for: id)
        case .settleClaim(let claimed):
            node.decide("settle") { committer, random, transaction in
                try Redemptions(committer).settle(claimed, random: &random, in: &transaction)
            }
        case .claim(let claim, let isAwaited): try feedMail(.claim(claim, isAwaited: isAwaited))
        case .enterZone(let zone): enter(zone)
        case .keepInvitations: keepInvitations()
        case .serveGuestWrite(let id, let write, let device, let account):
            try serve(write, session: id, from: device, of: account)
        case .mailSettled(let delivery, let isDone): try mailSettled(delivery, isDone: isDone)
        case .announce: simulation.discovery.repeatAnnouncement(node)
        case .accountReplaced: accountReplaced()
        case .heardClock(let wall, let device, let account, let time):
            clockWatch.heard(wall, from: device, of: account, at: time)
        case .report(let report): try note(report)
        // Keys are derived when a connection comes. No program asks for guest writes: the workload writes where it has a right.
        case .secretsChanged, .guestWriteSettled, .logChanged, .transfer: break
        }
    }

    private func serve(
        _ write: GuestWrite,
        session: SessionID,
        from device: DeviceID,
        of account: AccountID
    ) throws {
        let shown: AccountLog
        do {
            shown = try merged(write.entries, of: account)
        } catch {
            return try feed(.guestWriteServed(session, write.zone, number: write.number, .refused(.badAccount)))
        }
        try self.write(.serve(session, GuestAttempt(device: device, account: shown.state, write: write)))
    }

    private func note(_ report: PeerReport) throws {
        switch report {
        case .session(.opened(let opening, _)): try opened(opening)
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
        case .measured: break
        }
    }

    // MARK: The account

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

    func tellAccountChanged() throws { try step { $0.accountChanged(suppliesKeys: true, in: &$1) } }
}
