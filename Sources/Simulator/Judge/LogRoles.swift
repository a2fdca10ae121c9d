import Capabilities
import Records
import Sync
import Wire

/// The roles of the authors of a zone's logs, as a store has them, and the schema that all of them
/// follow.
///
/// Whether the store is right about them is checked by ``RightsLaw``.
struct LogRoles {
    private let production: ProductionSchema?
    private var byActor: [ActorID: LogRole] = [:]

    /// The roles in the data logs of a zone.
    init(_ reaches: [LogKey: LogReach], _ production: ProductionSchema?) {
        self.production = production
        for (key, reach) in reaches where key.lane == .data { byActor[key.actor] = reach.role }
    }

    /// The roles in all logs of a zone.
    ///
    /// An actor has one right, so one role in both lanes. A store that received a log with gaps may not have received any
    /// part of the data log yet that supersedes what the gaps stand for.
    init(in zone: ZoneID, _ store: MemoryStore) throws {
        production = try store.zone(zone)?.productionSchema()
        for row in try store.logs(zone: zone) where row.key.lane == .data || byActor[row.key.actor] == nil {
            byActor[row.key.actor] = row.role
        }
    }

    subscript(actor: ActorID) -> LogRole? { byActor[actor] }

    /// Whether the author of an operation may make it.
    func admit(_ entry: OperationLibrary.Entry, at place: OperationLibrary.Place) -> Bool {
        guard let body = entry.body else { return false }
        // A write that names an effective promotion must comply with all promotions together.
        if let production, production.promotions.contains(entry.operation.header.controlHeads),
            !production.schema.violations(of: body, by: place.dot).isEmpty
        {
            return false
        }
        switch byActor[place.key.actor] ?? .unknown {
        case .owner: return true
        case .unknown, .ended: return false
        case .participant(let scope):
            let isReached =
                (scope.caveats.recordTypes.isEmpty || scope.caveats.recordTypes.contains(body.type))
                && body.name.hasPrefix(scope.caveats.namePrefix)
            return isReached && isWithinLevel(entry.operation.header, scope, at: place)
        }
    }

    /// Whether the author of an unreadable operation may make it, provided its type and name are allowed.
    func admit(unread header: OperationHeader, at place: OperationLibrary.Place) -> Bool {
        switch byActor[place.key.actor] ?? .unknown {
        case .owner: true
        case .unknown, .ended: false
        case .participant(let scope): isWithinLevel(header, scope, at: place)
        }
    }

    /// Whether a store may regard an operation as effective.
    ///
    /// For an operation that no device here can read, the header decides.
    func admit(_ entry: OperationLibrary.Entry, at place: OperationLibrary.Place, in store: MemoryStore) -> Bool {
        entry.isUnread(in: store) ? admit(unread: entry.operation.header, at: place) : admit(entry, at: place)
    }

    /// Whether an operation is within a level: an author that may only add has seen nothing of the record but its
    /// account's own writes.
    private func isWithinLevel(
        _ header: OperationHeader,
        _ scope: WriteScope,
        at place: OperationLibrary.Place
    ) -> Bool {
        if scope.level >= .write { return true }
        guard scope.level >= .append else { return false }
        return header.vector.entries.allSatisfy { dot in
            if dot.actor == place.key.actor { return true }
            guard case .participant(let other)? = byActor[dot.actor] else { return false }
            return other.account == scope.account
        }
    }
}

extension OperationLibrary.Entry {
    /// Whether the operation is sealed under a key that is not open in a store.
    func isUnread(in store: MemoryStore) -> Bool {
        let epoch = operation.header.epoch
        return !epoch.isZero && store.keyring.key(epoch) == nil
    }
}
