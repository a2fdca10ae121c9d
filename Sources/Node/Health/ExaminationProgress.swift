/// The progress of the doctor's checks.
package struct ExaminationProgress: Hashable, Sendable {
    /// The codes of the checks that are being made, the one that takes the most time first.
    package let running: [String]
    /// The number of checks that were made before them.
    package let doneCount: Int
    /// The number of all checks; warnings that are no check's finding are not among them.
    package let count: Int

    /// Describes the progress.
    package init(running: [String], doneCount: Int, count: Int) {
        (self.running, self.doneCount, self.count) = (running, doneCount, count)
    }
}

extension Examination {
    /// The facts that are collected together, in this order, and the checks that they decide.
    enum Step: CaseIterable {
        case store, work, machine, peers, neighbourhood, reach, warnings

        /// The codes of the checks that are decided, apart from their warnings, once the step is done.
        var codes: [String] {
            switch self {
            case .store: ["storage.integrity"]
            case .work: ["pending.moving", "relays.room"]
            case .machine: ["service.confinement", "storage.room", "descriptors.room"]
            case .peers: ["peers.reachable", "peers.versions", "peers.program", "clock.agreement"]
            case .neighbourhood: ["mdns.working", "mdns.interfaces", "mdns.multicast"]
            case .reach: ["port.reachable", "port.listening"]
            case .warnings:
                ["storage.history", "keys.sealed", "account.standing", "applications.bound", "epochs.current"]
            }
        }

        /// The progress when the step begins.
        var progress: ExaminationProgress {
            let earlier = Self.allCases.prefix { $0 != self }
            return ExaminationProgress(
                running: codes,
                doneCount: earlier.reduce(0) { $0 + $1.codes.count },
                count: Self.allCases.reduce(0) { $0 + $1.codes.count }
            )
        }
    }
}
