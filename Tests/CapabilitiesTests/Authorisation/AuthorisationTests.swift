import Identity
import Testing
import Wire

@testable import Capabilities

/// The decision as a table: one zone, one account of each kind, one row for each request.
@Suite struct AuthorisationTests {
    /// A caller, one column each.
    enum Asker: String, CaseIterable {
        case owner, admin, write, append, read, relay, stranger, world
    }

    struct Row: CustomTestStringConvertible {
        let request: AccessRequest
        /// The callers that are allowed.
        let allowed: Set<Asker>
        var testDescription: String { String(describing: request) }
    }

    static let all = Set(Asker.allCases)
    static let members = all.subtracting([.stranger, .world])
    static let readers = members.subtracting([.relay])
    static let appenders = readers.subtracting([.read])
    static let writers: Set<Asker> = [.owner, .admin, .write]
    static let rulers: Set<Asker> = [.owner, .admin]

    static let table: [Row] = [
        Row(request: .serve(.control, sealed: false), allowed: members),
        Row(request: .serve(.data, sealed: true), allowed: members),
        Row(request: .serve(.data, sealed: false), allowed: readers),
        Row(request: .write(.init(type: "note", name: "a", creator: nil)), allowed: appenders),
        Row(request: .write(.init(type: "note", name: "a", creator: ControlStory.accounts[0])), allowed: writers),
        Row(request: .administer(.grant(Rights(.read))), allowed: readers),
        Row(request: .administer(.grant(Rights(.admin))), allowed: rulers),
        Row(request: .administer(.leave), allowed: members.subtracting([.owner])),
        Row(request: .administer(.publicAccess), allowed: rulers),
        Row(request: .administer(.schema), allowed: rulers),
        Row(request: .administer(.epoch), allowed: appenders),
        Row(request: .administer(.checkpoint), allowed: [.owner]),
        Row(request: .administer(.raiseCut), allowed: [.owner]),
        Row(request: .administer(.transfer), allowed: [.owner]),
        Row(request: .administer(.answerTransfer), allowed: readers),
        Row(request: .administer(.deleteZone), allowed: [.owner]),
    ]

    /// A zone whose account 1 holds one level.
    private func decide(_ request: AccessRequest, _ asker: Asker) -> AccessDecision {
        var story = ControlStory()
        let levels: [Asker: AccessLevel] = [
            .admin: .admin, .write: .write, .append: .append, .read: .read, .relay: .relay,
        ]
        if let level = levels[asker] { _ = story.grant(by: ControlStory.owner, to: 1, level) }
        let account = asker == .owner ? 0 : 1
        let device = ControlStory.devices[account][0].deviceID
        let subject: AccessSubject =
            asker == .world ? .world : .device(device, of: ControlStory.accounts[account])
        return Authorisation.decide(request, by: subject, state: story.state, directory: story.directory, now: 5)
    }

    @Test(arguments: table)
    func `of requests`(row: Row) {
        for asker in Asker.allCases {
            let decision = decide(row.request, asker)
            let isAllowed = if case .allowed = decision { true } else { false }
            #expect(isAllowed == row.allowed.contains(asker), "\(asker): \(decision)")
        }
    }

    @Test func `the role of a device narrows its account's rights`() {
        let rows: [(DeviceRole, AccessRequest, Bool)] = [
            (.readOnly, .serve(.data, sealed: false), true),
            (.readOnly, .write(.init(type: "t", name: "n", creator: nil)), false),
            (.readOnly, .administer(.leave), false),
            (.relayOnly, .serve(.data, sealed: true), true),
            (.relayOnly, .serve(.data, sealed: false), false),
            (.relayOnly, .administer(.grant(Rights(.relay))), false),
        ]
        for account in [0, 1] {
            for (role, request, isAllowed) in rows {
                var story = ControlStory()
                _ = story.grant(by: ControlStory.owner, to: 1, .admin)
                let device = ControlStory.devices[account][0].deviceID
                story.directory.standings[ControlStory.accounts[account]]?[device] = .active(role, addedAt: 0)
                // The owner's operations stay effective: the state is resolved before the role is looked at.
                var plain = story
                plain.directory = ControlStory().directory
                let decision = Authorisation.decide(
                    request,
                    by: .device(device, of: ControlStory.accounts[account]),
                    state: plain.state,
                    directory: story.directory,
                    now: nil
                )
                #expect((decision != .refused(.deviceRole)) == isAllowed, "\(role) \(request) \(decision)")
            }
        }
    }

    @Test func `a device without a known account gets nothing`() {
        var story = ControlStory()
        let writer = story.grant(by: ControlStory.owner, to: 1)
        let account = ControlStory.accounts[1]
        let state = story.state
        func ask(_ device: DeviceID) -> AccessDecision {
            Authorisation.decide(
                .serve(.data, sealed: false),
                by: .device(device, of: account),
                state: state,
                directory: story.directory,
                now: nil
            )
        }
        #expect(ask(writer.deviceID) == .allowed(under: writer.right))
        #expect(ask(ControlStory.devices[2][0].deviceID) == .refused(.unknownDevice))
        story.directory.standings[account]?[writer.deviceID] = .removed(.full, addedAt: 0)
        #expect(ask(writer.deviceID) == .refused(.removedDevice))
        story.directory.standings[account] = nil
        #expect(ask(writer.deviceID) == .waiting(for: .account(account)))
    }

    @Test func `expiry ends serving`() {
        var story = ControlStory()
        let caveats = Caveats(notBefore: 10, expires: 20, delegationDepth: 0)
        let writer = story.grant(by: ControlStory.owner, to: 1, .write, caveats: caveats)
        let state = story.state
        func ask(_ request: AccessRequest, _ account: Int, _ now: UInt64?) -> AccessDecision {
            Authorisation.decide(
                request,
                by: .device(ControlStory.devices[account][0].deviceID, of: ControlStory.accounts[account]),
                state: state,
                directory: story.directory,
                now: now
            )
        }
        let refusals: [(UInt64?, AccessDecision)] = [
            (9, .refused(.notYetValid(at: 10))), (10, .allowed(under: writer.right)),
            (19, .allowed(under: writer.right)), (20, .refused(.expired(at: 20))), (nil, .allowed(under: writer.right)),
        ]
        for (now, expected) in refusals {
            #expect(ask(.serve(.data, sealed: false), 1, now) == expected)
        }
    }

    @Test func `a capability's types and names limit writing and not reading`() {
        var story = ControlStory()
        let caveats = Caveats(recordTypes: ["note"], namePrefix: "in/", delegationDepth: 0)
        let writer = story.grant(by: ControlStory.owner, to: 1, .write, caveats: caveats)
        let rows: [(String, String, AccessRefusal?)] = [
            ("note", "in/a", nil), ("task", "in/a", .recordType), ("note", "out", .recordName),
        ]
        for (type, name, refusal) in rows {
            let write = AccessRequest.Write(type: type, name: name, creator: nil)
            let decision = Authorisation.decide(
                .write(write),
                by: .device(writer.deviceID, of: ControlStory.accounts[1]),
                state: story.state,
                directory: story.directory,
                now: 0
            )
            #expect(decision == refusal.map(AccessDecision.refused) ?? .allowed(under: writer.right))
        }
    }

    @Test func `an account with append rights changes its own records`() {
        var story = ControlStory()
        let author = story.grant(by: ControlStory.owner, to: 1, .append)
        let rows: [(creator: Int?, AccessDecision)] = [
            (nil, .allowed(under: author.right)), (1, .allowed(under: author.right)), (2, .refused(.needs(.write))),
        ]
        for (creator, expected) in rows {
            let creator = creator.map { ControlStory.accounts[$0] }
            let decision = Authorisation.decide(
                .write(AccessRequest.Write(type: "t", name: "n", creator: creator)),
                by: .device(author.deviceID, of: ControlStory.accounts[1]),
                state: story.state,
                directory: story.directory,
                now: 0
            )
            #expect(decision == expected)
        }
    }

    @Test func `public access admits accounts without a right`() {
        var story = ControlStory()
        let access = PublicAccess(world: .read, authenticated: [.read, .create], creator: .write)
        let entry = story.say(.publicAccess(access), by: ControlStory.owner)
        let guest = AccessSubject.device(ControlStory.devices[3][0].deviceID, of: ControlStory.accounts[3])
        let make = AccessRequest.write(.init(type: "t", name: "n", creator: nil))
        let own = AccessRequest.write(.init(type: "t", name: "n", creator: ControlStory.accounts[3]))
        let others = AccessRequest.write(.init(type: "t", name: "n", creator: ControlStory.accounts[0]))
        let rows: [(AccessRequest, AccessSubject, Bool)] = [
            (.serve(.data, sealed: false), .world, true), (make, .world, false), (make, guest, true),
            (own, guest, true), (others, guest, false),
        ]
        for (request, subject, isAllowed) in rows {
            let decision = Authorisation.decide(
                request,
                by: subject,
                state: story.state,
                directory: story.directory,
                now: 0
            )
            #expect((decision == .allowed(under: entry)) == isAllowed, "\(request) \(decision)")
        }
    }

    /// A public zone's access, the caller with a record that it made if any; and whether reading, making, changing
    /// its own and changing others' records is allowed.
    struct GuestRow: CustomTestStringConvertible {
        let access: PublicAccess
        let world: [Bool]
        let guest: [Bool]
        let known: [Bool]
        var testDescription: String { String(describing: access) }
    }

    static let guestTable: [GuestRow] = {
        let (no, all) = ([false, false, false, false], [true, true, true, true])
        let nobody: PublicRights = []
        return [
            GuestRow(access: .none, world: no, guest: no, known: no),
            GuestRow(
                access: PublicAccess(world: [.read, .create], authenticated: nobody, creator: .write),
                world: [true, true, false, false],
                guest: [true, true, true, false],
                known: [true, true, true, false]
            ),
            GuestRow(
                access: PublicAccess(world: .read, authenticated: .create, creator: nobody),
                world: [true, false, false, false],
                guest: [true, false, false, false],
                known: [true, true, false, false]
            ),
            GuestRow(
                access: PublicAccess(world: nobody, authenticated: .all, creator: nobody),
                world: no,
                guest: no,
                known: all
            ),
            GuestRow(
                access: PublicAccess(world: nobody, authenticated: nobody, creator: .all),
                world: no,
                guest: [false, false, true, false],
                known: [false, false, true, false]
            ),
            GuestRow(
                access: PublicAccess(world: .all, authenticated: nobody, creator: nobody),
                world: all,
                guest: all,
                known: all
            ),
        ]
    }()

    @Test(arguments: guestTable)
    func `a guest has the public records, and its own`(row: GuestRow) {
        var story = ControlStory()
        let entry = story.say(.publicAccess(row.access), by: ControlStory.owner)
        let account = ControlStory.accounts[3]
        let requests: [AccessRequest] = [
            .serve(.data, sealed: false), .write(.init(type: "t", name: "n", creator: nil)),
            .write(.init(type: "t", name: "n", creator: account)),
            .write(.init(type: "t", name: "n", creator: ControlStory.accounts[0])),
        ]
        let subjects: [(AccessSubject, [Bool])] = [
            (.world, row.world), (.guest(account), row.guest),
            (.device(ControlStory.devices[3][0].deviceID, of: account), row.known),
        ]
        for (subject, expected) in subjects {
            let decisions = requests.map {
                Authorisation.decide($0, by: subject, state: story.state, directory: story.directory, now: 5)
            }
            #expect(decisions.map { $0 == .allowed(under: entry) } == expected, "\(subject)")
        }
    }

    @Test func `a guest never rules, whatever is public`() {
        var story = ControlStory()
        story.say(.publicAccess(PublicAccess(world: .all, authenticated: .all, creator: .all)), by: ControlStory.owner)
        let requests: [AccessRequest] = [
            .administer(.publicAccess), .administer(.leave), .administer(.grant(Rights(.read))),
        ]
        for request in requests {
            let decision = Authorisation.decide(
                request,
                by: .guest(ControlStory.accounts[3]),
                state: story.state,
                directory: story.directory,
                now: 5
            )
            #expect(decision == .refused(.notParticipant), "\(request)")
        }
    }

    @Test func `an account ends rights that descend from its own`() {
        var story = ControlStory()
        let admin = story.grant(by: ControlStory.owner, to: 1, .admin)
        let child = story.grant(by: admin, to: 2)
        let state = story.state
        let rows: [(Int, Hash, AccessDecision)] = [
            (0, child.right, .allowed(under: .zero)), (1, child.right, .allowed(under: admin.right)),
            (1, admin.right, .refused(.notDescendant)), (2, child.right, .refused(.notDescendant)),
            (3, child.right, .refused(.notParticipant)),
        ]
        for (account, right, expected) in rows {
            let decision = Authorisation.decide(
                .administer(.revoke(right)),
                by: .device(ControlStory.devices[account][0].deviceID, of: ControlStory.accounts[account]),
                state: state,
                directory: story.directory,
                now: 0
            )
            #expect(decision == expected, "account \(account)")
        }
    }
}
