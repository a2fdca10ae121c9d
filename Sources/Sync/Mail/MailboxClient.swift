package import Identity
import Mailbox
package import Wire

/// Leaves parcels with relays for absent devices, and takes those that wait for this one.
///
/// It is everything above the channel, as one pure value. Inputs are facts; effects are orders to the driver, to be
/// performed in order. Time and randomness are passed in. It keeps a session with each relay that the account uses,
/// with one request at a time, in this order:
///
/// | request | time |
/// |---|---|
/// | show the admission, or the pass | first |
/// | give passes to the accounts that share zones | first, where the account has an admission, and once a day |
/// | look into mailboxes: those of all other devices that use the relay, of the last month | first; then those of these days each minute, and one with a new parcel at once |
/// | fetch parcels, let the store take them in, and only then delete them | when there are any |
/// | check the parcels left: withdraw acknowledged ones, leave again those that the relay has lost | first, then every ten minutes, and soon after a session with a device |
/// | claim uses of invitations | when a caller waits for it, in turn with all other requests |
/// | leave parcels | ten seconds after a write that an unconnected device lacks; with one relay: one that its account has announced, or the first of the own ones that answers |
///
/// A relay's word is never more than a promise: a parcel is dropped only when its receiving device acknowledges it.
package struct MailboxClient: Sendable {
    /// The limits and times of the client.
    package struct Settings: Sendable {
        /// How long content waits for a device to connect before it is left for it, in milliseconds.
        package var graceMilliseconds: UInt64 = 10_000
        /// The time that operations of other devices may wait, in milliseconds: those devices leave them themselves
        /// if they can.
        package var forwardMilliseconds: UInt64 = 600_000
        /// Time between two looks into mailboxes, in milliseconds; the relay reports parcels that come meanwhile.
        package var lookMilliseconds: UInt64 = 60_000
        /// Time between two checks of the parcels that were left, in milliseconds.
        package var checkMilliseconds: UInt64 = 600_000
        /// The time after which the parcels for a device that was met are checked, in milliseconds: by then it has
        /// mostly acknowledged them.
        package var metMilliseconds: UInt64 = 30_000
        /// How long a relay without room is not asked to keep more, in milliseconds.
        package var fullMilliseconds: UInt64 = 600_000
        /// The time from a reason to fetch a parcel again that the store could not take in to the attempt, in
        /// milliseconds; each attempt doubles it.
        package var retryMilliseconds: UInt64 = 15_000
        /// The maximum of that time, in milliseconds.
        package var retryMillisecondsMax: UInt64 = 3_600_000
        /// Parcels of a relay that are fetched again for such a reason.
        ///
        /// Overflow policy: refuse. One too many is fetched again with the next parcel, partner or session.
        package var retryCountMax = 256
        /// How long a request may go without an answer, in milliseconds.
        package var answerMilliseconds: UInt64 = 60_000
        /// The time after which a refused admission is shown again, in milliseconds.
        package var refusedMilliseconds: UInt64 = 600_000
        /// The time after which a refused pass is shown again, in milliseconds: it may be announced before it is
        /// given.
        package var passRefusedMilliseconds: UInt64 = 60_000
        /// The time between two gifts of passes, in milliseconds; each is valid for a month.
        package var giveMilliseconds: UInt64 = 86_400_000
        /// The pause before an altered announcement is made again, in milliseconds: another device writes in the
        /// record.
        package var announceMilliseconds: UInt64 = 3_600_000
        /// The pause after a change before the relays and the accounts that use them are read, in milliseconds.
        package var factsMilliseconds: UInt64 = 15_000
        /// How long an acknowledgement waits for further ones, in milliseconds.
        package var acknowledgeMilliseconds: UInt64 = 1_000
        /// The time that a caller with a claim waits for the relay, in milliseconds: another machine waits for both.
        package var claimMilliseconds: UInt64 = 4_000
        /// Claims that wait.
        ///
        /// Overflow policy: refuse. One too many is answered with silence at once, so that it is asked for again later.
        package var claimCountMax = 256
        /// The days back for which mailboxes are looked into: as long as a relay keeps parcels, and one more.
        package var dayCount: UInt64 = 31

        /// The production numbers.
        package init() {}
    }

    /// An event.
    package enum Input: Sendable {
        /// The relays may have changed in the account's book, or in another account's announcement.
        case factsMayHaveChanged
        /// The relays, and the devices with which parcels are exchanged.
        case factsChanged(MailFacts, partners: [DeviceID: MailPartner])
        /// The devices that are connected.
        case connectedChanged(Set<DeviceID>)
        /// Operations that other devices may lack were written here, or came, in these zones; or a parcel turned out to
        /// be missing.
        case changed(Set<ZoneID>)
        /// A session with a relay is established.
        case opened(RelayID)
        /// One could not be made, or has ended.
        case closed(RelayID)
        /// An answer arrived.
        case received(RelayID, MailboxReply)
        /// The answer to `draft`.
        case drafted(RelayID, ParcelDemand, ParcelDraft?)
        /// The answer to `take`: whether the store has all of the parcel, or has no use for it, and whether something of it is to be
        /// acknowledged.
        case taken(RelayID, ParcelID, MailOutcome, isOwed: Bool)
        /// The answer to `readPosted`.
        case postedRead(RelayID, [(parcel: PostedParcelRow, isSettled: Bool)])
        /// A use of an invitation is to be claimed; says whether a caller waits for the answer now. Answered by
        /// `claimed`.
        case claim(UseClaim, isAwaited: Bool)
        /// Time passed; asked for by ``nextDeadline``.
        case tick
    }

    /// An instruction to the driver.
    package enum Effect: Sendable {
        /// Read the relays and the accounts that use them, and report `factsChanged`.
        case readFacts
        /// Announce in a zone where this account's devices look.
        case announce(ZoneID)
        /// Make a session with a relay; answered by `opened` or `closed`.
        case dial(RelayLink, address: String)
        /// End one; not answered.
        case close(RelayID)
        /// Send a request.
        case send(RelayID, MailboxRequest)
        /// Read the content to be left for a device, and answer `drafted`.
        case draft(RelayID, ParcelDemand)
        /// Have the store take in a parcel that a device left, and answer `taken`.
        case take(RelayID, ParcelID, from: DeviceID, of: AccountID, messages: [[UInt8]])
        /// Read the parcels that were left on a relay, and answer `postedRead`.
        case readPosted(RelayID)
        /// Remember that a relay keeps a parcel.
        case notePosted(PostedParcelRow)
        /// Remember that it does not any more; answer `changed` once that is durable.
        case noteMissing([PostedParcelRow])
        /// Forget parcels that are acknowledged in full.
        case noteSettled([PostedParcelRow])
        /// Report a relay's answer to a claim.
        case claimed(ClaimedUse)
        /// Report that a parcel does not fit its mailbox.
        case reportForeign(RelayID, DeviceID)
    }

    /// The state of a relay.
    package enum State: String, Sendable, CaseIterable {
        /// There is no session; it is tried again.
        case unreachable
        /// A session is being made.
        case connecting
        /// It keeps parcels.
        case connected
        /// It has no room.
        case full
        /// It does not know the admission (any more).
        case refused
    }

    private(set) var settings: Settings
    let localDevice: DeviceID
    /// The time at which the relays and the accounts that use them are read.
    private var factsDue: UInt64?
    /// The last announcement in each zone, and its time.
    private var announced: [ZoneID: (links: [RelayLink], time: UInt64)] = [:]
    /// In the order of preference.
    var relays: [RelaySession] = []
    /// The zones that are shared with other accounts.
    private(set) var zones: [AccountID: [ZoneID]] = [:]
    var partners: [DeviceID: MailPartner] = [:]
    var connected: Set<DeviceID> = []
    /// The times at which content is left for a device; none for connected devices.
    var due: [DeviceID: UInt64] = [:]
    /// The times at which operations of other devices are left for it, too.
    var forwardDue: [DeviceID: UInt64] = [:]
    /// Devices from which content was taken, and which have not received a parcel that says so.
    var owedAcknowledgement: Set<DeviceID> = []
    /// Uses of invitations that are to be claimed, the oldest first.
    var claims: [PendingClaim] = []

    /// Starts without relays.
    /// - Parameters:
    ///   - localDevice: This device.
    ///   - settings: The numbers; production uses the default.
    package init(localDevice: DeviceID, settings: Settings = Settings()) {
        self.localDevice = localDevice
        self.settings = settings
    }

    /// Sets how long something may wait for a device to come before it is left for it; before the first input.
    /// - Parameter milliseconds: The time; ten seconds by default.
    package mutating func setGrace(milliseconds: UInt64) { settings.graceMilliseconds = milliseconds }

    /// Takes one input and returns the instructions to the driver.
    /// - Parameters:
    ///   - input: The event.
    ///   - now: Milliseconds of a monotonic clock.
    ///   - wall: Milliseconds since 1970: mailboxes go by its days.
    ///   - random: The source of nonces and jitter.
    ///   - effects: Receives the instructions, in order.
    package mutating func handle(
        _ input: Input,
        at now: UInt64,
        wall: UInt64,
        random: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        let moment = Moment(now: now, wall: wall)
        switch input {
        case .factsMayHaveChanged:
            factsDue = now
        case .factsChanged(let facts, let partners):
            relaysChanged(facts.relays, into: &effects)
            zones = facts.zones
            partnersChanged(partners, at: now)
            announce(facts, at: now, into: &effects)
        case .connectedChanged(let devices):
            connectedChanged(devices, at: now)
        case .changed(let zones):
            factsDue = factsDue ?? now + settings.factsMilliseconds
            for index in relays.indices { relays[index].changed(zones, at: now) }
            for device in partners.keys where !connected.contains(device) { wait(for: device, at: now) }
        case .opened(let relay):
            update(relay) { $0.opened(at: now, into: &effects) }
        case .closed(let relay):
            update(relay) { $0.closed(at: now, random: &random) }
        case .received(let relay, let reply):
            received(reply, from: relay, moment, random: &random, into: &effects)
        case .drafted(let relay, let demand, let draft):
            drafted(draft, demand, for: relay, moment, random: &random, into: &effects)
        case .taken(let relay, let parcel, let outcome, let isOwed):
            taken(parcel, outcome, isOwed: isOwed, from: relay, at: now)
        case .postedRead(let relay, let parcels):
            postedRead(parcels, on: relay, moment, into: &effects)
        case .claim(let claim, let isAwaited):
            take(claim, isAwaited: isAwaited, at: now, into: &effects)
        case .tick:
            break
        }
        if let due = factsDue, due <= now {
            factsDue = nil
            effects.append(.readFacts)
        }
        dropClaims(at: moment, into: &effects)
        for index in relays.indices { advance(index, moment, into: &effects) }
        assertValid()
    }

    /// A moment by both clocks.
    struct Moment {
        let now: UInt64
        let wall: UInt64

        /// Days since 1970.
        var day: UInt64 { wall / 86_400_000 }
    }

    /// The next time for a `tick`; `nil` while there is nothing to do.
    /// - Complexity: O(relays and devices).
    package var nextDeadline: UInt64? {
        var deadlines = relays.compactMap { $0.nextDeadline(settings) }
        for device in Set(due.keys).union(forwardDue.keys) {
            guard let index = preferredRelay(for: device), relays[index].isIdle else { continue }
            deadlines.append(min(due[device] ?? .max, forwardDue[device] ?? .max))
        }
        deadlines += claims.compactMap(nextDeadline)
        return (deadlines + [factsDue].compactMap(\.self)).min()
    }

    /// The relay with which something is left for a device now: one that its account has announced; else one of the own.
    func preferredRelay(for device: DeviceID) -> Int? {
        guard let account = partners[device]?.account else { return nil }
        let fitting = relays.indices.filter { relays[$0].mayPost && relays[$0].isLooked(into: account) }
        return fitting.first { !relays[$0].facts.isOwn } ?? fitting.first
    }

    /// A relay with the state of its session, and its space there.
    package struct RelayState: Sendable {
        /// The relay.
        package let relay: MailRelay
        /// The state of its session.
        package let state: State
        /// The space under the admission, or the pass, in bytes; `nil` before the relay has stated it.
        package let quota: UInt64?
        /// The space in use there, in bytes.
        package let used: UInt64?
        /// The storage in which it keeps parcels.
        package let backend: String?
    }

    /// The state of each relay, in the order of preference.
    package var relayStates: [RelayState] {
        relays.map {
            RelayState(relay: $0.facts, state: $0.state, quota: $0.quota, used: $0.used, backend: $0.backend)
        }
    }

    // MARK: Facts

    private mutating func relaysChanged(_ facts: [MailRelay], into effects: inout [Effect]) {
        let before = Dictionary(relays.map { ($0.facts.links, $0) }) { first, _ in first }
        let links = facts.map(\.links)
        for relay in relays where !links.contains(relay.facts.links) && relay.hasSession {
            effects.append(.close(relay.relay))
        }
        relays = facts.compactMap { facts in
            guard var known = before[facts.links] else { return RelaySession(facts) }
            known.update(facts)
            return known
        }
    }

    private mutating func announce(_ facts: MailFacts, at now: UInt64, into effects: inout [Effect]) {
        let links = facts.relays.filter(\.isOwn).flatMap(\.links)
        for zone in facts.unannounced {
            if let last = announced[zone], last.links == links, now < last.time + settings.announceMilliseconds {
                continue
            }
            announced[zone] = (links, now)
            effects.append(.announce(zone))
        }
    }

    private mutating func partnersChanged(_ partners: [DeviceID: MailPartner], at now: UInt64) {
        let before = self.partners
        self.partners = partners
        due = due.filter { partners[$0.key] != nil }
        forwardDue = forwardDue.filter { partners[$0.key] != nil }
        owedAcknowledgement.formIntersection(partners.keys)
        for device in partners.keys where before[device] == nil {
            if !connected.contains(device) { wait(for: device, at: now) }
            for index in relays.indices { relays[index].looksAtAll = true }
        }
    }

    private mutating func connectedChanged(_ devices: Set<DeviceID>, at now: UInt64) {
        let before = connected
        connected = devices
        for device in devices {
            due[device] = nil
            forwardDue[device] = nil
        }
        for device in before.subtracting(devices) where partners[device] != nil { wait(for: device, at: now) }
        if !devices.isSubset(of: before) {
            for index in relays.indices {
                relays[index].nextCheck = min(relays[index].nextCheck, now + settings.metMilliseconds)
            }
        }
    }

    private mutating func wait(for device: DeviceID, at now: UInt64) {
        due[device] = due[device] ?? now + settings.graceMilliseconds
        forwardDue[device] = forwardDue[device] ?? now + settings.forwardMilliseconds
    }

    mutating func update(_ relay: RelayID, _ change: (inout RelaySession) -> Void) {
        guard let index = relays.firstIndex(where: { $0.link.relay == relay }) else { return }
        change(&relays[index])
    }
}
