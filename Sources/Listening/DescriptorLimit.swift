import Glibc

/// The number of descriptors that the system gives this process.
package enum DescriptorLimit {
    /// The present number; `nil` when the system does not report it.
    package static var present: UInt64? { limits.map { UInt64($0.rlim_cur) } }

    /// Raises the limit that a shell or a service manager has set for programs that use `select` to the highest one that
    /// this process may have.
    /// - Returns: The limit from now on; `nil` when the system does not report it.
    @discardableResult
    package static func raise() -> UInt64? {
        guard var limits, limits.rlim_cur < limits.rlim_max else { return present }
        limits.rlim_cur = limits.rlim_max
        // If this fails, the daemon runs with the present limit.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        return present
    }

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 ? limits : nil
    }
}
