import Identity
import Records
import Wire

/// The relays for parcels to an account's devices, announced to the accounts with which it shares a zone: a record of
/// that zone.
///
/// | field | value |
/// |---|---|
/// | `account` | string: the account |
/// | a relay's id | bytes: its link with the pass for the zone, `RelayLink` without its prefix and check |
///
/// It is signed like all writes of a device, and only writes by devices of the account itself are effective. A write
/// by another account makes readers ignore the record, until it is stated again.
struct RelayAnnouncement: Equatable {
    /// The prefix of the names of the records.
    private static let namePrefix = "relays/"
    /// The number of relays that one account announces.
    static let relayCountMax = 8

    /// The account that states it.
    let account: AccountID
    /// Its relays, ascending; of one that several of its devices stated apart from each other, each of the links.
    let links: [RelayLink]

    /// The name of an account's record.
    static func name(of account: AccountID) -> String { namePrefix + account.text }

    /// States relays.
    /// - Parameters:
    ///   - account: The account whose devices look there.
    ///   - links: The links, with the passes of the zone; those beyond ``relayCountMax`` are left out.
    init(account: AccountID, links: [RelayLink]) {
        self.account = account
        self.links = links.prefix(Self.relayCountMax).sorted { $0.relay < $1.relay }
    }

    /// Reads a record; `nil` for another record, a deleted one, and one in which another account has written.
    /// - Parameters:
    ///   - row: The record.
    ///   - isOwn: Whether an actor that writes in the zone is of an account.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    init?(_ row: RecordRow, isOwn: (ActorID, AccountID) -> Bool) throws(ReplicaError) {
        guard row.type == ReservedType.relays, !row.isDeleted else { return nil }
        let body = try row.content()
        guard let account = body.string("account").flatMap(AccountID.init(text:)),
            body.fields.allSatisfy({ $0.entries.allSatisfy { isOwn($0.dot.actor, account) } })
        else { return nil }
        var links: [RelayLink] = []
        for field in body.fields {
            guard let relay = RelayID(text: field.name) else { continue }
            for entry in field.entries where links.count < 2 * Self.relayCountMax {
                guard case .bytes(let bytes) = entry.value, let link = try? RelayLink(bytes: bytes), link.relay == relay
                else { continue }
                links.append(link)
            }
        }
        self.account = account
        self.links = links.sorted { ($0.relay, $0.addresses.first ?? "") < ($1.relay, $1.addresses.first ?? "") }
    }

    /// The write that states it.
    var write: RecordWrite {
        RecordWrite(
            name: Self.name(of: account),
            type: ReservedType.relays,
            set: [.init(field: "account", value: .string(account.text))]
                + links.map { .init(field: $0.relay.text, value: .bytes($0.exportBytes())) },
            replaceAll: true,
            resolve: true
        )
    }
}
