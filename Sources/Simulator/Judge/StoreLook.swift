package import Capabilities
package import Identity
package import Sync
package import Wire

/// A store at rest, as the judge sees it for the expensive checks.
package struct StoreLook {
    /// The node's index.
    package var node: Int
    /// Its device.
    package var device: DeviceID
    /// The time of the look, in simulated milliseconds.
    package var time: UInt64
    /// The store.
    package var store: MemoryStore
    /// The state by the node's account log; `nil` while a change of it may not have taken effect yet.
    package var account: AccountState?
    /// The states of all accounts that the node knows; empty where all devices belong to one.
    package var accounts = KnownAccounts()
    /// The node's resolution of a zone's control log; `nil` where no process runs.
    package var controlState: ((ZoneID) throws -> ControlState)?
    /// The nodes that can deliver operations of a zone to this one, including itself, for each zone in which not all
    /// members can.
    package var circles: [ZoneID: Set<Int>] = [:]
    /// The nodes that are switched off, and deliver nothing.
    package var off: Set<Int> = []
    /// The shared zones that its account may read by the operations of all members together; `nil` where that was not
    /// computed.
    package var readable: Set<ZoneID>?

    /// A store at rest.
    /// - Parameters: as the properties of the same names.
    package init(node: Int, device: DeviceID, time: UInt64, store: MemoryStore, account: AccountState?) {
        self.node = node
        self.device = device
        self.time = time
        self.store = store
        self.account = account
    }

    /// The store of a node at rest; `nil` where its disk is gone.
    init?(at node: SimulatedNode) {
        guard let store = node.store else { return nil }
        let simulation = node.simulation
        self.init(
            node: node.index,
            device: node.device,
            time: simulation.now,
            store: store,
            account: node.process?.log.state
        )
        off = Set(simulation.nodes.filter { !$0.isRunning }.map(\.index))
        guard let process = node.process else { return }
        if simulation.hasSeveralAccounts { accounts = process.accounts }
        controlState = { try ZoneViews(process.committer()).controlState($0, in: store) }
    }

    func violation(_ invariant: Invariant, _ text: String) -> Violation {
        Violation(invariant, time: time, node: node, text)
    }
}
