import Identity
import Records
import Session
package import Sync
package import Wire

/// A machine with its disk and its clocks, and the process that runs on it.
///
/// Only the disk survives the process.
package final class SimulatedNode {
    /// Its place among the machines.
    package let index: Int
    /// Its disk.
    package let disk: VirtualDisk
    /// The account that its device belongs to.
    package internal(set) var accountID: AccountID
    unowned let simulation: Simulation
    /// Where the node's own chance comes from.
    var random: SeededGenerator
    /// Counts processes; what belongs to an earlier one is dropped.
    package internal(set) var life = 0
    /// The process; `nil` while none runs.
    package internal(set) var process: NodeProcess?
    /// Whether the machine is on; a machine without power does not even refuse connections.
    package internal(set) var isPowered = true
    /// How far the wall clock is wrong, in milliseconds.
    package internal(set) var wallOffset: Int64 = 0
    /// Whether the device has started before: then its keys were there.
    var hasStarted = false
    /// What it does wrong whenever it is asked for payloads.
    var misdeed: Misdeed?
    /// The keys of the devices to which it seals something else in place of what they are given.
    var deceived: Set<[UInt8]> = []
    /// After how many steps of joining the machine loses its power.
    var joiningStepsUntilPowerLoss: Int?
    /// When the process began; for the count of what was simulated.
    var startedAt: UInt64 = 0

    init(index: Int, disk: VirtualDisk, account: AccountID, simulation: Simulation, seed: UInt64) {
        self.index = index
        accountID = account
        self.disk = disk
        self.simulation = simulation
        random = SeededGenerator(seed: seed)
    }

    // MARK: Facts

    /// The device that its keys make it; a clone is the same device.
    package var device: DeviceID { disk.keys.device.keys.deviceID }

    /// The account's secrets, as the machine has them.
    var keyring: AccountKeyring { process?.keyring ?? NodeProcess.keyring(on: disk) }

    /// Whether a process runs.
    package var isRunning: Bool { process != nil }

    /// The database as applications see it; `nil` when there is none.
    package var store: MemoryStore? { disk.database }

    /// The wall clock, in milliseconds since 1970.
    package var wallMilliseconds: UInt64 {
        let time = Int64(Simulation.wallStart + simulation.now) + wallOffset
        return UInt64(max(time, 0))
    }

    /// Which versions of the channel its program speaks.
    ///
    /// Not where disks are copied: of two machines that are one device, one might be older than what was spoken with the other.
    var agreement: ChannelAgreement {
        let isOld = simulation.options.hasOldPrograms && !simulation.options.allows(.clone)
        return isOld && !index.isMultiple(of: 2) && life <= 1 ? .classical : .hybrid(StandInEncapsulation())
    }

    /// Turns the wall clock.
    package func setWallOffset(_ milliseconds: Int64) {
        simulation.judge.clockTurns(on: self)
        wallOffset = milliseconds
        if isRunning { simulation.discovery.repeatAnnouncement(self) }
    }
}

/// Why a node does not do what an application asks.
package enum NodeRefusal: Error, Equatable, Sendable {
    /// No process runs.
    case notRunning
    /// Too much waits.
    case busy
    /// The token is of another feed, or ahead of this one: read from the beginning.
    case tokenExpired
    /// The device is not, or is this very one.
    case device
}

extension NodeRefusal: CustomStringConvertible {
    /// The reason, for a report.
    package var description: String {
        switch self {
        case .notRunning: "no process runs"
        case .busy: "too much waits"
        case .tokenExpired: "the token is of another feed, or ahead of this one"
        case .device: "there is no such device, or it is this one"
        }
    }
}
