import Capabilities
import Records
import Sync
import Wire

/// A right that somebody has ended, and what had been written under it by then, by anybody's knowledge.
package struct EndedRight: Sendable {
    /// Whose logs it concerns.
    let devices: Set<DeviceID>
    /// In which zone; nil for all.
    let zone: ZoneID?
    /// Which rights; nil for all that the devices ever have.
    let rights: Set<Hash>?
    /// How long each log was that existed.
    let sizes: [LogKey: UInt64]
    /// What was done, for people.
    let text: String

    /// Whether it concerns a log.
    func concerns(_ row: LogRow) -> Bool {
        devices.contains(row.device) && zone ?? row.key.zone == row.key.zone && rights?.contains(row.right) ?? true
    }
}

extension Judge {
    /// A right ends now: what is written under it from now on, nobody who ends it can have seen.
    /// - Parameters:
    ///   - text: What is done, for people.
    ///   - devices: Whose logs end.
    ///   - zone: In which zone; `nil` for all.
    ///   - rights: Which rights; `nil` for all that the devices have.
    func ended(_ text: String, devices: Set<DeviceID>, zone: ZoneID? = nil, rights: Set<Hash>? = nil) {
        endings.append(EndedRight(devices: devices, zone: zone, rights: rights, sizes: library.sizes, text: text))
    }

    /// What was written after a right had ended counts nowhere, whatever positions anybody states.
    ///
    /// This asks for nothing that the resolution says: an operation that did not exist when the right ended is none that anybody could
    /// have let count.
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
                        "\(row.key) counts up to \(reach.counted); it had \(size) operations when \(ending.text)"
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
                "\(row.key):\(stored.operation.header.counter) counts; that log had \(size) operations when \(ending.text)"
            )
        }
    }
}
