import Capabilities
import Records
import Sync
import Wire

/// A right that an account has ended, and everything written under it by then, whether or not a device knew of it.
package struct EndedRight: Sendable {
    /// The devices whose logs it concerns.
    let devices: Set<DeviceID>
    /// The zone; `nil` for all zones.
    let zone: ZoneID?
    /// The rights; `nil` for all that the devices ever have.
    let rights: Set<Hash>?
    /// The length of each log that existed.
    let sizes: [LogKey: UInt64]
    /// A description of the act that ended the right, for people.
    let text: String

    /// Whether it concerns a log.
    func concerns(_ row: LogRow) -> Bool {
        devices.contains(row.device) && zone ?? row.key.zone == row.key.zone && rights?.contains(row.right) ?? true
    }
}

extension Judge {
    /// Records that a right ends now: no account that ends it can have seen operations written under it from now on.
    /// - Parameters:
    ///   - text: A description of the act, for people.
    ///   - devices: The devices whose logs end.
    ///   - zone: The zone; `nil` for all zones.
    ///   - rights: The rights; `nil` for all that the devices have.
    func ended(_ text: String, devices: Set<DeviceID>, zone: ZoneID? = nil, rights: Set<Hash>? = nil) {
        endings.append(EndedRight(devices: devices, zone: zone, rights: rights, sizes: library.sizes, text: text))
    }

    /// Checks that operations written after a right had ended are ignored, regardless of the positions stated for them.
    ///
    /// This does not depend on the resolution: no device could have approved an operation that did not exist when the
    /// right ended.
    /// - Parameter look: A store.
    /// - Throws: `Violation`.
    func checkEnded(_ look: StoreLook) throws {
        guard !endings.isEmpty, !byzantine.contains(look.device) else { return }
        for zone in try look.store.zones() {
            let reaches = try look.store.reaches(zone: zone)
            let rows = try look.store.logs(zone: zone.id)
            for ending in endings {
                for row in rows where ending.concerns(row) {
                    checkCount += 1
                    let size = ending.sizes[row.key] ?? 0
                    guard row.key.lane == .data else {
                        try checkVerdicts(of: row, behind: size, ending, look)
                        continue
                    }
                    guard let reach = reaches[row.key], reach.counted > size else { continue }
                    throw look.violation(
                        .ended,
                        "\(row.key) is effective up to \(reach.counted); it had \(size) operations when \(ending.text)"
                    )
                }
            }
        }
    }

    private func checkVerdicts(of row: LogRow, behind size: UInt64, _ ending: EndedRight, _ look: StoreLook) throws {
        guard row.size > size, let state = try look.controlState?(row.key.zone) else { return }
        for item in try look.store.items(row.key, from: size, to: row.size) {
            guard case .operation(let stored) = item.content,
                state.verdicts[stored.operation.header.leafHash] == .counts
            else { continue }
            throw look.violation(
                .ended,
                "\(row.key):\(stored.operation.header.counter) has effect; the log had \(size) operations when \(ending.text)"
            )
        }
    }
}
