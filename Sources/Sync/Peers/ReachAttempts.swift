import Wire

/// A question to a peer whether it can connect to this device.
struct ReachQuestion: Sendable {
    let number: UInt64
    let askedAt: UInt64
    var answer: (outcome: ReachOutcome, at: UInt64)?
}

/// Questions whether peers can connect to this device, and attempts to connect to devices that have asked for it: one
/// at a time, and each device once a minute.
///
/// The driver chooses the address at which it knows the device: a device that asks names none.
struct ReachAttempts: Sendable {
    /// The time after an attempt in which the same device is not tried again, in milliseconds.
    static let pauseMilliseconds: UInt64 = 60_000
    /// Of how many devices it is remembered when they were tried.
    static let deviceCountMax = 256

    private var underWay: (session: SessionID, number: UInt64)?
    private var tried: [DeviceID: UInt64] = [:]
    /// The number of the last question to a peer.
    private var lastNumber: UInt64 = 0
    /// The time at which peers were last asked, by the monotonic clock.
    private(set) var askedAt: UInt64?

    // MARK: Questions of this device

    /// Asks each peer that knows the message and was not asked within the last minute.
    mutating func ask(in replication: inout Replication) {
        let now = replication.context.now
        askedAt = now
        for id in replication.ids {
            guard let session = replication.sessions[id], session.isActive, !session.isUnproven,
                session.knowsRevisions
            else { continue }
            if let last = session.reach, now < last.askedAt + Self.pauseMilliseconds { continue }
            lastNumber &+= 1
            replication.sessions[id]?.reach = ReachQuestion(number: lastNumber, askedAt: now)
            replication.send(.reachRequest(ReachRequest(number: lastNumber)), to: id)
        }
    }

    // MARK: Questions of others

    /// A peer asks whether this device can connect to it.
    mutating func take(_ request: ReachRequest, on id: SessionID, in replication: inout Replication) {
        guard let session = replication.sessions[id] else { return }
        let isKnown = !session.isUnproven && replication.rights.shares(with: session.device, of: session.account)
        if isKnown, begins(session.device, on: id, number: request.number, at: replication.context.now) {
            replication.context.effects.append(.probe(id, number: request.number))
        } else {
            let answer = ReachAnswer(number: request.number, outcome: .notTried)
            replication.send(.reachAnswer(answer), to: id)
        }
    }

    /// The driver has tried it.
    mutating func probed(
        _ outcome: ReachOutcome,
        number: UInt64,
        for id: SessionID,
        in replication: inout Replication
    ) {
        guard let current = underWay, current == (id, number) else { return }
        underWay = nil
        guard replication.sessions[id] != nil else { return }
        replication.send(.reachAnswer(ReachAnswer(number: number, outcome: outcome)), to: id)
    }

    /// A device asks to be tried; its sessions are counted together.
    /// - Returns: Whether it is tried now.
    private mutating func begins(_ device: DeviceID, on session: SessionID, number: UInt64, at now: UInt64) -> Bool {
        tried = tried.filter { now < $0.value + Self.pauseMilliseconds }
        guard underWay == nil, tried[device] == nil, tried.count < Self.deviceCountMax else { return false }
        underWay = (session, number)
        tried[device] = now
        return true
    }
}
