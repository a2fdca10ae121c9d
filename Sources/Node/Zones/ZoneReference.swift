import Records
import Sync
import Wire

/// A reference to a zone as a program gives it.
///
/// Other accounts choose the names of their zones and of the containers these stand in. So the three forms never stand in for each
/// other: the form of an id is an id only, a slash makes a path, and a path names zones that this account has made and owns,
/// whatever names other accounts give theirs. A bare name means every zone that has it or whose id begins so, and
/// more than one is ambiguous.
enum ZoneReference: Equatable {
    /// Its id.
    case id(ZoneID)
    /// `CONTAINER/NAME`: a zone of this account.
    case path(container: String, name: String)
    /// The name of a zone, of any owner, or the beginning of its id.
    case name(String)

    /// The shortest beginning of an id that names a zone.
    static let characterCountMin = 8

    /// Reads a reference; every text is one.
    init(_ text: String) {
        if let id = ZoneID(text: text) {
            self = .id(id)
        } else if let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) {
            // By bytes: a combining mark behind the slash does not hide it.
            self = .path(
                container: String(Substring(text.utf8[..<slash])),
                name: String(Substring(text.utf8[text.utf8.index(after: slash)...]))
            )
        } else {
            self = .name(text)
        }
    }

    /// The zones of a store that a reference may name, of any account and of any state.
    ///
    /// A program states a reference with each request, so this must not grow with the zones of the store.
    /// - Parameter transaction: The store.
    /// - Returns: The rows, ascending, each once.
    /// - Throws: `StorageError`.
    /// - Complexity: O(found zones · log zones).
    func candidates(in transaction: some NodeTransaction) throws -> [ZoneRow] {
        switch self {
        case .id(let id):
            return try [transaction.zone(id)].compactMap(\.self)
        case .path(_, let name):
            return try transaction.zones(named: name)
        case .name(let name):
            let named = try transaction.zones(named: name)
            guard let range = Self.range(beginning: name) else { return named }
            let begun = try transaction.zones(in: range).filter { row in !named.contains { $0.id == row.id } }
            return (named + begun).sorted { $0.id < $1.id }
        }
    }

    /// The ids whose text begins so; nil for a text that is too short, or that no id begins with.
    private static func range(beginning text: String) -> ClosedRange<ZoneID>? {
        let beginning = text.lowercased()
        let missing = ZoneID.textCharacterCount - beginning.utf8.count
        if missing == 0, let id = ZoneID(text: beginning) { return id...id }
        guard beginning.utf8.count >= characterCountMin, missing > 0,
            let lower = ZoneID(text: beginning + String(repeating: "a", count: missing)),
            // The last character has four bits that no id uses.
            let upper = ZoneID(text: beginning + String(repeating: "7", count: missing - 1) + "q")
        else { return nil }
        return lower...upper
    }

    /// The zones that are meant: a deleted one only by its id.
    /// - Parameters:
    ///   - rows: The zones that the caller sees, at least those of ``candidates(in:)``.
    ///   - account: The account of this device.
    /// - Returns: The zones; one of them is meant if it is the only one.
    /// - Complexity: O(rows).
    func zones(among rows: [ZoneRow], of account: AccountID) -> [ZoneRow] {
        switch self {
        case .id(let id):
            return rows.filter { $0.id == id }
        case .path(let container, let name):
            let own = Self.live(rows, named: name).filter {
                $0.isMade(by: account) && $0.genesis.container.isBytewiseEqual(to: container)
            }
            let standard = own.filter(\.genesis.isDefault)
            return standard.isEmpty ? own : standard
        case .name(let name):
            let range = Self.range(beginning: name)
            return rows.filter { row in
                !row.isDeleted
                    && (row.genesis.name.isBytewiseEqual(to: name) || range.map { $0.contains(row.id) } ?? false)
            }
        }
    }

    /// The zones of others that a path would name if they were this account's.
    func foreignZones(among rows: [ZoneRow], of account: AccountID) -> [ZoneRow] {
        guard case .path(let container, let name) = self else { return [] }
        return Self.live(rows, named: name).filter {
            !$0.isMade(by: account) && $0.genesis.container.isBytewiseEqual(to: container)
        }
    }

    private static func live(_ rows: [ZoneRow], named name: String) -> [ZoneRow] {
        rows.filter { !$0.isDeleted && $0.genesis.name.isBytewiseEqual(to: name) }
    }
}

extension ZoneRow {
    /// Whether the account has made the zone, by itself, and owns it: then it has chosen its name.
    ///
    /// A zone that was transferred to the account got its name from another account, and in a pair zone the other one
    /// may have asked first.
    func isMade(by account: AccountID) -> Bool {
        genesis.owner == account && role == .owner && genesis.form != .pair
    }
}

extension NodeError {
    /// The error for a reference that no zone fits.
    /// - Parameters:
    ///   - reference: The text of the reference.
    ///   - foreign: The zones of other accounts that have this container and name.
    /// - Returns: `zoneUnknown`, with the ids of the others.
    static func zoneUnknown(_ reference: String, foreign: [ZoneRow]) -> NodeError {
        guard !foreign.isEmpty else {
            return NodeError(
                .zoneUnknown,
                "There is no zone \"\(reference)\".",
                fix: "`kairan zone ls` lists the zones; `kairan zone create` makes one."
            )
        }
        return NodeError(
            .zoneUnknown,
            "This account has made no zone \"\(reference)\"; CONTAINER/NAME names only zones of this account.",
            fix: "Name the other account's zone by its id.",
            facts: [.zones(foreign.map(\.id.text).sorted())]
        )
    }

    /// The error for a reference that more than one zone fits.
    /// - Parameters:
    ///   - reference: The text of the reference.
    ///   - found: The zones.
    ///   - account: The account of this device.
    /// - Returns: `zoneAmbiguous`, with the ids of all.
    static func zoneAmbiguous(_ reference: String, _ found: [ZoneRow], of account: AccountID) -> NodeError {
        let zones = found.sorted { $0.id < $1.id }
        let own = zones.filter { $0.isMade(by: account) }
        let names = zones.map { zone in
            zone.isMade(by: account)
                ? "\(zone.genesis.container)/\(zone.genesis.name) of this account"
                : "\(zone.id.text) of another one"
        }
        // Two zones of one container are distinguished by their ids alone.
        let isPathEnough = Set(own.map { BytewiseString($0.genesis.container) }).count == own.count
        return NodeError(
            .zoneAmbiguous,
            "\(zones.count) zones are named \"\(reference)\" or have an id that begins with it: \(names.joined(separator: ", ")).",
            fix: isPathEnough && !own.isEmpty
                ? "Name this account's own zone as CONTAINER/NAME, and another account's by its id."
                : "Name it by its id.",
            facts: [.zones(zones.map(\.id.text))]
        )
    }
}
