import Identity
import Records
import Wire

// What a device may write in the account's own zones, by its role. Decided for other devices' logs in one place: the logs of a
// device that may not write end at zero, as those of a device that was removed before anybody had seen them.
extension Committer {
    /// Whether this device may write.
    ///
    /// A removed one may: what it writes counts nowhere else until it is paired anew.
    var mayWrite: Bool { (account.devices[device]?.role ?? .full) == .full }

    /// How much of a device's log counts; `nil` when all of it does.
    func cut(for actor: ActorID, device: DeviceID, lane: Lane, zone: ZoneID) -> Records.LogCut? {
        if let entry = account.devices[device], entry.role != .full { return Identity.LogCut.zero.stored }
        return account.cut(for: actor, device: device, lane: lane, zone: zone).stored
    }

    /// Whether all that a device writes counts.
    func countsWhole(_ device: DeviceID) -> Bool { account.standing(of: device) == .active(.full) }
}
