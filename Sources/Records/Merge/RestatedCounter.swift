import Sodium
import Wire

/// The increments that an actor made to counters on one history of its forked log, under a separate actor name.
///
/// A counter keeps one total per actor, and two histories of one actor have two totals. So the increments behind the
/// fork are restated as the part of an actor that never writes. Its name is derived from the forked actor and the
/// first leaf of the history, so it is the same for every replica that restates that history, and the increments are
/// counted once however often they are restated.
struct RestatedCounter {
    /// The forked actor.
    let actor: ActorID
    /// The number of effective leaves.
    let size: UInt64
    /// The actor that stands for this history.
    let branch: ActorID

    /// - Parameters:
    ///   - actor: The forked actor.
    ///   - size: The size at which its log ends.
    ///   - leaf: The hash of the first leaf behind that, in this history.
    init(actor: ActorID, size: UInt64, leaf: Hash) {
        self.actor = actor
        self.size = size
        branch = ActorID(digesting: .forkActor, actor.bytes + leaf.bytes)
    }

    /// A body with its counters restated.
    /// - Parameters:
    ///   - body: The body of an operation behind the fork.
    ///   - earlier: The effective parts of the forked actor, by field.
    /// - Returns: The body, with the actor's increments before the fork under its own name, and the rest under the
    ///   name of the history.
    func restated(_ body: RecordBody, earlier: [BytewiseString: CounterState.Entry]) -> RecordBody {
        let fields = body.fields.map { field in
            let base = earlier[BytewiseString(field.name)]
            let entries = field.entries.map { entry in
                guard case .counter(let state) = entry.value else { return entry }
                var entry = entry
                entry.value = .counter(restated(state, base: base))
                return entry
            }
            return RecordField(name: field.name, entries: entries)
        }
        return RecordBody(
            name: body.name,
            type: body.type,
            isDeleted: body.isDeleted,
            parent: body.parent,
            creator: body.creator,
            modifier: body.modifier,
            fields: fields,
            unknownExtension: body.unknownExtension
        )
    }

    private func restated(_ state: CounterState, base: CounterState.Entry?) -> CounterState {
        guard let own = state.entries.first(where: { $0.actor == actor && $0.counter > size }) else { return state }
        var entries = state.entries.filter { $0.actor != actor && $0.actor != branch }
        if let base { entries.append(base) }
        entries.append(
            CounterState.Entry(
                actor: branch,
                counter: own.counter | CounterState.restatedCounterMin,
                total: own.total &- (base?.total ?? 0)
            )
        )
        assert(Set(entries.map(\.actor)).count == entries.count, "a counter has one total of each actor")
        return CounterState(entries: entries)
    }

    /// The effective parts of the forked actor, by field: of several the newest.
    func earlier(in siblings: [Sibling]) -> [BytewiseString: CounterState.Entry] {
        var found: [BytewiseString: CounterState.Entry] = [:]
        for field in siblings.lazy.flatMap(\.body.fields) {
            for case .counter(let state) in field.entries.lazy.map(\.value) {
                for part in state.entries where part.actor == actor && part.counter <= size {
                    let name = BytewiseString(field.name)
                    if found[name].map({ $0.counter < part.counter }) ?? true { found[name] = part }
                }
            }
        }
        return found
    }
}
