import Identity
import Records
import Sync
import Wire

// Public zones, and the requests of their guests.
extension Street {
    mutating func open(_ genesis: ZoneGenesis, to access: PublicAccess, by index: Int) throws {
        try change(index) { try ZoneSharing($0).setPublicAccess(access, zone: ZoneID(genesis), in: &$2) }
    }

    /// Requests writes; the outcome is in `settled` under the same number.
    mutating func ask(
        _ id: UInt64,
        _ writes: [RecordWrite],
        isAtomic: Bool = false,
        on index: Int,
        zone: ZoneID
    ) throws {
        let order = GuestOrder(
            id: id,
            zone: zone,
            isAtomic: isAtomic,
            writes: try writes.map { try $0.forGuest() },
            entries: homes[index].log.entries
        )
        try feed(.requestWrite(order), to: index)
    }

    /// Returns the refusals of each decided write; nil for one that was saved, and nil as a whole for requests that
    /// were not decided.
    func refusals(_ id: UInt64, on index: Int) -> [GuestResult.Refusal?]? {
        guard case .answered(.decided(let results))? = homes[index].settled[id] else { return nil }
        return results.map { if case .refused(let refusal) = $0 { refusal } else { nil } }
    }

    mutating func serve(_ write: GuestWrite, session: SessionID, on index: Int) throws {
        guard let other = homes[index].peers[session] else { return }
        let (device, account) = (homes[other].keys.deviceID, homes[other].log.account)
        let result = Result {
            var log = try homes[index].contacts[account] ?? AccountLog(of: account, entries: write.entries)
            _ = try log.insert(contentsOf: write.entries)
            let attempt = GuestAttempt(device: device, account: log.state, write: write)
            return try change(index) { try GuestWrites($0).serve(attempt, in: &$2) }.reply
        }
        try feed(
            .guestWriteServed(session, write.zone, number: write.number, GuestAnswer.Outcome(result)),
            to: index
        )
    }
}
