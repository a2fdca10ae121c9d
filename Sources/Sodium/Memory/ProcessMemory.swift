internal import CSodium

/// The protection of this process's memory, which contains keys.
package enum ProcessMemory {
    /// Keeps the memory out of core dumps, and out of reach of debuggers that are not root's.
    /// - Returns: Whether both worked; where one does not, a daemon may run all the same.
    package static func protect() -> Bool {
        let hasNoDumps = kairan_forbid_core_dumps() == 0
        // A limit of 0 does not bind a core dump that goes to a program (core_pattern with a pipe); this does.
        let isOutOfReach = kairan_set_dumpable(0) == 0
        return hasNoDumps && isOutOfReach
    }

    /// Whether the system would dump the memory, or let other processes of the same user read it.
    package static var isWithinReach: Bool { kairan_get_dumpable() != 0 }
}
