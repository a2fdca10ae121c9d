package import Records
package import Sync
import Wire

/// The options of a history; drawn from its seed, or set by a scenario.
package struct SimulationOptions: Sendable {
    /// The addresses that machines know without mDNS.
    package enum StaticPeers: String, CaseIterable, Sendable {
        /// Every machine knows all addresses.
        case all
        /// Every machine knows the address of the next one.
        case ring
        /// No machine knows an address.
        case none
    }

    /// The number of machines.
    package var nodeCount = 3
    /// The number of relays among each account's machines, the last ones.
    package var relayCount = 0
    /// The number of external relays that keep mailboxes.
    package var mailRelayCount = 0
    /// The number of accounts that the machines belong to; with several, zones are shared among them.
    package var accountCount = 1
    /// The maximum lengths of control logs.
    package var controlBounds = ControlBudget.Bounds.ofProtocol
    /// Whether pairs of accounts may have a zone together.
    package var hasPairs = false
    /// The length of the history, in simulated milliseconds.
    package var duration: UInt64 = 3_600_000
    /// The time from the beginning in which faults happen, in simulated milliseconds.
    package var faultDuration: UInt64 = 600_000
    /// The kinds of faults that may happen.
    package var faults: Set<FaultKind> = []
    /// The number of faults, for each simulated minute of `faultDuration`.
    package var faultsPerMinute = 4.0
    /// The number of requests by applications, for each simulated minute of `faultDuration`.
    package var requestsPerMinute = 12.0
    /// The number of zones that applications create.
    package var zoneCount = 3
    /// The number of record names that they use in each zone.
    package var recordCount = 6
    /// Whether some nodes begin with a part of the account log.
    package var hasPartialLogs = false
    /// Whether every second machine runs a program that knows only the first version of the channel, until it is
    /// restarted.
    package var hasOldPrograms = false
    /// Whether bodies are sealed under keys of epochs.
    package var isSealed = false
    /// Whether that is so for all drawn options: the scenario concerns sealed bodies only.
    var isSealedAlways = false
    /// Whether some zones show newcomers nothing of their earlier history.
    package var hasJoinZones = false
    /// Whether the account's devices answer its recovery words, and change their key after each removal.
    package var hasAccountKeys = false
    /// Whether connections are in rooms, with limited places and times.
    package var hasRooms = false
    /// Whether programs send each other messages.
    package var hasMessages = false
    /// Whether programs attach contents to records.
    package var hasAssets = false
    /// Whether contents of these are in files that other programs keep.
    package var hasLinks = false
    /// Whether nodes find each other by mDNS.
    package var hasDiscovery = true
    /// The addresses that machines know without mDNS.
    package var staticPeers = StaticPeers.none
    /// The mean one-way delay of a link, in milliseconds.
    package var delayMilliseconds = 2.0
    /// The throughput of a link; `nil` = unlimited.
    package var bytesPerMillisecond: UInt64?
    /// The longest time until a transaction is durable, in milliseconds.
    package var commitMilliseconds: UInt64 = 5
    /// The limits of the synchronisation core.
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
        limits.payloadWindowByteCount = 2 * Limits.chunkByteCount
        limits.payloadActiveCountMax = 2
        limits.payloadWantCountMax = 3
        limits.payloadServingByteCount = 2 * Limits.chunkByteCountMax
        limits.payloadRoundMilliseconds = 20_000
        limits.payloadRoundMillisecondsMax = 120_000
        limits.custodyAskedCountMax = 2
        limits.custodyJobCountMax = 5
        return limits
    }

    /// The number of machines of each account: as even as possible.
    package var deviceCounts: [Int] {
        let count = max(accountCount, 1)
        return (0..<count).map { max(nodeCount / count + ($0 < nodeCount % count ? 1 : 0), 1) }
    }

    /// Whether a kind of fault may happen.
    package func allows(_ fault: FaultKind) -> Bool { faults.contains(fault) }
}

extension SimulationOptions: CustomStringConvertible {
    /// One line with all options.
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
        if hasAssets { parts.append("assets") }
        if hasLinks { parts.append("links") }
        if !hasDiscovery { parts.append("no-mdns") }
        if hasNarrowWindows { parts.append("narrow-windows") }
        parts.append("faults=[\(faults.sorted().map(\.rawValue).joined(separator: " "))]")
        return parts.joined(separator: " ")
    }
}
