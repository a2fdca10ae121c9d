package import Capabilities
package import Identity
package import Sync
package import Wire

/// A store at rest, as the judge is shown it for the dear checks.
package struct StoreLook {
    /// Which node.
    package var node: Int
    /// Its device.
    package var device: DeviceID
    /// When, in simulated milliseconds.
    package var time: UInt64
    /// The store.
    package var store: MemoryStore
    /// What the node's account log says; nil while a change of it may not have taken effect yet.
    package var account: AccountState?
    /// What the logs of all accounts say that the node knows; empty where all devices belong to one.
    package var accounts = KnownAccounts()
    /// What the node makes of a zone's control log; nil where no process runs.
    package var controlState: ((ZoneID) throws -> ControlState)?
    /// The nodes that can hand something over to it, itself among them; `nil` for all.
    package var circle: Set<Int>?
    /// The nodes that are switched off: they hand nothing over.
    package var off: Set<Int> = []
    /// The shared zones that its account may read by what all members hold together; `nil` where nobody has looked.
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

    func violation(_ invariant: Invariant, _ text: String) -> Violation {
        Violation(invariant, time: time, node: node, text)
    }
}
