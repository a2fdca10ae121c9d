import Capabilities
import Records
import Sync
import Wire

/// The law that an operation written after its author's right has ended has no effect.
///
/// It does not depend on the resolution: no device could have approved an operation that did not
/// exist when the right ended, regardless of the positions stated for it.
struct EndedRights {
    private let evidence: Evidence
    private var endings: [EndedRight] = []

    init(_ evidence: Evidence) { self.evidence = evidence }

    /// Records that a right ends now: no account that ends it can have seen operations written under it from now on.
    /// - Parameters:
    ///   - text: A description of the act, for people.
    ///   - devices: The devices whose logs end.
    ///   - zone: The zone; `nil` for all zones.
    ///   - rights: The rights; `nil` for all that the devices have.
    mutating func end(_ text: String, devices: Set<DeviceID>, zone: ZoneID? = nil, rights: Set<Hash>? = nil) {
        endings.append(
            EndedRight(devices: devices, zone: zone, rights: rights, sizes: evidence.library.sizes, text: text)
        )
    }

    /// Takes note that an owner has raised the cuts of a right.
    ///
    /// It may make more operations effective than existed when the right ended, as far as it has
    /// seen the log.
    mutating func raised(_ right: Hash) { endings.removeAll { $0.rights?.contains(right) ?? false } }

    /// Checks a store.
    /// - Throws: ``Violation`` of ``Invariant/ended``.
    func check(_ look: StoreLook) throws {
        guard !endings.isEmpty, !evidence.byzantine.contains(look.device) else { return }
        for zone in try look.store.zones() {
            let reaches = try look.store.reaches(zone: zone)
            let rows = try look.store.logs(zone: zone.id)
            for ending in endings {
                for row in rows where ending.concerns(row) {
                    evidence.checkCount += 1
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

/// A right that an account has ended, and everything written under it by then, whether or not a device knew of it.
private struct EndedRight {
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
