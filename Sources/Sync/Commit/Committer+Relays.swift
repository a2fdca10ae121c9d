import Capabilities
import Identity
import Mailbox
import Records
package import Wire

// The relays in use, by this account and by those with which it shares zones.
extension Committer {
    /// The maximum number of relays of other accounts that are considered: an announcement must not multiply them.
    private static let announcedRelayCountMax = 32

    /// Announces in a zone where the account's devices look for parcels.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: As ``commit(_:zone:in:)``.
    package func announceRelays(in zone: ZoneID, _ transaction: inout some NodeTransaction) throws -> CommitNotice {
        let wanted = wantedAnnouncement(try relays(transaction).map(\.link), in: zone)
        return try commit([WriteRequest([wanted.write])], zone: zone, in: &transaction).notice
    }

    private func wantedAnnouncement(_ links: [RelayLink], in zone: ZoneID) -> RelayAnnouncement {
        RelayAnnouncement(account: account.account, links: links.map { $0.pass(for: zone) })
    }

    /// Whether this device may write the announcement, and only the zone's members read it.
    private func mayAnnounceRelays(in zone: ZoneRow, _ authority: ZoneAuthority) -> Bool {
        guard mayWrite, !authority.isPublic, case .epoch = zone.sealing else { return false }
        switch zone.role {
        case .owner: return true
        case .participant(let scope):
            return scope.level >= .write && scope.caveats.allows(type: ReservedType.relays)
                && scope.caveats.allows(name: RelayAnnouncement.name(of: account.account))
                && (try? scope.caveats.checkTime(wallMilliseconds)) != nil
        case .unknown, .ended: return false
        }
    }

    /// Reads an account's announcement in a zone; `nil` where there is none, or another account has written in the
    /// record.
    private func announcement(
        of account: AccountID,
        in zone: ZoneID,
        _ transaction: some NodeTransaction
    ) throws -> RelayAnnouncement? {
        let tag = try Replica.tag(of: RelayAnnouncement.name(of: account), zone: zone, in: transaction)
        guard let row = try transaction.record(zone: zone, tag: tag) else { return nil }
        let author = try authors(in: zone, transaction)
        let stated = try RelayAnnouncement(row) { actor, account in
            author(actor).map { accounts[account]?.devices[$0] != nil } ?? false
        }
        return stated?.account == account ? stated : nil
    }

    /// Returns the relays on which parcels can be left, and the accounts that they can be left for.
    /// - Parameter transaction: The store.
    /// - Returns: The facts.
    /// - Throws: Any error of the store.
    /// - Complexity: O(control operations) of the zones of several accounts, and O(accounts) for each.
    package func mailFacts(in transaction: some NodeTransaction) throws -> MailFacts {
        let links = try relays(transaction).map(\.link)
        var facts = MailFacts(
            relays: links.map { MailRelay(links: [$0], isOwn: true, accounts: [account.account]) }
        )
        let blocked = Set(try blocked(transaction).map(\.account))
        for authority in try authorities(transaction) {
            let others = authority.parties.subtracting(blocked).subtracting([account.account]).sorted()
            guard !others.isEmpty, let zone = try transaction.zone(authority.zone), zone.state == .live,
                takesPart(in: zone)
            else { continue }
            for other in others { facts.zones[other, default: []].append(zone.id) }
            let own = try announcement(of: account.account, in: zone.id, transaction)
            if let own { facts.add(own, for: others) }
            // An account without relays has nothing to announce where it has announced none.
            let wanted = wantedAnnouncement(links, in: zone.id)
            if own != wanted, own != nil || !links.isEmpty, mayAnnounceRelays(in: zone, authority) {
                facts.unannounced.append(zone.id)
            }
            for other in others {
                if let stated = try announcement(of: other, in: zone.id, transaction) {
                    facts.add(stated, room: Self.announcedRelayCountMax)
                }
            }
        }
        for index in facts.relays.indices {
            facts.relays[index].passes = Array(Set(facts.relays[index].passes).sorted().prefix(Limits.passCountMax))
        }
        return facts
    }

    private func takesPart(in zone: ZoneRow) -> Bool {
        switch zone.role {
        case .owner, .participant: true
        case .unknown, .ended: false
        }
    }
}

extension MailFacts {
    /// Adds the accounts to which this account has announced its relays.
    fileprivate mutating func add(_ own: RelayAnnouncement, for others: [AccountID]) {
        for link in own.links {
            guard let index = relays.firstIndex(where: { $0.isOwn && $0.links.first?.relay == link.relay }) else {
                continue
            }
            relays[index].accounts.formUnion(others)
            relays[index].passes.append(AdmissionID(secret: link.admissionSecret))
        }
    }

    /// Adds another account's announcement.
    fileprivate mutating func add(_ stated: RelayAnnouncement, room: Int) {
        for link in stated.links {
            if let index = relays.firstIndex(where: { $0.links.first?.relay == link.relay }) {
                relays[index].accounts.insert(stated.account)
                let isNew = !relays[index].isOwn && !relays[index].links.contains(link)
                if isNew, relays[index].links.count < room { relays[index].links.append(link) }
            } else if relays.count(where: { !$0.isOwn }) < room {
                relays.append(MailRelay(links: [link], isOwn: false, accounts: [stated.account]))
            }
        }
    }
}
