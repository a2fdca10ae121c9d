import KairanInterface

extension Examination {
    /// The facts that are collected together, in this order, and the checks that they decide.
    enum Step: CaseIterable {
        case store, work, machine, peers, neighbourhood, reach, warnings

        /// The codes of the checks that are decided, apart from their warnings, once the step is done.
        var codes: [String] {
            switch self {
            case .store: ["storage.integrity", "storage.contents"]
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
        var progress: CheckProgress {
            let earlier = Self.allCases.prefix { $0 != self }
            return CheckProgress(
                running: codes,
                done: earlier.reduce(0) { $0 + $1.codes.count },
                count: Self.allCases.reduce(0) { $0 + $1.codes.count }
            )
        }
    }
}
