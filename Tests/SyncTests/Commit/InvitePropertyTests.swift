import Capabilities
import Identity
import Records
import Sync
import TestSupport
import Testing
import Wire

@Suite("Invitations, at random")
struct InvitePropertyTests {
    /// The inviting account's devices, the others', and the invitations, distinguished by the reach of their
    /// capabilities.
    private struct World {
        var neighbours: Neighbours
        var zone: ZoneID
        var invites: [Invite] = []
        /// Requests that the granting device has denied before it granted anything.
        var denied: Set<Redemption.ID> = []
        let hosts = 0..<3
        let joiners = 3..<9

        init(seed: UInt64) throws {
            neighbours = try Neighbours([3, 2, 2, 1, 1], seed: seed)
            zone = try neighbours.zone(of: 0)
            for index in 0..<4 {
                let maker = below(3)
                invites.append(
                    try neighbours.invite(
                        caveats: Caveats(namePrefix: "\(index)/"),
                        uses: UInt32(1 + below(3)),
                        needsApproval: index == 3,
                        by: maker,
                        zone: zone
                    )
                )
            }
        }

        mutating func below(_ bound: Int) -> Int { Int(neighbours.random.next() % UInt64(bound)) }

        /// The device that made an invitation.
        func maker(_ invite: Invite) -> Int {
            hosts.first { neighbours.homes[$0].keys.deviceID == invite.maker } ?? 0
        }

        /// Returns every account to which any device has seen a capability of an invitation granted, also if it
        /// ended.
        func holders(of index: Int) throws -> Set<AccountID> {
            try hosts.reduce(into: []) { holders, host in
                let state = try neighbours.controlState(zone, on: host)
                for record in state.capabilities.values where record.capability.caveats.namePrefix == "\(index)/" {
                    holders.insert(record.capability.audience)
                }
            }
        }

        mutating func step() throws {
            let invite = invites[below(invites.count)]
            let host = below(3)
            let other = (host + 1 + below(2)) % 3
            switch below(12) {
            case 0...4: try redeem(invite, from: joiners.lowerBound + below(joiners.count), at: host)
            case 5, 6: try neighbours.pullBook(from: host, to: other)
            case 7: try neighbours.pull(zone, from: host, to: other)
            case 8: try neighbours.settle(host)
            case 9: try judge(host)
            case 10 where below(4) == 0:
                guard try neighbours.state(of: invite, on: host) != nil else { return }
                try neighbours.change(host) { _ = try Invitations($0).withdraw(invite.identifier, in: &$2) }
            case 10: neighbours.homes[host].wall += UInt64(below(2)) * 43_200_000
            default:
                let account = neighbours.account(1 + below(4))
                let isBlock = below(2) == 0
                try neighbours.change(host) {
                    _ = try isBlock ? Blocklist($0).block(account, in: &$2) : Blocklist($0).unblock(account, in: &$2)
                }
            }
        }

        mutating func redeem(_ invite: Invite, from joiner: Int, at host: Int) throws {
            let outcome = try neighbours.redeem(invite, from: joiner, at: host)
            guard let capability = outcome.capability else { return }
            let state = try neighbours.controlState(zone, on: host)
            let account = neighbours.account(neighbours.homes[joiner].account)
            #expect(state.status(of: capability) == .live && state.account(of: capability) == account)
            #expect(try !Blocklist(neighbours.committer(host)).contains(account, in: neighbours.homes[host].store))
        }

        /// Lets a person approve or deny the first request that a device shows.
        mutating func judge(_ host: Int) throws {
            guard let request = try neighbours.requests(on: host).first else { return }
            if below(3) > 0 {
                _ = try neighbours.change(host) { try Redemptions($0).approve(request.id, random: &$1, in: &$2) }
            } else {
                try neighbours.change(host) { _ = try Redemptions($0).deny(request.id, in: &$2) }
                let invite = invites.first { $0.identifier == request.id.invite }
                if let invite, maker(invite) == host { denied.insert(request.id) }
            }
        }

        func check() throws {
            for (index, invite) in invites.enumerated() {
                let holders = try holders(of: index)
                #expect(holders.count <= Int(invite.terms.uses), "invitation \(index)")
                let refused = denied.filter { $0.invite == invite.identifier }.map(\.account)
                #expect(holders.isDisjoint(with: refused), "invitation \(index)")
            }
        }

        /// Settles all requests: when all devices know the same, accounts are admitted as far as there is room.
        mutating func settleAll() throws {
            try neighbours.exchangeBook(among: Array(hosts))
            for account in 1...4 {
                let account = neighbours.account(account)
                try neighbours.change(0) { _ = try Blocklist($0).unblock(account, in: &$2) }
            }
            try neighbours.exchangeBook(among: Array(hosts))
            for host in hosts { try neighbours.settle(host) }
            try neighbours.exchangeBook(among: Array(hosts))
            try neighbours.exchange(zone, among: Array(hosts))
            for (index, invite) in invites.enumerated() {
                let maker = maker(invite)
                let isOpen = try neighbours.state(of: invite, on: maker) == .open
                for joiner in joiners { try redeem(invite, from: joiner, at: maker) }
                let refused = Set(denied.filter { $0.invite == invite.identifier }.map(\.account))
                guard isOpen, !invite.terms.needsApproval, refused.isEmpty else { continue }
                let others = try neighbours.state(of: invite, on: maker)
                #expect(others == .spent || neighbours.logs.count - 1 <= Int(invite.terms.uses), "invitation \(index)")
            }
        }
    }

    @Test(arguments: 1...40)
    func `no invitation admits more accounts than its uses, in any order of exchanges`(seed: Int) throws {
        var world = try World(seed: UInt64(seed))
        for _ in 0..<60 {
            try world.step()
            try world.check()
        }
        try world.settleAll()
        try world.check()
    }
}
