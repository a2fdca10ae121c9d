/// The state of the machine and of this process, as the kernel reports it; nil where it does not.
package struct MachineFacts: Hashable, Sendable {
    /// The service manager's confinement of the process.
    package enum Confinement: Hashable, Sendable {
        /// No service manager has started it.
        case byHand
        /// One has.
        /// - Parameters:
        ///   - gainsNoPrivileges: Whether a program that it starts could gain none.
        ///   - filtersCalls: Whether system calls are filtered.
        case service(gainsNoPrivileges: Bool, filtersCalls: Bool)
    }

    /// Bytes that this process may still write to the state directory's file system.
    package var freeByteCount: UInt64?
    /// Bytes of that file system.
    package var byteCount: UInt64?
    /// Descriptors in use.
    package var descriptorCount: UInt64?
    /// Descriptors that the process may have.
    package var descriptorLimit: UInt64?
    /// The service manager's confinement of the process.
    package var confinement: Confinement?

    /// Knows nothing.
    package init() {}
}

/// Reads the facts of the machine; implemented by the daemon.
package protocol MachinePort: Sendable {
    /// Reads them now.
    func facts() -> MachineFacts
}

/// A machine of which nothing is known.
package struct UnknownMachine: MachinePort {
    /// Makes one.
    package init() {}

    /// See ``MachinePort``.
    package func facts() -> MachineFacts { MachineFacts() }
}
