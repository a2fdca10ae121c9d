import Identity
import Records
import Sodium
import Wire

/// The relays for parcels to an account's devices, announced to the accounts with which it shares a zone: a record of
/// that zone.
///
/// | field | value |
/// |---|---|
/// | `account` | string: the account |
/// | a relay's id | bytes: a signature over the link, and the link with the pass for the zone, `RelayLink` without its prefix and check |
///
/// Only links that a device of the account itself has written are effective. The signature is a part of the value,
/// since several devices may state one each, and each shows its author. A write by another account makes readers
/// ignore the record, until it is stated again.
struct RelayAnnouncement: Equatable {
    /// The prefix of the names of the records.
    private static let namePrefix = "relays/"
    /// The number of relays that one account announces.
    static let relayCountMax = 8
    /// The number of values of a record that are considered: any member may add others, and each may cost the check of
    /// a signature.
    private static let valueCountMax = 2 * relayCountMax

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

    /// Reads a record; `nil` for another record, a deleted one, that of another account, and one in which another
    /// account has written.
    ///
    /// Where a device of another account had a part in the record, a link counts only if the device whose dot it has
    /// signed it for this record, and may write for the account now: the keys of a removed device sign anything.
    /// - Parameters:
    ///   - row: The record.
    ///   - account: The account, by its log.
    ///   - author: The device of an actor that writes in the zone.
    /// - Throws: `.damaged` when the stored bytes are no record's.
    init?(
        _ row: RecordRow,
        of account: AccountState,
        device author: (ActorID) -> DeviceID?
    ) throws(ReplicaError) {
        guard row.type == ReservedType.relays, !row.isDeleted else { return nil }
        let body = try row.content()
        let devices = account.devices
        guard body.string("account") == account.account.text,
            body.fields.allSatisfy({ field in
                field.entries.allSatisfy { entry in author(entry.dot.actor).map { devices[$0] != nil } ?? false }
            })
        else { return nil }
        let isItsWork = row.isWork(author) { devices[$0] != nil }
        let place = StatementPlace(row)
        var links: [RelayLink] = []
        var valueCount = 0
        for field in body.fields {
            guard let relay = RelayID(text: field.name) else { continue }
            for entry in field.entries {
                guard valueCount < Self.valueCountMax else { break }
                valueCount += 1
                guard let value = SignedLink(entry.value), value.link.relay == relay, !links.contains(value.link),
                    let device = author(entry.dot.actor)
                else { continue }
                let isGenuine =
                    isItsWork || account.standing(of: device) == .active(.full) && value.isSigned(in: place, by: device)
                if isGenuine { links.append(value.link) }
            }
        }
        assert(links.count <= valueCount, "each link is that of a value which was considered")
        self.account = account.account
        self.links = links.sorted { ($0.relay, $0.addresses.first ?? "") < ($1.relay, $1.addresses.first ?? "") }
    }

    /// The write that states it.
    /// - Parameters:
    ///   - place: The record.
    ///   - keys: The keys of the device that states it.
    /// - Returns: The write.
    func write(in place: StatementPlace, signedBy keys: DeviceIdentity) -> RecordWrite {
        .statement(
            Self.name(of: account),
            type: ReservedType.relays,
            [.init(field: "account", value: .string(account.text))]
                + links.map { .init(field: $0.relay.text, value: SignedLink($0, in: place, by: keys).value) }
        )
    }
}

/// The value of a field that announces a relay: a signature, and the link.
private struct SignedLink {
    let link: RelayLink
    private let signature: Signature64
    /// The link as it is signed.
    private let bytes: [UInt8]

    /// Signs a link for a record.
    init(_ link: RelayLink, in place: StatementPlace, by keys: DeviceIdentity) {
        self.link = link
        bytes = link.exportBytes()
        signature = place.signature(over: bytes, for: .relaysSignature, by: keys)
    }

    /// Reads a value; `nil` for one of another form.
    init?(_ value: FieldValue) {
        guard case .bytes(let bytes) = value, let signature = Signature64(bytes.prefix(Signature64.byteCount)) else {
            return nil
        }
        let signed = Array(bytes.dropFirst(Signature64.byteCount))
        guard let link = try? RelayLink(bytes: signed) else { return nil }
        (self.link, self.signature, self.bytes) = (link, signature, signed)
    }

    var value: FieldValue { .bytes(signature.bytes + bytes) }

    /// Whether a device has signed it for a record.
    func isSigned(in place: StatementPlace, by device: DeviceID) -> Bool {
        place.isSigned(bytes, signature, for: .relaysSignature, by: device)
    }
}
