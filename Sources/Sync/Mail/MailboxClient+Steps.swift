import Identity
import Mailbox
import Wire

// The next step on a session, and the meaning of its answer.
extension MailboxClient {
    /// Begins the next step, unless one is under way.
    mutating func advance(_ index: Int, _ moment: Moment, into effects: inout [Effect]) {
        let now = moment.now
        if relays[index].isFull, now >= relays[index].fullUntil { relays[index].isFull = false }
        switch relays[index].phase {
        case .resting(let until):
            guard now >= until else { return }
            let link = relays[index].link
            relays[index].phase = .dialing
            effects.append(.dial(link, address: link.addresses[relays[index].nextAddress % link.addresses.count]))
        case .dialing:
            return
        case .open:
            if let step = relays[index].underWay {
                guard step.isAsked, now >= relays[index].begun + settings.answerMilliseconds else { return }
                end(index, until: now + Backoff.longestDelayMilliseconds, into: &effects)
                return
            }
            guard relays[index].isEntered else { return }
            while relays[index].underWay == nil, let step = nextOfAll(index, moment, into: &effects) {
                begin(step, index, now, into: &effects)
            }
        }
    }

    /// Ends a session with a relay that does not do its part.
    private mutating func end(_ index: Int, until time: UInt64, into effects: inout [Effect]) {
        effects.append(.close(relays[index].relay))
        relays[index].nextAddress += 1
        relays[index].rest(until: time)
    }

    mutating func nextStep(
        _ index: Int,
        _ moment: Moment,
        into effects: inout [Effect]
    ) -> RelaySession.Step? {
        let now = moment.now
        if now >= relays[index].nextGive, !relays[index].facts.passes.isEmpty {
            relays[index].nextGive = now + settings.giveMilliseconds
            return .give
        }
        if !relays[index].steps.isEmpty { return relays[index].steps.removeFirst() }
        if !relays[index].arrived.isEmpty {
            let mailboxes = relays[index].arrived.sorted().compactMap { relays[index].watched[$0] }
            relays[index].arrived = []
            if !mailboxes.isEmpty { return .look(Array(mailboxes.prefix(Limits.mailboxCountMax))) }
        }
        if let retry = relays[index].nextRetry(at: now) { return retry }
        if relays[index].looksAtAll || now >= relays[index].nextLook {
            let back = relays[index].looksAtAll ? settings.dayCount : 1
            if relays[index].looksAtAll { relays[index].kept = [] }
            relays[index].looksAtAll = false
            relays[index].nextLook = now + settings.lookMilliseconds
            let days = (moment.day >= back ? moment.day - back : 0)...(moment.day + 1)
            let looking = partners.filter { relays[index].isLooked(into: $0.value.account) }.keys.sorted()
            let mailboxes = looking.flatMap { partner in
                days.map { RelaySession.Mailbox(partner: partner, day: $0) }
            }
            relays[index].steps = stride(from: 0, to: mailboxes.count, by: Limits.mailboxCountMax).map {
                .look(Array(mailboxes[$0..<min($0 + Limits.mailboxCountMax, mailboxes.count)]))
            }
            // A device that is alone in its account shows with an empty request that it is there.
            return relays[index].steps.isEmpty ? .look([]) : relays[index].steps.removeFirst()
        }
        if now >= relays[index].nextCheck {
            relays[index].nextCheck = now + settings.checkMilliseconds
            return .readPosted
        }
        return nextDemand(index, at: now).map { .draft($0) }
    }

    /// Returns the next device for which a parcel is to be left with a relay now.
    private mutating func nextDemand(_ index: Int, at now: UInt64) -> ParcelDemand? {
        let device = partners.keys.sorted().first { device in
            !connected.contains(device) && min(due[device] ?? .max, forwardDue[device] ?? .max) <= now
                && preferredRelay(for: device) == index
        }
        guard let device, let account = partners[device]?.account else { return nil }
        let forwards = forwardDue[device] ?? .max <= now
        due[device] = nil
        if forwards { forwardDue[device] = nil }
        return ParcelDemand(
            device: device,
            account: account,
            zones: zones[account] ?? [],
            acknowledges: owedAcknowledgement.contains(device),
            forwards: forwards
        )
    }

    private mutating func begin(_ step: RelaySession.Step, _ index: Int, _ now: UInt64, into effects: inout [Effect]) {
        let relay = relays[index].relay
        switch step {
        case .enter, .put:
            // Begun where they are made.
            break
        case .give:
            relays[index].begin(step, .give(relays[index].facts.passes), at: now, into: &effects)
        case .look(let mailboxes):
            let proofs = mailboxes.compactMap { mailbox in
                keys(of: mailbox, on: relay, isIncoming: true).map { keys in
                    relays[index].watched[keys.mailbox] = mailbox
                    return keys.get
                }
            }
            relays[index].begin(step, .look(proofs), at: now, into: &effects)
        case .fetch(let mailbox, let parcel):
            guard let keys = keys(of: mailbox, on: relay, isIncoming: true) else { return }
            relays[index].begin(step, .fetch(keys.get, parcel), at: now, into: &effects)
        case .remove(let mailbox):
            guard let parcels = relays[index].taken.removeValue(forKey: mailbox), !parcels.isEmpty,
                let keys = keys(of: mailbox, on: relay, isIncoming: true)
            else { return }
            relays[index].begin(step, .remove(keys.get, parcels), at: now, into: &effects)
        case .check(let mailbox, let kept, let settled):
            guard let keys = keys(of: mailbox, on: relay, isIncoming: false) else { return }
            let request = MailboxRequest.check(keys.put, kept.map(\.parcel), withdrawing: settled.map(\.parcel))
            relays[index].begin(step, request, at: now, into: &effects)
        case .readPosted:
            relays[index].underWay = step
            effects.append(.readPosted(relay))
        case .draft(let demand):
            relays[index].underWay = step
            effects.append(.draft(relay, demand))
        case .take:
            relays[index].underWay = step
        case .claim(let id, _):
            guard let request = request(forClaim: id) else { return }
            relays[index].begin(step, request, at: now, into: &effects)
        }
    }

    private func keys(of mailbox: RelaySession.Mailbox, on relay: RelayID, isIncoming: Bool) -> MailboxKeys? {
        partners[mailbox.partner]?.secret.keys(
            relay: relay,
            sender: isIncoming ? mailbox.partner : localDevice,
            recipient: isIncoming ? localDevice : mailbox.partner,
            day: mailbox.day
        )
    }

    // MARK: Answers of the relay

    mutating func received(
        _ reply: MailboxReply,
        from relay: RelayID,
        _ moment: Moment,
        random: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        guard let index = relays.firstIndex(where: { $0.relay == relay }), case .open = relays[index].phase else {
            return
        }
        if case .arrived(let mailbox) = reply {
            if relays[index].watched[mailbox] != nil { relays[index].arrived.insert(mailbox) }
            return
        }
        guard let step = relays[index].underWay, step.isAsked else {
            end(index, until: moment.now + Backoff.longestDelayMilliseconds, into: &effects)
            return
        }
        relays[index].underWay = nil
        relays[index].backoff.succeeded()
        switch (step, reply) {
        case (.enter, .entered(let quota, let used, let backend)):
            relays[index].isEntered = true
            relays[index].isRefused = false
            (relays[index].quota, relays[index].used, relays[index].backend) = (quota, used, backend)
        case (.give, .given):
            break
        case (.look(let mailboxes), .listed(let notices, let isComplete)):
            listed(notices, of: mailboxes, isComplete: isComplete, index)
        case (.fetch(let mailbox, let id), .parcel(let bytes)):
            fetched(bytes, id, of: mailbox, index, into: &effects)
        case (.fetch(_, let id), .missing):
            relays[index].retries[id] = nil
        case (.remove, .removed):
            break
        case (.check(_, let kept, let settled), .held(let held)):
            if !settled.isEmpty { effects.append(.noteSettled(settled)) }
            let missing = kept.filter { !held.contains($0.parcel) }
            if !missing.isEmpty { effects.append(.noteMissing(missing)) }
        case (.put(var row, let demand, let hasMore), .stored(let parcel, let until)) where parcel == row.parcel:
            row.until = until
            effects.append(.notePosted(row))
            if demand.acknowledges { owedAcknowledgement.remove(demand.device) }
            if hasMore { again(demand, at: moment.now) }
        case (.put(_, let demand, _), .refused(.full)):
            relays[index].isFull = true
            relays[index].fullUntil = moment.now + settings.fullMilliseconds
            again(demand, at: moment.now)
        case (.claim(let id, let slot), .claimed(let value)):
            claimed(value, id, slot, into: &effects)
        case (.claim(let id, _), .refused(.full)):
            finish(id, .silent, into: &effects)
        case (_, .refused(.notAdmitted)):
            relays[index].isRefused = true
            let pause = relays[index].facts.isOwn ? settings.refusedMilliseconds : settings.passRefusedMilliseconds
            relays[index].showAnother()
            end(index, until: moment.now + pause, into: &effects)
        default:
            // It cannot now, or its answer makes no sense here.
            if case .put(_, let demand, _) = step { again(demand, at: moment.now) }
            end(index, until: moment.now + Backoff.longestDelayMilliseconds, into: &effects)
        }
    }

    private mutating func again(_ demand: ParcelDemand, at now: UInt64) {
        guard !connected.contains(demand.device), partners[demand.device] != nil else { return }
        due[demand.device] = now
        if demand.forwards { forwardDue[demand.device] = now }
    }

    private mutating func listed(
        _ notices: [ParcelNotice],
        of mailboxes: [RelaySession.Mailbox],
        isComplete: Bool,
        _ index: Int
    ) {
        var steps: [RelaySession.Step] = []
        var last: RelaySession.Mailbox?
        var isNew = false
        for notice in notices {
            guard let mailbox = relays[index].watched[notice.mailbox], mailboxes.contains(mailbox),
                !relays[index].kept.contains(notice.parcel)
            else { continue }
            if let last, last != mailbox { steps.append(.remove(last)) }
            last = mailbox
            isNew = true
            steps.append(.fetch(mailbox, notice.parcel))
        }
        if let last { steps.append(.remove(last)) }
        // Parcels that stay in one mailbox must not block those in another.
        if !isComplete {
            if mailboxes.count > 1 {
                steps += mailboxes.map { .look([$0]) }
            } else if isNew {
                steps.append(.look(mailboxes))
            }
        }
        relays[index].steps = steps + relays[index].steps
    }

    private mutating func fetched(
        _ bytes: [UInt8],
        _ id: ParcelID,
        of mailbox: RelaySession.Mailbox,
        _ index: Int,
        into effects: inout [Effect]
    ) {
        let relay = relays[index].relay
        guard SealedParcel(bytes: bytes).id == id, let account = partners[mailbox.partner]?.account,
            let keys = keys(of: mailbox, on: relay, isIncoming: true)
        else {
            // Not the requested parcel: it stays, and is requested again in the next session.
            relays[index].kept.insert(id)
            relays[index].retries[id] = nil
            effects.append(.reportForeign(relay, mailbox.partner))
            return
        }
        do {
            let parcel = try Parcel(opening: bytes, keys)
            relays[index].beginTaking(id, from: mailbox)
            effects.append(.take(relay, id, from: mailbox.partner, of: account, messages: parcel.messages))
        } catch {
            // It will never open; its sender leaves it again without an acknowledgement.
            relays[index].taken[mailbox, default: []].append(id)
            effects.append(.reportForeign(relay, mailbox.partner))
        }
    }

    // MARK: Answers of the store

    mutating func taken(
        _ parcel: ParcelID,
        _ outcome: MailOutcome,
        isOwed: Bool,
        from relay: RelayID,
        at now: UInt64
    ) {
        guard let index = relays.firstIndex(where: { $0.relay == relay }),
            case .take(let mailbox, parcel) = relays[index].underWay
        else { return }
        relays[index].underWay = nil
        guard outcome.isDone else {
            relays[index].keep(parcel, in: mailbox, outcome, at: now, settings)
            return
        }
        relays[index].kept.remove(parcel)
        relays[index].retries[parcel] = nil
        relays[index].taken[mailbox, default: []].append(parcel)
        // An acknowledgement is not acknowledged, or there would be no end of it.
        if isOwed, !connected.contains(mailbox.partner) {
            owedAcknowledgement.insert(mailbox.partner)
            due[mailbox.partner] = min(due[mailbox.partner] ?? .max, now + settings.acknowledgeMilliseconds)
        }
        // A parcel that could not be taken before, because something was missing, may be free now.
        for other in relays.indices where !relays[other].kept.isEmpty { relays[other].looksAtAll = true }
    }

    mutating func postedRead(
        _ parcels: [(parcel: PostedParcelRow, isSettled: Bool)],
        on relay: RelayID,
        _ moment: Moment,
        into effects: inout [Effect]
    ) {
        guard let index = relays.firstIndex(where: { $0.relay == relay }),
            case .readPosted = relays[index].underWay
        else { return }
        relays[index].underWay = nil
        var mailboxes: [RelaySession.Mailbox: (kept: [PostedParcelRow], settled: [PostedParcelRow])] = [:]
        var order: [RelaySession.Mailbox] = []
        for (parcel, isSettled) in parcels {
            let mailbox = RelaySession.Mailbox(partner: parcel.device, day: parcel.day)
            if mailboxes[mailbox] == nil { order.append(mailbox) }
            if isSettled {
                mailboxes[mailbox, default: ([], [])].settled.append(parcel)
            } else {
                mailboxes[mailbox, default: ([], [])].kept.append(parcel)
            }
        }
        for mailbox in order {
            guard let (kept, settled) = mailboxes[mailbox] else { continue }
            guard partners[mailbox.partner] != nil else {
                // No acknowledgement is waited for any more: the relay drops it when it expires.
                effects.append(.noteSettled(kept + settled))
                continue
            }
            relays[index].steps += Self.checks(of: mailbox, kept: kept, settled: settled)
        }
    }

    /// Divides a check of parcels into as many steps as the relay's limit requires.
    private static func checks(
        of mailbox: RelaySession.Mailbox,
        kept: [PostedParcelRow],
        settled: [PostedParcelRow]
    ) -> [RelaySession.Step] {
        let limit = Limits.parcelCountMax
        return stride(from: 0, to: max(kept.count, settled.count), by: limit).map { start in
            .check(
                mailbox,
                kept: Array(kept.dropFirst(start).prefix(limit)),
                settled: Array(settled.dropFirst(start).prefix(limit))
            )
        }
    }

    mutating func drafted(
        _ draft: ParcelDraft?,
        _ demand: ParcelDemand,
        for relay: RelayID,
        _ moment: Moment,
        random: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        guard let index = relays.firstIndex(where: { $0.relay == relay }),
            case .draft(demand) = relays[index].underWay
        else {
            // The session ended meanwhile: by another one, or the next.
            if draft != nil { again(demand, at: moment.now) }
            return
        }
        relays[index].underWay = nil
        let mailbox = RelaySession.Mailbox(partner: demand.device, day: moment.day)
        guard let draft, let keys = keys(of: mailbox, on: relay, isIncoming: false),
            let sealed = Parcel(messages: draft.messages).sealed(keys, using: &random)
        else {
            if demand.acknowledges { owedAcknowledgement.remove(demand.device) }
            return
        }
        let row = PostedParcelRow(
            relay: relay,
            device: demand.device,
            parcel: sealed.id,
            day: moment.day,
            until: 0,
            stretches: draft.stretches
        )
        relays[index].begin(
            .put(row, demand, hasMore: draft.hasMore),
            .put(keys.put, parcel: sealed.bytes),
            at: moment.now,
            into: &effects
        )
    }
}
