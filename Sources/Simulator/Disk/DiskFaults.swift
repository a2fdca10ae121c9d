/// What a disk does wrong.
package struct DiskFaults: Sendable {
    /// Whether there is no room: nothing can be written, reading goes on.
    package var isFull = false
    /// How many writes still fail.
    package var failingWrites = 0
    /// How many waits for the disk still fail; what was written may be there later all the same.
    package var failingSyncs = 0
    /// How many reads still fail.
    package var failingReads = 0
    /// After how many operations the machine loses its power: in the middle of the next one.
    package var operationsUntilPowerLoss: Int?
    /// After how many operations one fails.
    package var operationsUntilFailure: Int?

    /// A disk that works.
    package init() {}
}
