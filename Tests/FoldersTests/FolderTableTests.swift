import Testing

@testable import Folders

@Suite struct `The table of steps` {
    /// All cells: for each state of the folder's side the steps for unknown, deleted, unchanged, changed and new on the zone's side.
    ///
    /// It is the table of `docs/operations/folders.md`.
    private static let rows: [(LocalState, [FolderStep])] = [
        (.absent, [.forget, .forget, .deleteRecord, .download, .download]),
        (.unchanged, [.upload, .trash, .nothing, .download, .compare]),
        (.changed, [.upload, .upload, .upload, .compare, .compare]),
        (.new, [.upload, .upload, .compare, .compare, .compare]),
    ]

    @Test func `has a step for each pair of states`() {
        #expect(Self.rows.map(\.0) == LocalState.allCases)
        for (local, steps) in Self.rows {
            for (zone, step) in zip(ZoneState.allCases, steps) {
                #expect(FolderStep.of(local, zone) == step, "\(local), \(zone)")
            }
            #expect(steps.count == ZoneState.allCases.count)
        }
    }

    @Test func `deletes only where one side is as it was and the other one is gone`() {
        for local in LocalState.allCases {
            for zone in ZoneState.allCases {
                switch FolderStep.of(local, zone) {
                case .trash: #expect(local == .unchanged && zone == .deleted)
                case .deleteRecord: #expect(local == .absent && zone == .unchanged)
                default: break
                }
            }
        }
    }

    @Test func `never overwrites a file or a record that the other side has not seen`() {
        for local in [LocalState.changed, .new] {
            for zone in [ZoneState.changed, .new] { #expect(FolderStep.of(local, zone) == .compare) }
        }
    }
}
