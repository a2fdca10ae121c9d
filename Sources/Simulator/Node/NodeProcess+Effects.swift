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
        case .readRun(let id, let key, let from, let byteCount):
            readRun(id, key) { try $0.run(key, from: from, byteCount: byteCount, in: $1) }
        case .readSkeleton(let id, let key):
            readRun(id, key) { try $0.skeleton(key, in: $1) }
        case .applyRun(let id, let run, let key, let purpose):
            if let link = links[id], link.account != log.account {
                try simulation.judge.takes(
                    run,
                    isDeposit: purpose == .deposit,
                    from: link.device,
                    of: link.account,
                    on: node,
                    in: simulation
                )
            }
            applyRun(run, key: key, for: purpose, session: id)
        case .readDeposits(let id, let zone, let held):
            readDeposits(zone, above: held, session: id)
        case .createZone(let id, let zone, let genesis):
            makeZone(zone, session: id) { try $0.learn(zone, genesis: genesis, in: &$1) }
        case .joinZone(let id, let terms):
            makeZone(ZoneID(terms.genesis), session: id) { committer, transaction in
                try committer.join(terms.genesis, tagKey: terms.tagKey, in: &transaction).notice
            }
        case .offerZone(_, let terms):
            // A pair zone of this account is not accepted on a peer's word: its terms must be the derived ones.
            if terms.genesis.partner != nil, !committer().derives(terms) { break }
            offers[ZoneID(terms.genesis)] = terms
        case .insertAccountEntries(let id, let account, let entries):
            try insertAccountEntries(entries, of: account, session: id, into: &more)
        case .takeRecoverySecret(let secret):
            try take(secret, into: &more)
        case .takeFleetSecret(let secret):
            try take(secret, into: &more)
        case .readAccountEntries(let id, let account, let heads):
            handle(.accountEntriesRead(id, account, log(of: account)?.entries(notIn: heads) ?? []), into: &more)
        case .saveAcknowledgements(let device, let sizes):
            saveAcknowledgements(device, sizes)
        case .foundBehind(let key, let incarnation, let size):
            enqueue(
                CommitJob { process, transaction in
                    try process.committer().renewIfBehind(
                        key,
                        incarnation,
                        size: size,
                        random: &process.node.random,
                        in: &transaction
                    )
                }
            )
        case .recordFork(let proof):
            enqueue(
                CommitJob { process, transaction in
                    try process.committer().record(proof, random: &process.node.random, in: &transaction)
                }
            )
        case .noteEmptyLogs(let zone, let logs):
            enqueue(
                CommitJob { process, transaction in
                    try process.committer().noteEmptyLogs(logs, zone: zone, in: &transaction)
                }
            )
        case .serveGuestWrite(let id, let write):
            serve(write, session: id, into: &more)
        case .guestWriteSettled:
            // No program asks here: the workload writes where it has a right.
            break
        case .readLiveSet(let id, let request):
            readLiveSet(request, session: id)
        case .takeLiveSet(let id, let page, let comparison):
            takeLiveSet(page, comparison: comparison, session: id)
        case .keepOutline(let id, let outline, let payload):
            keep(payload, nil, session: id) { try Payloads($0).keep(outline, of: payload, in: &$1) }
        case .keepChunk(let id, let chunk):
            keep(chunk.payload, chunk.position, session: id) { try Payloads($0).keep(chunk, in: &$1) }
        case .readPayload(let id, let request):
            readPayload(request, session: id)
        case .takeCustody(let id, let request):
            decideCustody(request, session: id) { committer, device, transaction in
                let limit = Custody.byteCountMax
                return try Custody(committer).take(request, from: device, limit: limit, in: &transaction)
            }
        case .endCustody(let id, let request):
            decideCustody(request, session: id) { try Custody($0).end(request, from: $1, in: &$2) }
        case .noteCustody(let relay, let answer):
            note(answer, by: relay)
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
            try note(report)
        case .transfer:
            break
        }
    }

    private func readRun(
        _ id: SessionID,
        _ key: LogKey,
        _ read: @escaping (Committer, MemoryStore) throws -> Run?
    ) {
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            var run: Run?
            do {
                run = try read(process.committer(), node.disk.read())
            } catch is StorageError {
                // Reported as missing, as in production; the core tries again.
            }
            try process.feed(.runRead(id, key, run, byteCount: run?.approximateByteCount ?? 0))
        }
    }

    private func applyRun(_ run: Run, key: LogKey, for purpose: RunPurpose, session: SessionID) {
        let job = CommitJob { process, transaction in
            try process.committer().apply(
                run,
                key: key,
                for: purpose,
                random: &process.node.random,
                in: &transaction
            )
        } completion: { [unowned self] result in
            if purpose == .deposit, case .success(let applied) = result, case .durable = applied.reply {
                try simulation.judge.deposited(run, on: node, in: simulation)
            }
            if case .success(let applied) = result, !applied.notice.anomalies.isEmpty {
                try feed(.anomaliesFound(session, applied.notice.anomalies))
            }
            try feed(.runApplied(session, key, RunOutcome(result.map(\.reply), of: run)))
        }
        enqueue(job)
    }

    private func readDeposits(_ zone: ZoneID, above held: [ActorLane: UInt64]?, session: SessionID) {
        simulation.schedule(after: node.random.number(0...3), for: node) { node in
            guard let process = node.process else { return }
            do {
                let runs = try process.committer().deposits(in: zone, above: held, node.disk.read())
                try process.feed(.depositsRead(session, zone, runs))
            } catch is StorageError {
                // They are deposited in the next session, as in production.
            }
        }
    }

    private func serve(_ write: GuestWrite, session: SessionID, into effects: inout [SyncEffect]) {
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
        let job = CommitJob { process, transaction in
            try process.committer().serve(attempt, in: &transaction)
        } completion: { [unowned self] result in
            let outcome = GuestAnswer.Outcome(result.map(\.reply))
            try feed(.guestWriteServed(session, write.zone, number: write.number, outcome))
        }
        enqueue(job)
    }

    private func makeZone(
        _ zone: ZoneID,
        session: SessionID,
        _ make: @escaping (Committer, inout MemoryStore) throws -> CommitNotice
    ) {
        let job = CommitJob { process, transaction in
            try make(process.committer(), &transaction)
        } completion: { [unowned self] result in
            if case .failure = result { try feed(.zoneRefused(session, zone)) }
        }
        enqueue(job)
    }

    private func saveAcknowledgements(_ device: DeviceID, _ sizes: [LogKey: UInt64]) {
        enqueue(
            CommitJob { process, transaction in
                try process.committer().acknowledged(by: device, sizes, in: &transaction)
                return CommitNotice()
            }
        )
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
        case .measured(let peer, _, let skew):
            // A stranger's clock is no evidence.
            guard let link = links.values.first(where: { $0.device == peer }),
                routes.key(reaching: peer, of: link.account) != nil
            else { break }
            let theirs = Int64(clamping: node.wallMilliseconds).addingReportingOverflow(skew).partialValue
            clockWatch.heard(UInt64(clamping: theirs), from: peer, of: link.account, at: monotonic)
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
            close(session, .busy, into: &effects)
        } catch is AccountError {
            close(session, .violation, into: &effects)
        }
        // This includes a bad entry after good ones, which stay.
        guard log(of: account)?.revision != before else { return }
        if account == log.account {
            try accountChanged(into: &effects)
        } else {
            contactChanged(account, into: &effects)
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
        for (device, standing) in standings.sorted(by: { $0.key < $1.key }) where standing == .removed {
            directory.forget(device)
        }
        directory.forgetRefusals()
        enqueueCuts()
        handle(.accountChanged(heads: log.announcedHeads, standings: standings), into: &effects)
        try settleRecoverySecret(into: &effects)
        try settleFleetKeys(into: &effects)
        for id in links.keys.sorted() { rememberIfMember(id) }
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
