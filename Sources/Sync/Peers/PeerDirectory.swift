package import Wire

/// Decides which candidates to dial, and when: those from mDNS, from the configuration and from memory as one pure
/// value.
///
/// A *candidate* is one node as far as can be told before a handshake: all addresses of one mDNS instance, one
/// configured address, or the last known addresses of one device. Once a handshake has shown which device answers,
/// the candidate is bound to it, and is left alone for as long as that device is connected some other way.
///
/// | input | effect |
/// |---|---|
/// | `sighted`, `addStatic`, `remember` | the candidate may be dialled from now on |
/// | `withdrawn` | an mDNS candidate is forgotten (a session that stands is not touched) |
/// | `dialFailed` | back-off, then its next address |
/// | `dialIgnored` | the same address once more in the first version of the channel, unless more was spoken there before |
/// | `refused`, `turnedAway` | the candidate's next address, its alternatives among them; minutes later where there is none |
/// | `pin` | the device is never again dialled in a lower version |
/// | `connected`, `disconnected` | binding; a session that lasted lets the back-off start afresh |
/// | `due(at:)` | the dials to begin now |
///
/// It never loops on one address: each failure moves to the candidate's next address and doubles the wait.
package struct PeerDirectory<Address: Hashable & Sendable>: Sendable {
    /// The source from which a candidate is known.
    package enum Source: Hashable, Sendable {
        /// An mDNS instance name.
        case instance(String)
        /// A configured address.
        case configured(Address)
        /// A device met before.
        case remembered(DeviceID)
    }

    private struct Candidate: Sendable {
        var addresses: [Address]
        var next = 0
        var backoff = Backoff()
        var device: DeviceID?
        var trouble: DialTrouble?
        var dialling = false
        /// Whether the next dial is in the first version: the last one was met with silence.
        var fallsBack = false
        var sequence: UInt64
    }

    private struct Dial: Sendable {
        var source: Source
        var startedAt: UInt64
        var version: ChannelVersion
    }

    /// The maximum number of candidates, configured ones aside; the oldest mDNS candidate is dropped first, so a
    /// flood of lies cannot grow memory, and replaces no candidate that was met before.
    package static var candidateCountMax: Int { 256 }
    /// The most dials under way at once.
    package static var dialCountMax: Int { 8 }
    /// The most addresses kept for one candidate.
    package static var addressCountMax: Int { 8 }
    /// How long a second candidate of a device waits for a dial of the first, in milliseconds.
    ///
    /// On a local network the first has led to a session by then, and two sessions that the two ends see open in
    /// different order would cost both. Beyond that the two are tried beside each other, since the first address may
    /// be one at which no device answers any more.
    package static var raceMilliseconds: UInt64 { 1_000 }

    private var candidates: [Source: Candidate] = [:]
    private var connectedDevices: Set<DeviceID> = []
    private var dials: [UInt64: Dial] = [:]
    private var nextSequence: UInt64 = 0
    private let localDevice: DeviceID
    private let newest: ChannelVersion
    /// The highest version of the channel that was ever spoken with a device, as far as it was noted here.
    package private(set) var pins: [DeviceID: ChannelVersion] = [:]

    /// Starts empty.
    /// - Parameters:
    ///   - localDevice: This device: a candidate that turns out to be ourselves is never dialled again.
    ///   - newest: The highest version of the channel that this device speaks; the first dial is always in it.
    package init(localDevice: DeviceID, newest: ChannelVersion = .newest) {
        self.localDevice = localDevice
        self.newest = newest
    }

    /// Notes that a version of the channel was spoken with a device, or that the device has stated so on an authentic
    /// one.
    /// - Parameters:
    ///   - device: The device; the caller makes sure that these are not strangers without end.
    ///   - version: The version.
    /// - Returns: Whether it is higher than the version noted before; a noted version never goes down.
    package mutating func pin(_ device: DeviceID, at version: ChannelVersion) -> Bool {
        if let pinned = pins[device], pinned >= version { return false }
        pins[device] = version
        return true
    }

    /// Notes an address of a recognised mDNS instance.
    package mutating func sighted(instance: String, address: Address) {
        let source = Source.instance(instance)
        makeRoom(for: source)
        insert(address, for: source)
    }

    /// Forgets an mDNS instance.
    package mutating func withdrawn(instance: String) {
        candidates[.instance(instance)] = nil
    }

    /// Notes a configured address; configured addresses are never dropped.
    package mutating func addStatic(_ address: Address) {
        insert(address, for: .configured(address))
    }

    /// Takes these configured addresses instead of all others.
    package mutating func setStatic(_ addresses: [Address]) {
        let wanted = Set(addresses)
        for source in candidates.keys {
            if case .configured(let address) = source, !wanted.contains(address) { candidates[source] = nil }
        }
        for address in addresses { addStatic(address) }
    }

    /// Notes where a device was last reached.
    package mutating func remember(_ device: DeviceID, addresses: [Address]) {
        let source = Source.remembered(device)
        makeRoom(for: source)
        for address in addresses.prefix(Self.addressCountMax).reversed() {
            insert(address, for: source)
        }
        candidates[source]?.device = device
    }

    /// Forgets a device that was removed from the account.
    package mutating func forget(_ device: DeviceID) {
        candidates[.remembered(device)] = nil
    }

    /// Forgets ways to a device that lead nowhere any more.
    /// - Parameters:
    ///   - device: The device.
    ///   - isStale: Whether an address is removed.
    package mutating func forgetAddresses(of device: DeviceID, where isStale: (Address) -> Bool) {
        for (source, candidate) in candidates where candidate.device == device && !candidate.dialling {
            let addresses = candidate.addresses.filter { !isStale($0) }
            guard addresses.count < candidate.addresses.count else { continue }
            candidates[source] = addresses.isEmpty ? nil : candidate
            candidates[source]?.addresses = addresses
            candidates[source]?.next = 0
        }
    }

    /// Notes that a dial led to a session with a device (or to ourselves).
    package mutating func connected(dial: UInt64?, device: DeviceID) {
        if device != localDevice { connectedDevices.insert(device) }
        for source in candidates.keys where candidates[source]?.device == device { candidates[source]?.trouble = nil }
        guard let dial, let source = dials.removeValue(forKey: dial)?.source else { return }
        candidates[source]?.dialling = false
        candidates[source]?.device = device
        candidates[source]?.trouble = nil
        guard let candidate = candidates[source] else { return }
        // Other candidates at this address turn out to be the same device: no second dial is needed.
        let address = candidate.addresses[candidate.next]
        for other in candidates.keys where candidates[other]?.device == nil {
            if candidates[other]?.addresses.contains(address) == true { candidates[other]?.device = device }
        }
    }

    /// Notes that the last session with a device ended.
    ///
    /// The next dial waits a little, with jitter, so that two nodes that lost each other do not redial in step.
    package mutating func disconnected(
        device: DeviceID,
        at now: UInt64,
        random: inout some RandomNumberGenerator
    ) {
        connectedDevices.remove(device)
        // Each draws its own jitter, so the order is part of the outcome.
        let sources = candidates.filter { $0.value.device == device }.sorted { $0.value.sequence < $1.value.sequence }
        for (source, _) in sources {
            candidates[source]?.backoff.failed(at: now, random: &random)
        }
    }

    /// Notes that a dial led nowhere; the candidate's next address is tried after the back-off.
    /// - Parameters:
    ///   - dial: The dial.
    ///   - obstacle: The cause; nil where the address was not tried, or a device was reached.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - random: The source of jitter.
    package mutating func dialFailed(
        _ dial: UInt64,
        because obstacle: DialObstacle? = nil,
        at now: UInt64,
        random: inout some RandomNumberGenerator
    ) {
        guard let source = dials.removeValue(forKey: dial)?.source, var candidate = candidates[source] else { return }
        if let obstacle {
            candidate.trouble?.add(obstacle)
            candidate.trouble = candidate.trouble ?? DialTrouble(obstacle, at: now)
        }
        candidate.dialling = false
        candidate.next = (candidate.next + 1) % max(candidate.addresses.count, 1)
        // A candidate with several addresses tries each once before the wait grows.
        if candidate.next == 0 || candidate.addresses.count == 1 {
            candidate.backoff.failed(at: now, random: &random)
        }
        candidates[source] = candidate
    }

    /// Notes that a dial was met with silence: the device there shares no key with us, or does not speak the version.
    ///
    /// The same address is due again at once in the first version. The exception is a candidate that is known for a
    /// device with which a higher version was spoken: then an attacker may be in between, and the first version would
    /// be just what it wants.
    ///
    /// Where that is no option either, the candidate is tried at further addresses, after those that it has.
    /// - Parameters:
    ///   - dial: The dial.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - random: The source of jitter.
    ///   - alternatives: Other ways to an address, at which the device was met if that is known.
    package mutating func dialIgnored(
        _ dial: UInt64,
        at now: UInt64,
        random: inout some RandomNumberGenerator,
        alternatives: (Address, DeviceID?) -> [Address] = { _, _ in [] }
    ) {
        guard let begun = dials[dial], begun.version > .classical, let candidate = candidates[begun.source],
            candidate.device.flatMap({ pins[$0] }) ?? .classical == .classical
        else {
            if let source = dials[dial]?.source {
                let device = candidates[source]?.device
                extend(source) { alternatives($0, device) }
            }
            dialFailed(dial, because: .ignored, at: now, random: &random)
            return
        }
        dials[dial] = nil
        candidates[begun.source]?.dialling = false
        candidates[begun.source]?.fallsBack = true
    }

    /// Notes that a dial led to a device that is refused, such as a removed one; the next one waits for minutes.
    ///
    /// Another way to the address that was not tried yet comes first.
    /// - Parameters:
    ///   - dial: The dial.
    ///   - now: Milliseconds of the monotonic clock.
    ///   - random: The source of jitter.
    ///   - alternatives: Other ways to an address.
    package mutating func refused(
        _ dial: UInt64,
        at now: UInt64,
        random: inout some RandomNumberGenerator,
        alternatives: (Address) -> [Address] = { _ in [] }
    ) {
        guard let source = dials[dial]?.source else { return }
        let isExtended = extend(source, by: alternatives)
        dialFailed(dial, at: now, random: &random)
        if !isExtended { candidates[source]?.backoff.refused(at: now, random: &random) }
    }

    /// Notes that a device refused a session: its next address is tried behind the back-off, other ways to the last one among them.
    /// - Parameters:
    ///   - device: The device.
    ///   - alternatives: Other ways to an address.
    package mutating func turnedAway(by device: DeviceID, alternatives: (Address) -> [Address]) {
        for (source, candidate) in candidates where candidate.device == device && !candidate.dialling {
            extend(source, by: alternatives)
            let count = candidates[source]?.addresses.count ?? 0
            candidates[source]?.next = (candidate.next + 1) % max(count, 1)
        }
    }

    /// Adds other ways to a candidate's present address behind its addresses, as far as there is room.
    /// - Returns: Whether there was one that was not known.
    @discardableResult
    private mutating func extend(_ source: Source, by alternatives: (Address) -> [Address]) -> Bool {
        guard let candidate = candidates[source], candidate.addresses.indices.contains(candidate.next) else {
            return false
        }
        let known = candidate.addresses
        // Two keys may lead to one way.
        var seen = Set(known)
        let further = alternatives(known[candidate.next]).filter { seen.insert($0).inserted }
            .prefix(max(Self.addressCountMax - known.count, 0))
        candidates[source]?.addresses += further
        return !further.isEmpty
    }

    /// Notes that a session with a device ended because nothing is shared; the next dial waits for minutes.
    package mutating func refused(device: DeviceID, at now: UInt64, random: inout some RandomNumberGenerator) {
        let sources = candidates.filter { $0.value.device == device }.sorted { $0.value.sequence < $1.value.sequence }
        for (source, _) in sources { candidates[source]?.backoff.refused(at: now, random: &random) }
    }

    /// Notes that the account has changed: refused devices may be admitted now.
    package mutating func forgetRefusals() {
        for source in candidates.keys { candidates[source]?.backoff.forgetRefusal() }
    }

    /// Tries all candidates again at once: a caller waits for it.
    package mutating func forgetFailures() {
        for source in candidates.keys { candidates[source]?.backoff.succeeded() }
    }

    /// The dials to begin now.
    /// - Parameters:
    ///   - now: Milliseconds of the monotonic clock.
    ///   - nextDial: Makes the id of each.
    /// - Returns: At most as many as may be under way at once, each with the version to speak; the same address appears once.
    /// - Complexity: O(candidates).
    package mutating func due(
        at now: UInt64,
        nextDial: () -> UInt64
    ) -> [(dial: UInt64, address: Address, version: ChannelVersion)] {
        guard dials.count < Self.dialCountMax, hasReady(at: now) else { return [] }
        var busy = busyAddresses
        var begun: [(dial: UInt64, address: Address, version: ChannelVersion)] = []
        // The candidate that has waited longest comes first, and one that was never tried before all others: many
        // candidates that lead nowhere cannot keep a good one from its turn.
        let ready = candidates.filter { isReady($0.value, at: now) }.sorted { left, right in
            (left.value.backoff.earliest, left.value.sequence) < (right.value.backoff.earliest, right.value.sequence)
        }
        for (source, candidate) in ready where dials.count < Self.dialCountMax {
            let address = candidate.addresses[candidate.next]
            guard earliest(candidate) <= now, busy.insert(address).inserted else { continue }
            let dial = nextDial()
            let version = candidate.fallsBack ? .classical : newest
            dials[dial] = Dial(source: source, startedAt: now, version: version)
            candidates[source]?.dialling = true
            candidates[source]?.fallsBack = false
            begun.append((dial, address, version))
        }
        assertValid()
        return begun
    }

    /// The next time to call `due(at:)`; `nil` when there is nothing to wait for but the end of a dial.
    package var nextDue: UInt64? {
        guard dials.count < Self.dialCountMax else { return nil }
        let busy = busyAddresses
        var due: UInt64?
        for candidate in candidates.values
        where isReady(candidate, at: .max) && !busy.contains(candidate.addresses[candidate.next]) {
            due = min(due ?? .max, earliest(candidate))
        }
        return due
    }

    /// The addresses that are being dialled.
    private var busyAddresses: Set<Address> {
        Set(dials.values.compactMap { dial in candidates[dial.source].map { $0.addresses[$0.next] } })
    }

    /// The earliest time to dial a candidate: after its back-off, and not at once with another of the same device.
    private func earliest(_ candidate: Candidate) -> UInt64 {
        guard let device = candidate.device else { return candidate.backoff.earliest }
        let begun = dials.values.filter { candidates[$0.source]?.device == device }.map(\.startedAt).max()
        return max(candidate.backoff.earliest, begun.map { $0 + Self.raceMilliseconds } ?? 0)
    }

    /// The instances in sight that were dialled at all their addresses and reached at none, those that were known first before others.
    ///
    /// One of a device that is connected some other way is not among them.
    package var troubledInstances: [TroubledInstance<Address>] {
        candidates.sorted { $0.value.sequence < $1.value.sequence }.compactMap { source, candidate in
            guard case .instance(let name) = source, let trouble = candidate.trouble,
                trouble.count >= candidate.addresses.count, candidate.device != localDevice,
                !(candidate.device.map(connectedDevices.contains) ?? false)
            else { return nil }
            let address = candidate.addresses[candidate.next]
            return TroubledInstance(name: name, device: candidate.device, address: address, trouble: trouble)
        }
    }

    /// The addresses known for a device, and where the newest came from.
    package func addresses(of device: DeviceID) -> [(source: Source, address: Address)] {
        candidates.filter { $0.value.device == device }
            .sorted { $0.value.sequence > $1.value.sequence }
            .flatMap { source, candidate in candidate.addresses.map { (source, $0) } }
    }

    /// All addresses of mDNS instances and of the configuration that are not ourselves, for a search by ticket; those
    /// that were known first come first.
    package var searchAddresses: [Address] {
        var seen: Set<Address> = []
        return candidates.values.filter { $0.device != localDevice }.sorted { $0.sequence < $1.sequence }
            .flatMap(\.addresses).filter { seen.insert($0).inserted }
    }

    /// Whether any candidate is ready: asked after every event, when most often none is.
    private func hasReady(at now: UInt64) -> Bool {
        for candidate in candidates.values where isReady(candidate, at: now) { return true }
        return false
    }

    private func isReady(_ candidate: Candidate, at now: UInt64) -> Bool {
        guard !candidate.dialling, !candidate.addresses.isEmpty, candidate.backoff.earliest <= now else { return false }
        guard let device = candidate.device else { return true }
        return device != localDevice && !connectedDevices.contains(device)
    }

    private mutating func insert(_ address: Address, for source: Source) {
        nextSequence += 1
        var candidate = candidates[source] ?? Candidate(addresses: [], sequence: nextSequence)
        guard !candidate.addresses.contains(address) else { return }
        if !candidate.dialling {
            // Fresh news: try it first and at once.
            candidate.addresses.insert(address, at: 0)
            candidate.next = 0
            candidate.fallsBack = false
            candidate.backoff.succeeded()
        } else {
            candidate.addresses.append(address)
        }
        if candidate.addresses.count > Self.addressCountMax { candidate.addresses.removeLast() }
        candidates[source] = candidate
    }

    /// Makes room for a candidate that is not configured: the oldest instance goes, or the oldest device met before.
    private mutating func makeRoom(for source: Source) {
        guard candidates[source] == nil else { return }
        var instances: [(source: Source, sequence: UInt64)] = []
        var devices: [(source: Source, sequence: UInt64)] = []
        for (source, candidate) in candidates {
            switch source {
            case .configured: continue
            case .instance: instances.append((source, candidate.sequence))
            case .remembered: devices.append((source, candidate.sequence))
            }
        }
        guard instances.count + devices.count >= Self.candidateCountMax else { return }
        let old = instances.isEmpty ? devices : instances
        if let oldest = old.min(by: { $0.sequence < $1.sequence }) { candidates[oldest.source] = nil }
    }
}

extension PeerDirectory: Validated {
    package func checkRules() throws(BrokenRule) {
        try mustHold(dials.count <= Self.dialCountMax, "few dials are under way")
        try mustHold(!connectedDevices.contains(localDevice), "this device is not connected to itself")
        for candidate in candidates.values {
            try mustHold(
                candidate.addresses.indices.contains(candidate.next),
                "the next address of a candidate is one of its addresses"
            )
            try mustHold(candidate.addresses.count <= Self.addressCountMax, "a candidate has few addresses")
        }
    }

    package func checkCostlyRules() throws(BrokenRule) {
        let dialled = Set(dials.values.map(\.source))
        for (source, candidate) in candidates {
            try mustHold(!candidate.dialling || dialled.contains(source), "a candidate that is dialled has a dial")
            try mustHold(
                candidate.addresses.count < 2 || Set(candidate.addresses).count == candidate.addresses.count,
                "a candidate has each address once"
            )
        }
    }
}
