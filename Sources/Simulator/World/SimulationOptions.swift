package import Records
package import Sync

/// What a history is like; drawn from its seed, or set by a scenario.
package struct SimulationOptions: Sendable {
    /// Who knows whose address without mDNS.
    package enum StaticPeers: String, CaseIterable, Sendable {
        /// Everybody knows everybody's.
        case all
        /// Everybody knows the next one's.
        case ring
        /// Nobody knows any.
        case none
    }

    /// How many machines there are.
    package var nodeCount = 3
    /// How many of each account's machines are relays, the last ones.
    package var relayCount = 0
    /// How many relays outside keep mailboxes.
    package var mailRelayCount = 0
    /// To how many accounts they belong; with several, zones are shared among them.
    package var accountCount = 1
    /// How long control logs may be.
    package var controlBounds = ControlBudget.Bounds.ofProtocol
    /// Whether two accounts may have a zone together.
    package var hasPairs = false
    /// How long the history lasts, in simulated milliseconds.
    package var duration: UInt64 = 3_600_000
    /// How long of that things go wrong, from the beginning.
    package var faultDuration: UInt64 = 600_000
    /// What may go wrong.
    package var faults: Set<FaultKind> = []
    /// How many things go wrong, for each simulated minute of the faults.
    package var faultsPerMinute = 4.0
    /// How many requests applications make, for each simulated minute of the faults.
    package var requestsPerMinute = 12.0
    /// How many zones applications make.
    package var zoneCount = 3
    /// How many names of records they use in each.
    package var recordCount = 6
    /// Whether some nodes begin with a part of the account log.
    package var hasPartialLogs = false
    /// Whether every second machine runs a program that knows the first version of the channel only, until it is started
    /// anew.
    package var hasOldPrograms = false
    /// Whether bodies are sealed under keys of epochs.
    package var isSealed = false
    /// Whether that is so whatever is drawn: what the scenario is about is not said in clear.
    var isSealedAlways = false
    /// Whether some zones show nothing of before to those who come later.
    package var hasJoinZones = false
    /// Whether the account's devices answer its recovery words, and go by another key after each removal.
    package var hasAccountKeys = false
    /// Whether connections are in rooms, which have places and times.
    package var hasRooms = false
    /// Whether programs send each other messages.
    package var hasMessages = false
    /// Whether nodes find each other by mDNS.
    package var hasDiscovery = true
    /// Who knows whose address without mDNS.
    package var staticPeers = StaticPeers.none
    /// The mean one-way delay of a link, in milliseconds.
    package var delayMilliseconds = 2.0
    /// What a link carries; `nil` = any amount at once.
    package var bytesPerMillisecond: UInt64?
    /// How long a transaction takes until it is durable, at most, in milliseconds.
    package var commitMilliseconds: UInt64 = 5
    /// The numbers of the synchronisation core.
    package var limits = SyncLimits()
    /// Whether runs and windows are made small, so that little data needs many.
    package var hasNarrowWindows = false {
        didSet { limits = hasNarrowWindows ? Self.narrowLimits : SyncLimits() }
    }

    /// A quiet history of three nodes.
    package init() {}

    /// Limits under which a few operations need several runs, and a payload several requests.
    package static var narrowLimits: SyncLimits {
        var limits = SyncLimits()
        limits.windowByteCount = 4_000
        limits.runByteCount = 1_000
        limits.payloadWindowCount = 2
        limits.payloadActiveCountMax = 2
        limits.payloadWantCountMax = 3
        limits.payloadServingCountMax = 3
        limits.custodyAskedCountMax = 2
        limits.custodyJobCountMax = 5
        return limits
    }

    /// How many machines each account has: as evenly as it can be.
    package var deviceCounts: [Int] {
        let count = max(accountCount, 1)
        return (0..<count).map { max(nodeCount / count + ($0 < nodeCount % count ? 1 : 0), 1) }
    }

    /// Whether something may go wrong.
    package func allows(_ fault: FaultKind) -> Bool { faults.contains(fault) }
}

extension SimulationOptions: CustomStringConvertible {
    /// One line that says everything.
    package var description: String {
        var parts = [
            "nodes=\(nodeCount)", "minutes=\(duration / 60_000)", "fault-minutes=\(faultDuration / 60_000)",
            "faults-per-minute=\(faultsPerMinute)", "requests-per-minute=\(requestsPerMinute)",
            "zones=\(zoneCount)", "records=\(recordCount)", "delay=\(delayMilliseconds)",
            "static-peers=\(staticPeers.rawValue)", "commit=\(commitMilliseconds)",
        ]
        if accountCount > 1 { parts.append("accounts=\(accountCount)") }
        if relayCount > 0 { parts.append("relays=\(relayCount)") }
        if mailRelayCount > 0 { parts.append("mail-relays=\(mailRelayCount)") }
        if hasPairs { parts.append("pairs") }
        if let bytesPerMillisecond { parts.append("bytes-per-ms=\(bytesPerMillisecond)") }
        if hasPartialLogs { parts.append("partial-logs") }
        if hasOldPrograms { parts.append("old-programs") }
        if isSealed { parts.append("sealed") }
        if hasJoinZones { parts.append("join-zones") }
        if hasAccountKeys { parts.append("account-keys") }
        if hasRooms { parts.append("rooms") }
        if hasMessages { parts.append("messages") }
        if !hasDiscovery { parts.append("no-mdns") }
        if hasNarrowWindows { parts.append("narrow-windows") }
        parts.append("faults=[\(faults.sorted().map(\.rawValue).joined(separator: " "))]")
        return parts.joined(separator: " ")
    }
}
