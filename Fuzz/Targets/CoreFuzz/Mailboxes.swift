import FuzzKit
import Identity
import Mailbox
import Records
import Sodium
import Sync
import TestSupport
import Wire

/// Mailboxes, from both sides: the forms that come from outside, a relay that receives any requests in any order, and
/// a client that receives any answers.
let mailboxTarget = FuzzTarget(
    "mailboxes",
    inputByteCountMax: 4_096,
    run: { bytes in
        var input = FuzzInput(bytes)
        switch input.below(3) {
        case 0: MailboxForms.check(input.remainder())
        case 1:
            var relay = MailboxRelayRun()
            relay.run(&input)
        default:
            var client = MailboxClientRun()
            client.run(&input)
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 17)
        let forms = MailboxForms.samples.map { [0] + $0 }
        return forms + (0..<60).map { [UInt8(1 + $0 % 2)] + generator.bytes(20 + generator.below(400)) }
    }
)

/// A check that decoded values have one encoding only.
private enum MailboxForms {
    static func check(_ bytes: [UInt8]) {
        // A refusal is one of the two outcomes that are allowed.
        if let request = try? MailboxRequest(decoding: bytes) {
            demand(request.encoded == bytes, "a request is canonical")
        }
        if let reply = try? MailboxReply(decoding: bytes) { demand(reply.encoded == bytes, "a reply is canonical") }
        if let link = try? RelayLink(bytes: bytes) {
            demand(link.exportBytes() == bytes, "a link is canonical")
            demand((try? RelayLink(typed: link.text)) == link, "a link's text is the link's")
        }
        if let parcel = try? Parcel(padded: bytes) {
            demand(parcel.messages.reduce(0) { $0 + $1.count } <= bytes.count, "a parcel holds what is in it")
        }
        if let stretch = try? PostedParcelRow.Stretch(decoding: bytes) {
            demand(stretch.encoded == bytes, "a stretch is canonical")
        }
    }

    static let proof = MailboxProof(key: [UInt8](repeating: 1, count: 32), other: .zero)

    static var samples: [[UInt8]] {
        let parcel = [UInt8](repeating: 0, count: Limits.parcelByteCountMin)
        let requests: [MailboxRequest] = [
            .enter(secret: [UInt8](repeating: 2, count: 32)), .put(proof, parcel: parcel), .look([proof]),
            .fetch(proof, .zero), .remove(proof, [.zero]), .check(proof, [.zero], withdrawing: [.zero]),
            .give([.zero]),
            .claim(.zero, value: .zero, until: 300),
        ]
        let replies: [MailboxReply] = [
            .entered(quota: 1, used: 300, backend: "sqlite"), .stored(.zero, until: 9), .parcel(parcel),
            .missing(.zero),
            .listed([ParcelNotice(mailbox: .zero, parcel: .zero, byteCount: 4_096)], isComplete: true), .removed,
            .held([.zero]), .refused(.full), .arrived(.zero), .claimed(.zero),
            .given([.zero]),
        ]
        return requests.map(\.encoded) + replies.map(\.encoded)
    }
}

/// A relay of a few sessions and mailboxes.
private struct MailboxRelayRun {
    private var core: MailboxRelay
    private var underWay: [UInt64: MailboxRelay.Order] = [:]
    private var open: Set<UInt64> = []
    private var now: UInt64 = 0

    init() {
        var settings = MailboxRelay.Settings()
        settings.sessionCountMax = 3
        settings.watchedCountMax = 4
        core = MailboxRelay(backend: "memory", settings: settings)
    }

    mutating func run(_ input: inout FuzzInput) {
        while !input.isEmpty {
            let id = UInt64(input.below(5))
            switch input.below(6) {
            case 0:
                if open.insert(id).inserted { feed(.opened(id)) }
            case 1, 2:
                feed(.received(id, request(&input)))
            case 3:
                if let order = underWay.removeValue(forKey: id) { feed(.answered(id, answer(to: order, &input))) }
            case 4:
                open.remove(id)
                underWay[id] = nil
                feed(.closed(id))
            default:
                now &+= UInt64(input.below(200)) * 1_000
                feed(.tick)
            }
        }
    }

    private mutating func feed(_ input: MailboxRelay.Input) {
        var effects: [MailboxRelay.Effect] = []
        core.handle(input, at: now, wall: now, into: &effects)
        demand(effects.count < 100, "effects are bounded")
        for effect in effects {
            switch effect {
            case .perform(let id, let order):
                demand(underWay[id] == nil, "a session has one order under way")
                underWay[id] = order
            case .send(let id, let reply):
                demand((try? MailboxReply(decoding: reply.encoded)) == reply, "what is sent decodes")
                demand(open.contains(id), "nothing is sent to who is not there")
            case .close(let id, _):
                open.remove(id)
                underWay[id] = nil
            case .pause, .resume:
                break
            }
        }
        demand(core.enteredCount <= 3, "sessions are bounded")
        if let deadline = core.nextDeadline, case .tick = input {
            demand(deadline > now, "the next deadline lies ahead")
        }
    }

    private func proof(_ input: inout FuzzInput) -> MailboxProof {
        MailboxProof(key: [UInt8](repeating: UInt8(input.below(6)), count: 32), other: .zero)
    }

    private func request(_ input: inout FuzzInput) -> MailboxRequest {
        switch input.below(8) {
        case 6: .give([AdmissionID(secret: [UInt8](repeating: UInt8(input.below(3)), count: 32))])
        case 0: .enter(secret: [UInt8](repeating: UInt8(input.below(2)), count: 32))
        case 1: .put(proof(&input), parcel: [UInt8](repeating: UInt8(input.below(3)), count: Limits.parcelByteCountMin))
        case 2: .look((0..<input.below(8)).map { _ in proof(&input) })
        case 3: .fetch(proof(&input), .zero)
        case 4: .remove(proof(&input), [.zero])
        case 5: .claim(.zero, value: .zero, until: input.number())
        default: .check(proof(&input), [.zero], withdrawing: [])
        }
    }

    private func answer(to order: MailboxRelay.Order, _ input: inout FuzzInput) -> MailboxRelay.Answer {
        // A storage may fail at any time; else it answers the request.
        if input.below(5) == 0 { return .failed }
        switch order {
        case .enter(let id):
            let admission = Admission(id: id, name: "a", quota: 9, since: 0)
            return .entered(input.bool() ? AdmissionUsage(admission: admission, byteCount: 0, parcelCount: 0) : nil)
        case .put: return .put(input.one(of: [.stored, .full, .notAdmitted]))
        case .look: return .listed([])
        case .fetch: return .parcel(input.bool() ? [UInt8](repeating: 0, count: Limits.parcelByteCountMin) : nil)
        case .remove: return .removed
        case .check(_, let parcels, _): return .held(parcels)
        case .give(let passes, _, _, _): return .given(passes)
        case .claim(_, _, let value, _):
            return .claimed(input.one(of: [.held(value), .held(.zero), .full, .notAdmitted]))
        }
    }
}

/// A client whose relay may answer anything.
private struct MailboxClientRun {
    private static let partner: (device: DeviceID, secret: PartnerSecret)? = {
        var generator = SeededGenerator(seed: 3)
        let own = AgreementKey.generate(using: &generator)
        let other = AgreementKey.generate(using: &generator)
        return (try? PartnerSecret(own: own, other: other.publicKey)).map {
            (Identifier(digesting: .treeNode, [2]), $0)
        }
    }()

    private static let links: [RelayLink] = (0..<2).compactMap { number in
        try? RelayLink(
            relay: Identifier(digesting: .treeNode, [UInt8(10 + number)]),
            channelSecret: [UInt8](repeating: 1, count: 32),
            admissionSecret: [UInt8](repeating: 2, count: 32),
            addresses: ["a:1"]
        )
    }

    private var client = MailboxClient(localDevice: Identifier(digesting: .treeNode, [1]))
    private var random = SeededGenerator(seed: 5)
    private var now: UInt64 = 0
    private var wanted: [MailboxClient.Effect] = []
    private var listed: [MailboxID] = []
    /// Claims that were not answered.
    private var waiting: [Redemption.ID: [Bool]] = [:]
    private static let slots: SlotKey = {
        var generator = SeededGenerator(seed: 9)
        return SlotKey(using: &generator)
    }()

    mutating func run(_ input: inout FuzzInput) {
        guard let partner = Self.partner else { return }
        let account = AccountID(digesting: .treeNode, [9])
        let facts = MailFacts(
            relays: Self.links.enumerated().map { number, link in
                let passes: [AdmissionID] = number == 0 ? [.zero] : []
                return MailRelay(links: [link, link], isOwn: number == 0, accounts: [account], passes: passes)
            },
            unannounced: [.zero]
        )
        feed(
            .factsChanged(
                facts,
                partners: [partner.device: MailPartner(account: account, secret: partner.secret)]
            )
        )
        while !input.isEmpty {
            let relay = input.one(of: Self.links).relay
            switch input.below(10) {
            case 8: feed(.factsMayHaveChanged)
            case 0: feed(.opened(relay))
            case 1: feed(.closed(relay))
            case 2, 3: feed(.received(relay, reply(&input)))
            case 4: answer(&input)
            case 5: feed(.connectedChanged(input.bool() ? [partner.device] : []))
            case 6: feed(.changed(input.bool() ? [.zero] : []))
            case 7: claim(&input, relay)
            default:
                now &+= UInt64(input.below(100)) * 1_000
                feed(.tick)
            }
        }
    }

    private mutating func feed(_ input: MailboxClient.Input) {
        var effects: [MailboxClient.Effect] = []
        client.handle(input, at: now, wall: 86_400_000 * 40 &+ now, random: &random, into: &effects)
        demand(effects.count < 20, "effects are bounded")
        for effect in effects {
            switch effect {
            case .send(_, let request):
                demand((try? MailboxRequest(decoding: request.encoded)) == request, "what is sent decodes")
                if case .look(let proofs) = request { listed = proofs.prefix(3).map(MailboxID.init(get:)) }
            case .claimed(let claimed):
                demand(waiting[claimed.claim.id] != nil, "what is answered was claimed")
                if claimed.answer != .silent { waiting[claimed.claim.id] = nil }
            case .draft, .take, .readPosted:
                wanted.append(effect)
            default:
                break
            }
        }
        wanted = wanted.suffix(8)
    }

    /// Feeds an account's claim of a use of an invitation.
    private mutating func claim(_ input: inout FuzzInput, _ relay: RelayID) {
        let account = AccountID(digesting: .treeNode, [UInt8(input.below(4))])
        let isAwaited = input.bool()
        let claim = UseClaim(
            Redemption.ID(invite: [UInt8](repeating: 1, count: 16), account: account),
            relay: relay,
            key: Self.slots,
            uses: UInt32(1 + input.below(3)),
            until: input.number()
        ).delayed(by: UInt64(input.below(9)) * 1_000)
        waiting[claim.id, default: []].append(isAwaited)
        feed(.claim(claim, isAwaited: isAwaited))
    }

    /// Feeds the store's answer to one of the client's open questions.
    private mutating func answer(_ input: inout FuzzInput) {
        guard !wanted.isEmpty else { return }
        switch wanted.remove(at: input.below(wanted.count)) {
        case .draft(let relay, let demand):
            let draft = ParcelDraft(messages: [input.exactly(3)], stretches: [], hasMore: input.bool())
            feed(.drafted(relay, demand, input.bool() ? draft : nil))
        case .take(let relay, let parcel, _, _, _):
            let outcome = MailOutcome(awaited: input.bool() ? [.zero] : [], hasFailed: input.bool())
            feed(.taken(relay, parcel, outcome, isOwed: input.bool()))
        case .readPosted(let relay):
            feed(.postedRead(relay, []))
        default:
            break
        }
    }

    private func reply(_ input: inout FuzzInput) -> MailboxReply {
        let parcel: ParcelID = Identifier(digesting: .treeNode, [UInt8(input.below(4))])
        switch input.below(11) {
        case 9: return .given([.zero])
        case 0: return .entered(quota: input.number(), used: input.number(), backend: "x")
        case 1: return .stored(parcel, until: input.number())
        case 2, 3:
            let notices = listed.map { ParcelNotice(mailbox: $0, parcel: parcel, byteCount: 4_096) }
            return .listed(input.bool() ? notices : [], isComplete: input.bool())
        case 4: return .parcel([UInt8](repeating: UInt8(input.below(2)), count: Limits.parcelByteCountMin))
        case 5: return .missing(parcel)
        case 6: return input.bool() ? .removed : .held([parcel])
        case 7: return .refused(input.one(of: MailboxRefusal.allCases))
        case 8: return .claimed(input.bool() ? .zero : Self.slots.value(of: AccountID(digesting: .treeNode, [0])))
        default: return .arrived(listed.first ?? .zero)
        }
    }
}
