import FoundationEssentials
import KairanInterface
import Node
import Wire

extension PendingReport: ResourceView {
    var resource: PendingWork {
        PendingWork(pending: entries.map(\.resource), heldBack: heldBack.map(\.resource))
    }
}

extension PendingReport.Entry {
    fileprivate var resource: PendingWork.Entry {
        PendingWork.Entry(
            zone: zone.text,
            zoneName: name,
            container: container,
            device: device.text,
            deviceName: deviceName,
            account: account.text,
            state: state,
            count: count,
            behind: behind,
            missing: missing,
            oldestAt: oldestMilliseconds.map(Date.init(milliseconds:)),
            ageMilliseconds: ageMilliseconds,
            reason: reason,
            since: sinceMilliseconds.map(Date.init(milliseconds:))
        )
    }
}

extension PendingReport.HeldBack {
    fileprivate var resource: PendingWork.HeldBack {
        PendingWork.HeldBack(
            zone: zone.text,
            device: device.text,
            count: UInt64(clamping: count),
            waitsFor: waitsFor.map {
                PendingWork.HeldBack.Missing(
                    log: $0.actor.text,
                    device: $0.device?.text,
                    held: UInt64(clamping: $0.held),
                    needed: UInt64(clamping: $0.needed)
                )
            }
        )
    }
}
