/// The access that a route demands of the caller; each route states it in its declaration.
package enum RequiredAccess: String, Sendable, CaseIterable {
    /// The whole node: account, devices, pairing, peers.
    case admin
    /// To change records and zones of a container.
    case write
    /// To read records and zones of containers; the answer omits those of other containers.
    case read
    /// To be known at all; the answer says nothing about any container.
    case application
    /// Nothing, where the configuration lets strangers ask: they and applications get a bare answer.
    case anyone
}
