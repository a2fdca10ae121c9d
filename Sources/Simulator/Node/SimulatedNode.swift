import Identity
import Records
import Session
package import Sync
package import Wire

/// A machine with its disk and its clocks, and the process that runs on it.
///
/// Only the disk survives the process.
package final class SimulatedNode {
    /// Its index among the machines.
    package let index: Int
    /// Its disk.
    package let disk: VirtualDisk
    /// The files that other programs keep on it, which no fault of the disk with its store touches.
    let linkedFiles = MemoryLinkedFiles()
    /// The account that its device belongs to.
    package internal(set) var accountID: AccountID
    unowned let simulation: Simulation
    /// The node's own source of randomness.
    var random: SeededGenerator
    /// The number of its processes so far; events of an earlier one are dropped.
    package internal(set) var life = 0
    /// The process; `nil` while none runs.
    package internal(set) var process: NodeProcess?
    /// Whether the machine is on; a machine without power does not even refuse connections.
    package internal(set) var isPowered = true
    /// The error of the wall clock, in milliseconds.
    package internal(set) var wallOffset: Int64 = 0
    /// Whether the device has started before: then its keys were there.
    var hasStarted = false
    /// Its misdeed in answers to requests for payloads and live sets.
    var misdeed: Misdeed?
    /// The keys of the devices to which it seals something other than the given secrets.
    var deceived: Set<[UInt8]> = []
    /// The number of steps of joining after which the machine loses its power.
    var joiningStepsUntilPowerLoss: Int?
    /// The time at which the process began; for the count of simulated time.
    var startedAt: UInt64 = 0

    init(index: Int, disk: VirtualDisk, account: AccountID, simulation: Simulation, seed: UInt64) {
        self.index = index
        accountID = account
        self.disk = disk
        self.simulation = simulation
        random = SeededGenerator(seed: seed)
    }

    // MARK: Facts

    /// The device by its keys; a clone is the same device.
    package var device: DeviceID { disk.keys.device.keys.deviceID }

    /// The account's secrets, as the machine has them.
    var keyring: AccountKeyring { process?.keyring ?? ProcessAccount.keyring(on: disk) }

    /// Whether a process runs.
    package var isRunning: Bool { process != nil }

    /// The database as applications see it; `nil` when there is none.
    package var store: MemoryStore? { disk.database }

    /// The wall clock, in milliseconds since 1970.
    package var wallMilliseconds: UInt64 {
        let time = Int64(Simulation.wallStart + simulation.now) + wallOffset
        return UInt64(max(time, 0))
    }

    /// The versions of the channel that its program speaks.
    ///
    /// Every second machine has an old program, except where disks are copied: of two machines with one device, one
    /// might be older than a version that was spoken with the other.
    var agreement: ChannelAgreement {
        let isOld = simulation.options.hasOldPrograms && !simulation.options.allows(.clone)
        return isOld && !index.isMultiple(of: 2) && life <= 1 ? .classical : .hybrid(StandInEncapsulation())
    }

    /// Makes a step of joining; the power may be lost between any two.
    func countJoiningStep() throws {
        guard let left = joiningStepsUntilPowerLoss else { return }
        joiningStepsUntilPowerLoss = left > 0 ? left - 1 : nil
        if left == 0 { throw PowerLoss(node: index) }
    }

    /// Sets the wall clock.
    package func setWallOffset(_ milliseconds: Int64) {
        simulation.judge.clockTurns(on: self)
        wallOffset = milliseconds
        if isRunning { simulation.discovery.repeatAnnouncement(self) }
    }
}

/// The reason why a node refuses a request of an application.
package enum NodeRefusal: Error, Equatable, Sendable {
    /// No process runs.
    case notRunning
    /// Too many jobs wait.
    case busy
    /// The token is of another feed, or ahead of this one: read from the beginning.
    case tokenExpired
    /// The device does not exist, or is this very one.
    case device
}

extension NodeRefusal: CustomStringConvertible {
    /// The reason, for a report.
    package var description: String {
        switch self {
        case .notRunning: "no process runs"
        case .busy: "the queue is full"
        case .tokenExpired: "the token is of another feed, or ahead of this one"
        case .device: "the device is unknown, or this one"
        }
    }
}
