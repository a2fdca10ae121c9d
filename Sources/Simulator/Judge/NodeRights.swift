/// The rights in the zones of each node, as the judge's model has them.
///
/// They follow from the node's store and the accounts' logs that it holds, and are kept until one of the two changes.
struct NodeRights {
    /// The state of a process from which they follow.
    private struct Key: Equatable {
        var life: Int
        var database: UInt64
        var accounts: UInt64

        init(_ process: NodeProcess) {
            life = process.life
            database = process.node.disk.databaseRevision
            accounts = process.accountRevision
        }
    }

    private var known: [Int: (key: Key, zones: [RightsModel])] = [:]

    /// The rights in the zones of a process; `nil` where they are not known, or are those of an earlier state.
    subscript(process: NodeProcess) -> [RightsModel]? {
        get {
            guard let entry = known[process.node.index], entry.key == Key(process) else { return nil }
            return entry.zones
        }
        set {
            known[process.node.index] = newValue.map { (Key(process), $0) }
        }
    }
}
