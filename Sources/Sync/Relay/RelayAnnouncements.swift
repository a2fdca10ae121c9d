import Capabilities
import Identity
import Mailbox
import Records
package import Wire

/// The relays in use, by this account and by those with which it shares zones.
package struct RelayAnnouncements: Sendable {
    /// The maximum number of relays of other accounts that are considered: an announcement must not multiply them.
    private static let relayCountMax = 32

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Announces in a zone where the account's devices look for parcels.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: As ``Committer/commit(_:zone:in:)``.
    package func announce(in zone: ZoneID, _ transaction: inout some NodeTransaction) throws -> CommitNotice {
        let wanted = wantedAnnouncement(try RelayUses(committer).all(transaction).map(\.link), in: zone)
        let tag = try RecordTag(of: RelayAnnouncement.name(of: wanted.account), zone: zone, in: transaction)
        let write = wanted.write(in: StatementPlace(zone: zone, tag: tag), signedBy: committer.keys)
        return try committer.commit([WriteRequest([write])], zone: zone, in: &transaction).notice
    }

    private func wantedAnnouncement(_ links: [RelayLink], in zone: ZoneID) -> RelayAnnouncement {
        RelayAnnouncement(account: committer.account.account, links: links.map { $0.pass(for: zone) })
    }

    /// Whether this device may write the announcement, and only the zone's members read it.
    private func mayAnnounce(in zone: ZoneRow, _ authority: ZoneAuthority) -> Bool {
        guard committer.mayWrite, !authority.isPublic, case .epoch = zone.sealing else { return false }
        switch zone.role {
        case .owner: return true
        case .participant(let scope):
            return scope.level >= .write && scope.caveats.allows(type: ReservedType.relays)
                && scope.caveats.allows(name: RelayAnnouncement.name(of: committer.account.account))
                && (try? scope.caveats.checkTime(committer.wallMilliseconds)) != nil
        case .unknown, .ended: return false
        }
    }

    /// Reads an account's announcement in a zone; `nil` where there is none, another account has written in the record,
    /// or the account is not known here.
    private func announcement(
        of account: AccountID,
        in zone: ZoneID,
        _ transaction: some NodeTransaction
    ) throws -> RelayAnnouncement? {
        let tag = try RecordTag(of: RelayAnnouncement.name(of: account), zone: zone, in: transaction)
        guard let state = committer.accounts[account], let row = try transaction.record(zone: zone, tag: tag) else {
            return nil
        }
        return try RelayAnnouncement(row, of: state, device: MessageRecords(committer).authors(in: zone, transaction))
    }

    /// Returns the relays on which parcels can be left, and the accounts that they can be left for.
    /// - Parameter transaction: The store.
    /// - Returns: The facts.
    /// - Throws: Any error of the store.
    /// - Complexity: O(control operations) of the zones of several accounts, and O(accounts) for each.
    package func facts(in transaction: some NodeTransaction) throws -> MailFacts {
        let links = try RelayUses(committer).all(transaction).map(\.link)
        var facts = MailFacts(
            relays: links.map { MailRelay(links: [$0], isOwn: true, accounts: [committer.account.account]) }
        )
        let blocked = Set(try Blocklist(committer).all(transaction).map(\.account))
        for authority in try ZoneViews(committer).authorities(transaction) {
            let others = authority.parties.subtracting(blocked).subtracting([committer.account.account]).sorted()
            guard !others.isEmpty, let zone = try transaction.zone(authority.zone), zone.state == .live,
                takesPart(in: zone)
            else { continue }
            for other in others { facts.zones[other, default: []].append(zone.id) }
            let own = try announcement(of: committer.account.account, in: zone.id, transaction)
            if let own { facts.add(own, for: others) }
            // An account without relays has nothing to announce where it has announced none.
            let wanted = wantedAnnouncement(links, in: zone.id)
            if own != wanted, own != nil || !links.isEmpty, mayAnnounce(in: zone, authority) {
                facts.unannounced.append(zone.id)
            }
            for other in others {
                if let stated = try announcement(of: other, in: zone.id, transaction) {
                    facts.add(stated, room: Self.relayCountMax)
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
