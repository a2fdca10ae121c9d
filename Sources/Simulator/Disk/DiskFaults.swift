/// The faults of a disk.
package struct DiskFaults: Sendable {
    /// Whether there is no room: nothing can be written, but reading continues.
    package var isFull = false
    /// The number of further writes that fail.
    package var failingWrites = 0
    /// The number of further syncs that fail; the data of a failed one may be found later nevertheless.
    package var failingSyncs = 0
    /// The number of further reads that fail.
    package var failingReads = 0
    /// The number of operations after which the machine loses its power: in the middle of the next one.
    package var operationsUntilPowerLoss: Int?
    /// The number of operations after which one fails.
    package var operationsUntilFailure: Int?

    /// Creates the state of a disk without faults.
    package init() {}
}
